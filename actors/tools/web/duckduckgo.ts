/**
 * DuckDuckGo, which needs no key and has no API: its page for browsers without scripts is read.
 * Each result is a `.result` with a title link `.result__a` and a `.result__snippet`; links lead
 * through `duckduckgo.com/l/?uddg=<target>`; advertisements are `.result--ad`, and who asks too
 * much gets a puzzle (`.anomaly-modal`) instead.
 * @module
 */

import {
  ANSWER_BYTES_MAX,
  type SearchBackend,
  SearchError,
  type SearchHit,
} from "./search_backend.ts";

const PAGE = "https://html.duckduckgo.com/html/";

/** The backend; `timeoutMs` is the owner's choice. */
export function duckDuckGoSearch(timeoutMs: number, userAgent: string): SearchBackend {
  return {
    provider: "duckduckgo",
    request: ({ query }) => ({
      url: PAGE,
      method: "POST",
      headers: {
        accept: "text/html",
        "content-type": "application/x-www-form-urlencoded",
        "user-agent": userAgent,
        referer: "https://html.duckduckgo.com/",
      },
      // No region: what fits the words, not the place where the gateway stands.
      body: new URLSearchParams({ q: query, kl: "wt-wt" }).toString(),
      bytesMax: ANSWER_BYTES_MAX,
      timeoutMs,
    }),
    read: readResults,
  };
}

/**
 * The results of a page.
 *
 * @throws {SearchError} for a page that is no list of results
 */
export async function readResults(html: string): Promise<readonly SearchHit[]> {
  const { parseHTML } = await import("./page_libraries.ts");
  const { document } = parseHTML(html);
  if (document.querySelector(".anomaly-modal__title, .anomaly-modal, #challenge-form") !== null) {
    throw new SearchError("it asks to prove that a person is searching; try again later");
  }
  const found = Array.from(document.querySelectorAll(".result")).flatMap((result) => {
    const link = result.querySelector("a.result__a");
    const url = targetOf(link?.getAttribute("href") ?? "");
    const isAd = /(^|\s)result--ad(\s|$)/.test(result.getAttribute("class") ?? "");
    if (link === null || url === null || isAd) return [];
    const snippet = result.querySelector(".result__snippet")?.textContent ?? "";
    return [{ title: link.textContent ?? "", url, snippet }];
  });
  const isEmptyList = document.querySelector(".no-results, .result--no-result, #links") !== null;
  if (found.length > 0 || isEmptyList) return found;
  throw new SearchError("its page is not a list of results");
}

/** Where a result leads; null for advertisements and what is no web address. */
function targetOf(href: string): string | null {
  const link = URL.parse(href, PAGE);
  if (link === null) return null;
  const isOwn = /(^|\.)duckduckgo\.com$/.test(link.hostname);
  const target = isOwn ? URL.parse(link.searchParams.get("uddg") ?? "") : link;
  if (target === null || !/^https?:$/.test(target.protocol)) return null;
  return /(^|\.)duckduckgo\.com$/.test(target.hostname) && target.pathname === "/y.js"
    ? null
    : target.href;
}
