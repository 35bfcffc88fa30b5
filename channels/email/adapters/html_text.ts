/**
 * HTML as text, for mails that have nothing else.
 * @module
 */

/** Longer pages are cut before they are read. */
const INPUT_CHARS_MAX = 1_000_000;

/** The words of a page, quotes marked by `>`; what is neither shown nor said is left out. */
export async function htmlText(html: string): Promise<string> {
  // @deno-types="./html_library_types.d.ts"
  const { convert } = await import("html-to-text");
  return convert(html, {
    wordwrap: false,
    limits: {
      maxInputLength: INPUT_CHARS_MAX,
      maxDepth: 200,
      maxBaseElements: 1,
      maxChildNodes: 20_000,
    },
    selectors: [
      { selector: "a", options: { hideLinkHrefIfSameAsText: true, ignoreHref: false } },
      { selector: "img", format: "skip" },
      { selector: "style", format: "skip" },
      { selector: "script", format: "skip" },
      { selector: "table", format: "block" },
      { selector: "tr", format: "block", options: { leadingLineBreaks: 1, trailingLineBreaks: 1 } },
      { selector: "td", format: "inlineSurround", options: { prefix: "", suffix: " " } },
      ...["h1", "h2", "h3", "h4", "h5", "h6"].map((selector) => ({
        selector,
        options: { uppercase: false },
      })),
    ],
  }).trim();
}
