/**
 * Markdown as WhatsApp's texts: each within the limit, no mark and no code left open.
 * @module
 */

import { largest } from "../../markdown/largest.ts";
import { known, type MarkdownToken, parseMarkdown } from "../../markdown/markdown.ts";
import { cutRuns, type Fits, joinRuns, type Run } from "../../markdown/runs.ts";
import { HIDDEN, plainRuns, runsOf } from "./inline.ts";
import { tableLines } from "./table.ts";

/** Longer texts are not taken; read as UTF-16 units to be safe, with some room. */
export const TEXT_UNITS_MAX = 65_000;
const FENCE = "```";
const RULE = "———";
const INDENT = "  ";
/** Nothing in a text must stay whole but its words. */
const NO_ATOMS = /(?!)/;

/** A block: running text, or lines of code. */
type Block =
  | { readonly kind: "text"; readonly runs: readonly Run[]; readonly prefix: string }
  | { readonly kind: "code"; readonly lines: readonly string[] };

/** How a text is laid out. */
export interface PiecesOptions {
  readonly isPlain: boolean;
  /** @default as much as WhatsApp takes */
  readonly unitsMax?: number;
}

/** The texts that show `text`, in order, none blank. */
export function piecesOf(
  text: string,
  { isPlain, unitsMax = TEXT_UNITS_MAX }: PiecesOptions,
): readonly string[] {
  const fits: Fits = (piece) => piece.length <= unitsMax;
  const blocks = isPlain ? [textBlock(plainRuns(text))] : blocksOf(parseMarkdown(text));
  const pieces: string[] = [];
  let current = "";
  for (const part of blocks.flatMap((block) => partsOf(block, fits))) {
    const joined = current === "" ? part : `${current}\n\n${part}`;
    if (current !== "" && !fits(joined)) pieces.push(current);
    current = current === "" || fits(joined) ? joined : part;
  }
  return [...pieces, current].filter((piece) => piece.replaceAll(HIDDEN, "").trim() !== "");
}

function blocksOf(tokens: readonly MarkdownToken[]): readonly Block[] {
  return tokens.flatMap((token): readonly Block[] => {
    switch (token.type) {
      case "space":
      case "def":
        return [];
      case "heading":
        return [textBlock(runsOf(known(token.tokens), "bold"))];
      case "code":
        return [{ kind: "code", lines: token.text.split("\n") }];
      case "table":
        return [{ kind: "code", lines: tableLines(token) }];
      case "blockquote":
        return blocksOf(known(token.tokens))
          .map((block) => block.kind === "code" ? block : { ...block, prefix: "> " });
      case "list":
        return listBlocks(token, "");
      case "hr":
        return [textBlock(plainRuns(RULE))];
      case "html":
        return [textBlock(plainRuns(token.raw.trim()))];
      default: {
        const children = "tokens" in token ? known(token.tokens) : [];
        return [textBlock(runsOf(children.length > 0 ? children : [token]))];
      }
    }
  }).filter((block) => block.kind === "code" || block.runs.some(({ text }) => text.trim() !== ""));
}

function textBlock(runs: readonly Run[]): Block {
  return { kind: "text", runs, prefix: "" };
}

/** Lines of one list stand together, what takes lines of its own below its item. */
function listBlocks(
  list: Extract<MarkdownToken, { readonly type: "list" }>,
  indent: string,
): readonly Block[] {
  const first = typeof list.start === "number" ? list.start : 1;
  const blocks = list.items.flatMap((item, index) => {
    const bullet = list.ordered ? `${first + index}. ` : item.task ? "" : "- ";
    const box = item.task ? item.checked ? "☑ " : "☐ " : "";
    const inner = known(item.tokens).filter(({ type }) => type !== "checkbox");
    const [head, ...rest] = inner;
    const isBeside = head !== undefined &&
      !["list", "code", "table", "blockquote"].includes(head.type);
    const headRuns = isBeside ? headOf(head) : [];
    const below = (isBeside ? rest : inner).flatMap((token) =>
      token.type === "list" ? listBlocks(token, indent + INDENT) : blocksOf([token])
    );
    return [textBlock([{ text: indent + bullet + box, marks: [] }, ...headRuns]), ...below];
  });
  return together(blocks);
}

function headOf(token: MarkdownToken): readonly Run[] {
  return "tokens" in token ? runsOf(known(token.tokens)) : runsOf([token]);
}

/** Texts that follow each other in a list are lines of one block. */
function together(blocks: readonly Block[]): readonly Block[] {
  const out: Block[] = [];
  let lines: Run[] = [];
  for (const block of blocks) {
    const last = out.at(-1);
    if (last?.kind === "text" && block.kind === "text" && last.prefix === block.prefix) {
      lines.push({ text: "\n", marks: [] }, ...block.runs);
    } else if (block.kind === "text") {
      lines = [...block.runs];
      out.push({ ...block, runs: lines });
    } else {
      out.push(block);
    }
  }
  return out;
}

/** A block as texts that fit. */
function partsOf(block: Block, fits: Fits): readonly string[] {
  if (block.kind === "code") return codeParts(block.lines, fits);
  const { runs, prefix } = block;
  const prefixed = (text: string): string =>
    prefix === "" ? text : text.split("\n").map((line) => prefix + line).join("\n");
  const whole = prefixed(joinRuns(runs));
  if (fits(whole)) return [whole.trimEnd()];
  return cutRuns(runs, { fits: (text) => fits(prefixed(text)), atoms: NO_ATOMS }).map(prefixed);
}

function codeParts(lines: readonly string[], fits: Fits): readonly string[] {
  const parts: string[] = [];
  let rest = lines.map((line) => line.replaceAll(FENCE, FENCE.split("").join(HIDDEN)));
  while (rest.length > 0) {
    const count = largest(rest.length, (many) => fits(fenced(rest.slice(0, many))));
    const [first = "", ...others] = rest;
    if (count === 0) {
      const most = Math.max(
        1,
        largest(first.length, (many) => fits(fenced([first.slice(0, many)]))),
      );
      const end = /[\uD800-\uDBFF]/.test(first[most - 1] ?? "") && most > 1 ? most - 1 : most;
      parts.push(fenced([first.slice(0, end)]));
      rest = end < first.length ? [first.slice(end), ...others] : others;
      continue;
    }
    parts.push(fenced(rest.slice(0, count)));
    rest = rest.slice(count);
  }
  return parts;
}

function fenced(lines: readonly string[]): string {
  return `${FENCE}\n${lines.join("\n")}\n${FENCE}`;
}
