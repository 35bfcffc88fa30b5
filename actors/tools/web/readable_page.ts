/**
 * What an HTML page is about, as Markdown or plain text.
 * @module
 */

import type { PageDocument, PageElement, PageNode } from "./page_libraries.ts";
import { plainText, tidyLines } from "./plain_text.ts";

/** How a page is shown. */
export type ExtractMode = "markdown" | "text";

/** A page as it is read. */
export interface ReadablePage {
  /** "readability": its article; "body": all it shows; "text": too large or deep to be parsed. */
  readonly extractor: "readability" | "body" | "text";
  readonly text: string;
}

/**
 * Above any of these a page is not parsed but read by its letters: the parser takes seconds, or
 * runs out of stack.
 */
const HTML_CHARS_MAX = 3_000_000;
const ELEMENTS_MAX = 30_000;
/** Beginnings of tags and entities: each cuts the text into a further node. */
const MARKS_MAX = 120_000;
const DEPTH_MAX = 256;
/** Children of one element: the libraries look at all of them for each. */
const SIBLINGS_MAX = 1_000;
/** An article with less text than this, on a page with more, is a teaser. */
const ARTICLE_CHARS_MIN = 200;
const ARTICLE_SHARE_MIN = 0.05;
/** Text of a page; beyond it the writer of Markdown takes seconds. */
const TEXT_CHARS_MAX = 500_000;
const GAP_CHARS_MAX = 200;
const WIDE_GAP = new RegExp(`(?<!\\s)\\s{${GAP_CHARS_MAX + 1},}`, "g");
const NO_TEXT = "script, style, noscript, template, svg";
const NOT_SHOWN =
  "head, title, meta, link, script, style, noscript, template, iframe, nav, form, svg, canvas, [hidden]";

/**
 * Extracts a page; `url` is where its relative links start.
 *
 * @throws whatever the libraries say of a page that they stumble over
 */
export async function readablePage(
  html: string,
  url: string,
  mode: ExtractMode,
): Promise<ReadablePage> {
  if (
    html.length > HTML_CHARS_MAX || count(html, /<[a-z]/gi) > ELEMENTS_MAX ||
    count(html, /[<&]/g) > MARKS_MAX
  ) {
    return { extractor: "text", text: plainText(html) };
  }
  const libraries = await import("./page_libraries.ts");
  const whole = withBody(withoutWideGaps(html));
  const { document } = libraries.parseHTML(whole);
  if (document.body === null || !isModest(document)) {
    return { extractor: "text", text: plainText(html) };
  }
  for (const element of Array.from(document.querySelectorAll(NO_TEXT))) element.remove();
  if ((document.body.textContent ?? "").length > TEXT_CHARS_MAX) {
    return { extractor: "text", text: plainText(html) };
  }
  completeLinks(document, url);
  const title = oneLine(document.querySelector("title")?.textContent ?? "");
  // Outside of a head it would be read twice.
  for (const element of Array.from(document.body.querySelectorAll("title"))) element.remove();
  const lengthOfAll = (document.body.textContent ?? "").length;
  // Readability takes the document apart, so that the other way needs one of its own.
  const article = new libraries.Readability(document, {
    maxElemsToParse: ELEMENTS_MAX * 2,
    serializer: (element) => element,
  }).parse();
  const length = article?.textContent?.trim().length ?? 0;
  const isTeaser = length < ARTICLE_CHARS_MIN || length < lengthOfAll * ARTICLE_SHARE_MIN;
  if (article?.content && !(isTeaser && lengthOfAll > length * 2)) {
    const name = oneLine(article.title ?? "") || title;
    return { extractor: "readability", text: render(libraries, article.content, name, mode) };
  }
  const { document: again } = libraries.parseHTML(whole);
  completeLinks(again, url);
  for (const element of Array.from(again.querySelectorAll(NOT_SHOWN))) element.remove();
  return {
    extractor: "body",
    text: again.body === null ? plainText(html) : render(libraries, again.body, title, mode),
  };
}

type Libraries = typeof import("./page_libraries.ts");

