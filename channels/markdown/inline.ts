/**
 * Text inside a paragraph as runs, in a platform's spelling.
 * @module
 */

import { type Dialect, guardedStart } from "./dialect.ts";
import { known, type MarkdownToken } from "./markdown.ts";
import { cutRuns as cutRunsAt, type Fits, type Marks, type Run } from "./runs.ts";

const WEB_ADDRESS = /^(?:https?:\/\/|mailto:)/i;
const LINE_BREAK = /^<br\s*\/?>$/i;
/** A mention, a sign, also as an entity, or space. */
const SIGN = String.raw`<at id=\w+></at>|&#?\w{1,10};|[\p{P}\p{S}\s]`;
const SIGNS_FIRST = new RegExp(`^(?:${SIGN})+`, "u");
/** No emphasis begins with it. */
const SPACE_FIRST = /^\s+/;
const SIGN_LAST = new RegExp(`(?:${SIGN})$`, "u");
/** A mention is the longest. */
const SIGN_CHARS_MAX = 100;
const ENTITIES = /&#?\w+;/g;
const WORD = /[\p{L}\p{N}]/u;
const OPENING = /^[\p{Ps}\p{Pi}]/u;
const WORD_FIRST = /^[\p{L}\p{N}]/u;
const WORD_LAST = /[\p{L}\p{N}]$/u;

/** The runs as Markdown, in pieces that fit. */
export function cutRuns(runs: readonly Run[], dialect: Dialect, fits: Fits): readonly string[] {
  const guard = (piece: string): string => guardedStart(piece, dialect);
  return cutRunsAt(runs, { fits, atoms: dialect.atoms, guard });
}

/** The runs of inline tokens. */
export function runsOf(
  tokens: readonly MarkdownToken[],
  dialect: Dialect,
  marks: readonly Marks[] = [],
): readonly Run[] {
  let emphasis: Marks | null = null;
  return tokens.flatMap((token, index) => {
    const inner = (own: Marks) => runsOf(childrenOf(token), dialect, [...marks, own]);
    switch (token.type) {
      case "strong":
      case "em":
      case "del": {
        const sign = { strong: "**", em: "*", del: "~~" }[token.type];
        if (marks.some(({ open }) => open === sign)) {
          return runsOf(childrenOf(token), dialect, marks);
        }
        // Two that touch are one: the marks between them would read as another kind.
        const touches = tokens[index - 1]?.type === token.type;
        const own = touches && emphasis !== null ? emphasis : { open: sign, close: sign };
        const runs = inner(own);
        // Marks around signs alone, inside of a word, are marks to no renderer.
        if (!runs.some(({ text }) => WORD.test(text.replace(ENTITIES, "")))) {
          return runsOf(childrenOf(token), dialect, marks);
        }
        emphasis = own;
        return besideWords(runs, marks, tokens[index - 1], tokens[index + 1]);
      }
      case "link":
        return linkRuns(token, dialect, marks);
      case "codespan":
        return [codeRun(token.text, marks)];
      case "image":
        return imageRuns(token, tokens[index - 1], dialect, marks);
      default: {
        const children = childrenOf(token);
        return children.length > 0
          ? runsOf(children, dialect, marks)
          : [{ text: leafText(token, dialect), marks }];
      }
    }
  });
}

function childrenOf(token: MarkdownToken): readonly MarkdownToken[] {
  return "tokens" in token ? known(token.tokens) : [];
}

function leafText(token: MarkdownToken, dialect: Dialect): string {
  switch (token.type) {
    case "escape":
      return token.text.length === 1 ? dialect.sign(token.text) : dialect.literal(token.text);
    case "br":
      return "\n";
    case "html":
      return LINE_BREAK.test(token.raw) ? "\n" : dialect.literal(token.raw);
    case "checkbox":
      return token.checked ? "☑ " : "☐ ";
    default:
      return dialect.running(token.raw);
  }
}

/** Around what is one sign to those who look for signs at an edge. */
const WHOLE: Marks = { open: "", close: "" };

/** Behind an exclamation mark, the link to a picture would be one. */
function imageRuns(
  token: Extract<MarkdownToken, { type: "image" }>,
  before: MarkdownToken | undefined,
  dialect: Dialect,
  marks: readonly Marks[],
): readonly Run[] {
  const image: Run = { text: imageText(token.text, token.href, dialect), marks: [...marks, WHOLE] };
  return before?.raw.endsWith("!") ? [{ text: " ", marks }, image] : [image];
}

/** A picture the platform has is shown; others are a link, or a word about the file. */
function imageText(alt: string, href: string, dialect: Dialect): string {
  const label = alt.trim() === "" ? "image" : dialect.literal(alt.replace(/\s+/g, " ").trim());
  const shown = dialect.picture(href);
  if (shown !== null) return `![${label}](${shown})`;
  if (WEB_ADDRESS.test(href)) return `[${label}](${addressOf(href)})`;
  return href === "" ? label : `${label} (${dialect.literal(href)})`;
}

