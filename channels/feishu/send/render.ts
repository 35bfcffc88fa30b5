/**
 * Texts as platform messages: split at the limits, in the form that suits them.
 * @module
 */

import type { MessageBody } from "../api.ts";
import { chooseForm, type TextForm } from "./format.ts";
import { type SplitLimits, splitMarkdown, splitPlain } from "./split.ts";
import type { PartRecord } from "./state.ts";
import { stableUuid } from "./uuid.ts";

/** The platform takes 150 KB of text (seen refused just below), counted in whole. */
const TEXT_BYTES_MAX = 120_000;
/** The platform takes 30 KB; a line of a post brings its own frame. */
const POST_BYTES_MAX = 14_000;
/** A card of 30 KB, less its frame and a margin; more than five tables are refused. */
export const CARD_LIMITS: SplitLimits = { bytesMax: 27_000, tablesMax: 5 };

/** The element of a streaming card that holds the text. */
export const ANSWER_ELEMENT_ID = "answer";

const SUMMARY_CHARS_MAX = 80;
const CODE = /(```[\s\S]*?(?:```|$)|`[^`\n]+`)/;
const IMAGE_BY_URL = /!\[([^\]\n]*)\]\((https?:\/\/[^)\s]+)\)/g;
const LINK = /\[([^\]\n]+)\]\((https?:\/\/[^)\s]+)\)/g;

/**
 * The messages that show `text`.
 *
 * @param key names the delivery in the parts' uuids
 * @param isPlain shows the text as it is
 */
export function renderParts(key: string, text: string, isPlain: boolean): readonly PartRecord[] {
  const trimmed = text.trim();
  if (trimmed === "") return [];
  const form = isPlain ? "text" : chooseForm(trimmed);
  return splitFor(form, trimmed).map((body, index) => ({
    form,
    body,
    name: "",
    uuid: stableUuid(key, index, form),
  }));
}

/** The part in a simpler form, for a platform that refused it; empty when there is none. */
export function simplerParts(part: PartRecord): readonly PartRecord[] {
  const form = SIMPLER[part.form];
  if (form === undefined) return [];
  return splitFor(form, part.body).map((body, index) => ({
    form,
    body,
    name: "",
    uuid: stableUuid(part.uuid, index, form),
  }));
}

const SIMPLER: Readonly<Partial<Record<PartRecord["form"], TextForm>>> = {
  interactive: "post",
  post: "text",
};

/** The part as the platform takes it. */
export function renderPart(part: PartRecord): MessageBody {
  const { form, body } = part;
  switch (form) {
    case "text":
      return { msgType: form, content: JSON.stringify({ text: body }) };
    case "post":
      return { msgType: form, content: JSON.stringify({ zh_cn: { content: postLines(body) } }) };
    case "interactive":
      return { msgType: form, content: JSON.stringify(cardOf(cardMarkdown(body), {})) };
    case "image":
      return { msgType: form, content: JSON.stringify({ image_key: body }) };
    case "file":
    case "audio":
    case "media":
      return { msgType: form, content: JSON.stringify({ file_key: body }) };
  }
}

/** The source of a card entity whose text will grow. */
export function streamingCard(text: string): string {
  return JSON.stringify(cardOf(text, { streaming_mode: true }));
}

/** The message that shows a card entity. */
export function cardMessage(cardId: string): MessageBody {
  const content = JSON.stringify({ type: "card", data: { card_id: cardId } });
  return { msgType: "interactive", content };
}

/** Markdown as cards show it: pictures by address, which cards refuse, become links. */
export function cardMarkdown(text: string): string {
  return text.split(CODE)
    .map((piece, index) => index % 2 === 1 ? piece : piece.replace(IMAGE_BY_URL, imageLink))
    .join("");
}

/** One line that stands for the text in the list of chats. */
export function summaryOf(text: string): string {
  const line = text.split("\n").map((candidate) => candidate.replace(/[#*_~`>|]/g, "").trim())
    .find((candidate) => candidate !== "") ?? "";
  const characters = [...line];
  if (characters.length <= SUMMARY_CHARS_MAX) return line;
  return `${characters.slice(0, SUMMARY_CHARS_MAX - 1).join("")}…`;
}

function imageLink(_image: string, alt: string, url: string): string {
  return `[${alt === "" ? "image" : alt}](${url})`;
}

function splitFor(form: TextForm, text: string): readonly string[] {
  switch (form) {
    case "text":
      return splitPlain(text, TEXT_BYTES_MAX);
    case "post":
      return splitPlain(text, POST_BYTES_MAX);
    case "interactive":
      return splitMarkdown(text, CARD_LIMITS);
  }
}

function cardOf(text: string, config: Readonly<Record<string, unknown>>): unknown {
  return {
    schema: "2.0",
    config: { update_multi: true, width_mode: "fill", ...config },
    body: { elements: [{ tag: "markdown", content: text, element_id: ANSWER_ELEMENT_ID }] },
  };
}

type PostElement =
  | { readonly tag: "text"; readonly text: string }
  | { readonly tag: "a"; readonly text: string; readonly href: string };

function postLines(text: string): readonly (readonly PostElement[])[] {
  return text.split("\n").map((line) => postElements(line));
}

function postElements(line: string): readonly PostElement[] {
  const elements: PostElement[] = [];
  let end = 0;
  for (const link of line.matchAll(LINK)) {
    if (link.index > end) elements.push({ tag: "text", text: line.slice(end, link.index) });
    elements.push({ tag: "a", text: link[1] ?? "", href: link[2] ?? "" });
    end = link.index + link[0].length;
  }
  if (end < line.length || elements.length === 0) {
    elements.push({ tag: "text", text: line.slice(end) });
  }
  return elements;
}