function render(
  { Turndown }: Libraries,
  content: PageElement,
  title: string,
  mode: ExtractMode,
): string {
  const markdown = markdownWriter(Turndown).turndown(content);
  const body = tidyLines(mode === "markdown" ? markdown : withoutMarkdown(markdown));
  if (title === "" || body.startsWith(`# ${title}`)) return body;
  return `${mode === "markdown" ? "# " : ""}${title}\n\n${body}`.trim();
}

function markdownWriter(Writer: Libraries["Turndown"]): InstanceType<Libraries["Turndown"]> {
  return new Writer({ headingStyle: "atx", codeBlockStyle: "fenced", bulletListMarker: "-" })
    .remove(["script", "style", "noscript", "iframe"])
    .addRule("cell", {
      filter: ["th", "td"],
      replacement: (content) => ` ${oneLine(content).replaceAll("|", "\\|")} |`,
    })
    .addRule("row", {
      filter: ["tr"],
      replacement: (content, row) => `\n|${content}${isFirstRow(row) ? ruleBelow(row) : ""}`,
    })
    .addRule("table", {
      filter: ["table"],
      replacement: (content) => `\n\n${content.replaceAll(/\n\s*\n/g, "\n").trim()}\n\n`,
    });
}

function isFirstRow(row: PageElement): boolean {
  if (row.previousElementSibling !== null) return false;
  const section = row.parentElement;
  return section === null || !/^(THEAD|TBODY)$/i.test(section.nodeName) ||
    section.previousElementSibling === null;
}

function ruleBelow(row: PageElement): string {
  return `\n|${" --- |".repeat(elementsOf(row).length)}`;
}

function elementsOf(node: { readonly childNodes: PageElement["childNodes"] }): unknown[] {
  return Array.from(node.childNodes).filter(({ nodeName }) => !nodeName.startsWith("#"));
}

/** Markdown's signs taken off again; what was escaped stays itself. */
function withoutMarkdown(markdown: string): string {
  return markdown
    // Lengths are bounded, or a page of beginnings without an end would take minutes.
    .replaceAll(/!?\[([^\]\n]{0,500})\]\([^)\n]{0,2000}\)/g, "$1")
    .replaceAll(/^(#{1,6}|>) /gm, "")
    .replaceAll(/^```.*$/gm, "")
    .replaceAll(/(?<!\\)(\*\*|__|[_`])/g, "")
    .replaceAll(/\\([\\`*_{}[\]()#+.!|>~-])/g, "$1");
}

/** Links that lead somewhere, from wherever they are read; those that run scripts lead nowhere. */
function completeLinks(document: PageDocument, url: string): void {
  const base = URL.parse(document.querySelector("base[href]")?.getAttribute("href") ?? "", url)
    ?.href ?? url;
  for (const [selector, name] of [["a[href]", "href"], ["img[src]", "src"]] as const) {
    for (const element of Array.from(document.querySelectorAll(selector))) {
      const target = URL.parse(element.getAttribute(name) ?? "", base);
      if (target !== null && /^(https?|mailto):$/.test(target.protocol)) {
        element.setAttribute(name, target.href);
      } else element.removeAttribute(name);
    }
  }
}

/** The parser, unlike a browser, adds nothing that a page has left out. */
function withBody(html: string): string {
  if (!/<body[\s>]/i.test(html)) return `<html><body>${html}</body></html>`;
  return /<html[\s>]/i.test(html) ? html : `<html>${html}</html>`;
}

/**
 * Runs of blanks with ones beyond ASCII are kept to a length: the writer of Markdown looks at all
 * of such a run from each of its blanks.
 */
function withoutWideGaps(html: string): string {
  return html.replaceAll(
    WIDE_GAP,
    (gap) => /[^\0-\x7f]/.test(gap) ? gap.slice(0, GAP_CHARS_MAX) : gap,
  );
}

/** Whether a page is no deeper and no wider than the libraries bear. */
function isModest(root: PageNode): boolean {
  let level: readonly PageNode[] = [root];
  for (let depth = 0; level.length > 0; depth++) {
    const below = level.map(({ childNodes }) => Array.from(childNodes));
    if (depth > DEPTH_MAX || below.some(({ length }) => length > SIBLINGS_MAX)) return false;
    level = below.flat();
  }
  return true;
}

function count(text: string, pattern: RegExp): number {
  let found = 0;
  for (const _ of text.matchAll(pattern)) found += 1;
  return found;
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim();
}