function linkRuns(
  token: Extract<MarkdownToken, { type: "link" }>,
  dialect: Dialect,
  marks: readonly Marks[],
): readonly Run[] {
  const { href, raw, text } = token;
  const isBare = raw === text && WEB_ADDRESS.test(href);
  if (isBare) return [{ text: raw, marks }];
  if (!WEB_ADDRESS.test(href)) {
    const runs = runsOf(known(token.tokens), dialect, marks);
    const isNamed = href === "" || href === text;
    return isNamed ? runs : [...runs, { text: ` (${dialect.literal(href)})`, marks }];
  }
  const own = { open: "[", close: `](${addressOf(href)})` };
  const runs = runsOf(known(token.tokens), dialect, [...marks, own]);
  const isPicture = known(token.tokens).some(({ type }) => type === "image");
  // A link inside a link does not work: the picture's own one stands for both.
  if (isPicture) return runsOf(known(token.tokens), dialect, marks);
  return runs.map((run) => inLink(run, dialect));
}

/** Brackets would end the link, and code with back-ticks in it hides the end from some readers. */
function inLink(run: Run, dialect: Dialect): Run {
  const fence = run.marks.at(-1)?.open ?? "";
  if (fence.startsWith("``")) {
    return { text: dialect.literal(run.text), marks: run.marks.slice(0, -1) };
  }
  return fence.startsWith("`")
    ? run
    : { ...run, text: run.text.replace(/(?<!\\)[[\]]/g, dialect.sign) };
}

function addressOf(href: string): string {
  return href.replace(/[\s()<>]/g, (character) => encodeURIComponent(character))
    .replaceAll("(", "%28").replaceAll(")", "%29");
}

function codeRun(text: string, marks: readonly Marks[]): Run {
  const longest = Math.max(0, ...(text.match(/`+/g) ?? []).map((ticks) => ticks.length));
  const fence = "`".repeat(longest === 0 ? 1 : longest + 1);
  const pad = longest === 0 ? "" : " ";
  return { text, marks: [...marks, { open: fence + pad, close: pad + fence }] };
}

/**
 * Signs at the edge of an emphasis that touches a word move out: next to it, renderers that follow
 * the standard would show the marks themselves.
 */
function besideWords(
  runs: readonly Run[],
  outer: readonly Marks[],
  before: MarkdownToken | undefined,
  after: MarkdownToken | undefined,
): readonly Run[] {
  const inner = [...runs];
  const tail = WORD_FIRST.test(after?.raw ?? "") ? takeTail(inner, outer) : [];
  const isPaired = tail.length > 0 && OPENING.test(inner[0]?.text ?? "");
  const touches = isPaired || WORD_LAST.test(before?.raw ?? "");
  const head = takeHead(inner, outer, touches ? SIGNS_FIRST : SPACE_FIRST);
  return [...head, ...inner, ...tail];
}

/** Takes the signs at the end out of the emphasis. */
function takeTail(inner: Run[], outer: readonly Marks[]): readonly Run[] {
  const taken: Run[] = [];
  for (let last = inner.at(-1); last !== undefined; last = inner.at(-1)) {
    const signs = last.marks.length === outer.length + 1 ? signsAtEnd(last.text) : "";
    if (signs === "") break;
    inner.pop();
    taken.unshift({ text: signs, marks: outer });
    const rest = last.text.slice(0, -signs.length);
    if (rest === "") continue;
    inner.push({ ...last, text: rest });
    break;
  }
  return taken;
}

/** One after the other, for a text of nothing but signs. */
function signsAtEnd(text: string): string {
  let start = text.length;
  for (;;) {
    const sign = SIGN_LAST.exec(text.slice(Math.max(0, start - SIGN_CHARS_MAX), start))?.[0];
    if (sign === undefined) return text.slice(start);
    start -= sign.length;
  }
}

/** Takes what `signsFirst` finds at the beginning out of the emphasis. */
function takeHead(inner: Run[], outer: readonly Marks[], signsFirst: RegExp): readonly Run[] {
  const taken: Run[] = [];
  for (let first = inner[0]; first !== undefined; first = inner[0]) {
    const signs = first.marks.length === outer.length + 1
      ? signsFirst.exec(first.text)?.[0]
      : undefined;
    if (signs === undefined) break;
    inner.shift();
    taken.push({ text: signs, marks: outer });
    const rest = first.text.slice(signs.length);
    if (rest === "") continue;
    inner.unshift({ ...first, text: rest });
    break;
  }
  return taken;
}
