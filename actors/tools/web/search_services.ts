/**
 * The search services that have an API, as their documentation describes it: Brave
 * (api-dashboard.search.brave.com), Tavily (docs.tavily.com), SearXNG (docs.searxng.org), Jina
 * (s.jina.ai/docs) and Kagi (help.kagi.com/kagi/api).
 * @module
 */

import { z } from "zod";
import type { ToolRequest } from "../tool.ts";
import {
  ANSWER_BYTES_MAX,
  type SearchBackend,
  SearchError,
  type SearchHit,
} from "./search_backend.ts";

/** Jina sends whole pages. */
const JINA_SNIPPET_CHARS = 500;
const JSON_TYPE = "application/json";

/** Brave: a GET with a token of its own. */
export function braveSearch(apiKey: string): SearchBackend {
  return {
    provider: "brave",
    request: ({ query, count }) => ({
      ...asked("https://api.search.brave.com/res/v1/web/search", { q: query, count }, 10_000),
      headers: { accept: JSON_TYPE, "x-subscription-token": apiKey },
    }),
    read: (answer) => {
      // Without results the whole part is missing.
      const { web } = parse(z.object({ web: z.object({ results: items }).nullish() }), answer);
      return hits(web?.results ?? [], "description");
    },
  };
}

/** Tavily: a POST. */
export function tavilySearch(apiKey: string): SearchBackend {
  return {
    provider: "tavily",
    request: ({ query, count }) => ({
      ...asked("https://api.tavily.com/search", {}, 15_000),
      method: "POST",
      headers: {
        accept: JSON_TYPE,
        "content-type": JSON_TYPE,
        authorization: `Bearer ${apiKey}`,
      },
      body: JSON.stringify({ query, max_results: count }),
    }),
    read: (answer) => hits(parse(z.object({ results: items }), answer).results, "content"),
  };
}

/**
 * SearXNG, wherever the owner runs one: its origin may be private.
 *
 * @throws {SearchError} when `baseUrl` is no http address
 */
export function searxngSearch(baseUrl: string): SearchBackend {
  const base = URL.parse(baseUrl.trim());
  if (base === null || !/^https?:$/.test(base.protocol)) {
    throw new SearchError(`tools.web.search.baseUrl is no http or https address`);
  }
  const path = base.pathname.replace(/\/+$/, "");
  return {
    provider: "searxng",
    request: ({ query }) => ({
      ...asked(`${base.origin}${path}/search`, { q: query, format: "json" }, 10_000),
      headers: { accept: JSON_TYPE },
      ownerOrigin: base.origin,
    }),
    read: (answer) => hits(parse(z.object({ results: items }), answer).results, "content"),
  };
}

/** Jina: the query is the path. */
export function jinaSearch(apiKey: string): SearchBackend {
  return {
    provider: "jina",
    request: ({ query }) => ({
      ...asked(`https://s.jina.ai/${encodeURIComponent(query)}`, {}, 15_000),
      headers: { accept: JSON_TYPE, authorization: `Bearer ${apiKey}` },
    }),
    read: (answer) =>
      hits(parse(z.object({ data: items }), answer).data, "content")
        .map((hit) => ({ ...hit, snippet: hit.snippet.slice(0, JINA_SNIPPET_CHARS) })),
  };
}

/** Kagi: its list holds other things than results, told apart by `t`. */
export function kagiSearch(apiKey: string): SearchBackend {
  return {
    provider: "kagi",
    request: ({ query, count }) => ({
      ...asked("https://kagi.com/api/v0/search", { q: query, limit: count }, 10_000),
      headers: { accept: JSON_TYPE, authorization: `Bot ${apiKey}` },
    }),
    read: (answer) => {
      const { data } = parse(z.object({ data: items }), answer);
      return hits(data.filter((item) => item["t"] === 0), "snippet");
    },
  };
}

const items: z.ZodType<Record<string, unknown>[]> = z.array(z.record(z.string(), z.unknown()));

function asked(
  url: string,
  parameters: Readonly<Record<string, string | number>>,
  timeoutMs: number,
): ToolRequest {
  const search = new URLSearchParams(
    Object.entries(parameters).map(([name, value]) => [name, String(value)]),
  ).toString();
  return { url: search === "" ? url : `${url}?${search}`, bytesMax: ANSWER_BYTES_MAX, timeoutMs };
}

function parse<T>(schema: z.ZodType<T>, answer: string): T {
  const parsed = schema.safeParse(parseJson(answer));
  if (parsed.success) return parsed.data;
  throw new SearchError("its answer is not what it documents");
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Items without an address are left out. */
function hits(
  found: readonly Readonly<Record<string, unknown>>[],
  snippetName: string,
): readonly SearchHit[] {
  const text = (value: unknown) => typeof value === "string" ? value : "";
  return found.map((item) => ({
    title: text(item["title"]),
    url: text(item["url"]),
    snippet: text(item[snippetName]),
  })).filter(({ url }) => url !== "");
}
