/**
 * Rich text, Slack's own form of formatted messages: nothing in it is a mark, so whatever stands in
 * a text is shown as it is. Only what we write is described here.
 * @module
 */

import { asJson, type JsonObject } from "../../../actors/kernel/json.ts";

/** How a piece of text looks. */
export interface Style {
  readonly bold?: true;
  readonly italic?: true;
  readonly strike?: true;
  readonly code?: true;
}

/** A piece inside of a line. */
export type Inline =
  | { readonly type: "text"; readonly text: string; readonly style?: Style }
  | {
    readonly type: "link";
    readonly url: string;
    readonly text: string;
    readonly style?: Style;
  }
  | { readonly type: "user"; readonly user_id: string }
  | { readonly type: "channel"; readonly channel_id: string };

/** Something that takes lines of its own. */
export type Block =
  | { readonly type: "rich_text_section"; readonly elements: readonly Inline[] }
  | { readonly type: "rich_text_quote"; readonly elements: readonly Inline[] }
  | { readonly type: "rich_text_preformatted"; readonly elements: readonly Inline[] }
  | {
    readonly type: "rich_text_list";
    readonly style: "bullet" | "ordered";
    readonly indent: number;
    /** Items of the same list before this one. */
    readonly offset: number;
    readonly items: readonly (readonly Inline[])[];
  };

/** Lists deeper than that are shown at this depth; Slack takes eight. */
export const INDENT_MAX = 8;

/** A message's `blocks` for these. */
export function richText(blocks: readonly Block[]): readonly JsonObject[] {
  return [{ type: "rich_text", elements: blocks.map(elementOf) }];
}

function elementOf(block: Block): JsonObject {
  if (block.type !== "rich_text_list") {
    return { type: block.type, elements: block.elements.map(inlineOf) };
  }
  const { type, style, indent, offset, items } = block;
  return {
    type,
    style,
    indent,
    ...(offset > 0 && { offset }),
    elements: items.map((item) => ({
      type: "rich_text_section",
      elements: item.map(inlineOf),
    })),
  };
}

function inlineOf(inline: Inline): JsonObject {
  return asJson({ ...inline });
}

/** The words of a piece. */
export function inlineWords(inline: Inline): string {
  switch (inline.type) {
    case "text":
    case "link":
      return inline.text;
    case "user":
      return `@${inline.user_id}`;
    case "channel":
      return `#${inline.channel_id}`;
  }
}

/** The words of blocks, for notices and for a Slack that does not take the blocks. */
export function blockWords(blocks: readonly Block[]): string {
  return blocks.map((block) => {
    if (block.type !== "rich_text_list") return block.elements.map(inlineWords).join("");
    const { style, indent, offset, items } = block;
    return items.map((item, index) => {
      const marker = style === "bullet" ? "•" : `${offset + index + 1}.`;
      return `${"    ".repeat(indent)}${marker} ${item.map(inlineWords).join("")}`;
    }).join("\n");
  }).join("\n");
}

/** `text` with the three characters that mean something to Slack replaced. */
export function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
