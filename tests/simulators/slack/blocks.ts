/**
 * Block Kit as far as bots use it here: what Slack would refuse is refused, and what it shows is
 * told.
 * @module
 */

import { z } from "zod";

/** How a piece of text looks. */
export interface Style {
  readonly bold?: boolean | undefined;
  readonly italic?: boolean | undefined;
  readonly strike?: boolean | undefined;
  readonly code?: boolean | undefined;
}

/** A piece inside of a line. */
export type Inline =
  | { readonly type: "text"; readonly text: string; readonly style?: Style | undefined }
  | {
    readonly type: "link";
    readonly url: string;
    readonly text?: string | undefined;
    readonly style?: Style | undefined;
  }
  | { readonly type: "user"; readonly user_id: string }
  | { readonly type: "channel"; readonly channel_id: string };

/** A line, or lines of one kind. */
export type Element =
  | {
    readonly type: "rich_text_section" | "rich_text_quote" | "rich_text_preformatted";
    readonly elements: readonly Inline[];
  }
  | {
    readonly type: "rich_text_list";
    readonly style: "bullet" | "ordered";
    readonly indent: number;
    readonly offset?: number | undefined;
    readonly elements: readonly { readonly elements: readonly Inline[] }[];
  };

/** A button. */
export interface Button {
  readonly type: "button";
  readonly action_id: string;
  readonly text: { readonly type: "plain_text"; readonly text: string };
  readonly value: string;
}

/** Blocks that Slack takes. */
export type Blocks = readonly (
  | { readonly type: "rich_text"; readonly elements: readonly Element[] }
  | { readonly type: "actions"; readonly block_id: string; readonly elements: readonly Button[] }
)[];

const style = z.strictObject({
  bold: z.boolean().optional(),
  italic: z.boolean().optional(),
  strike: z.boolean().optional(),
  code: z.boolean().optional(),
}).optional();

const inline = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("text"), text: z.string().min(1), style }),
  z.strictObject({
    type: z.literal("link"),
    url: z.url(),
    text: z.string().min(1).optional(),
    style,
  }),
  z.strictObject({ type: z.literal("user"), user_id: z.string().regex(/^[UW][A-Z0-9]+$/) }),
  z.strictObject({ type: z.literal("channel"), channel_id: z.string().regex(/^C[A-Z0-9]+$/) }),
]);

const section = z.strictObject({
  type: z.literal("rich_text_section"),
  elements: z.array(inline),
});

const element = z.discriminatedUnion("type", [
  section,
  z.strictObject({ type: z.literal("rich_text_quote"), elements: z.array(inline).min(1) }),
  z.strictObject({
    type: z.literal("rich_text_preformatted"),
    elements: z.array(
      z.strictObject({ type: z.literal("text"), text: z.string().min(1) }),
    ).min(1),
  }),
  z.strictObject({
    type: z.literal("rich_text_list"),
    style: z.enum(["bullet", "ordered"]),
    indent: z.int().min(0).max(8),
    offset: z.int().min(1).optional(),
    elements: z.array(section).min(1),
  }),
]);

const actions = z.strictObject({
  type: z.literal("actions"),
  block_id: z.string().min(1).max(255),
  elements: z.array(z.strictObject({
    type: z.literal("button"),
    action_id: z.string().min(1).max(255),
    text: z.strictObject({ type: z.literal("plain_text"), text: z.string().min(1).max(75) }),
    value: z.string().min(1).max(2_000),
  })).min(1).max(25).refine(
    (buttons) => new Set(buttons.map(({ action_id: id }) => id)).size === buttons.length,
    "an action_id stands twice",
  ),
});

/** The blocks of a message. */
export const blocksSchema: z.ZodType<Blocks> = z.array(z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("rich_text"), elements: z.array(element).min(1) }),
  actions,
])).max(50).refine((blocks) => {
  const ids = blocks.flatMap((block) => block.type === "actions" ? [block.block_id] : []);
  return new Set(ids).size === ids.length;
}, "a block_id stands twice");

/** The buttons of a message. */
export function buttonsIn(blocks: Blocks): readonly Button[] {
  return blocks.flatMap((block) => block.type === "actions" ? block.elements : []);
}

/** What people see of blocks. */
export interface Seen {
  readonly text: string;
  /** The code blocks, each as it looks. */
  readonly code: readonly string[];
}

/** What people see of a message's blocks. @param nameOf of people and channels */
export function seenIn(blocks: Blocks, nameOf: (id: string) => string): Seen {
  const elements = blocks.flatMap((block) => block.type === "rich_text" ? block.elements : []);
  return {
    text: elements.map((one) => words(one, nameOf)).join("\n"),
    code: elements.filter(({ type }) => type === "rich_text_preformatted")
      .map((one) => words(one, nameOf)),
  };
}

function words(one: Element, nameOf: (id: string) => string): string {
  if (one.type !== "rich_text_list") {
    return one.elements.map((piece) => inlineWords(piece, nameOf)).join("");
  }
  return one.elements.map((item, index) => {
    const mark = one.style === "bullet" ? "•" : `${(one.offset ?? 0) + index + 1}.`;
    const text = item.elements.map((piece) => inlineWords(piece, nameOf)).join("");
    return `${"    ".repeat(one.indent)}${mark} ${text}`;
  }).join("\n");
}

function inlineWords(piece: Inline, nameOf: (id: string) => string): string {
  switch (piece.type) {
    case "text":
      return piece.text;
    case "link":
      return piece.text ?? piece.url;
    case "user":
      return `@${nameOf(piece.user_id)}`;
    case "channel":
      return `#${nameOf(piece.channel_id)}`;
  }
}
