/**
 * Texts as platform messages, rendered once: what is stored is what goes out.
 * @module
 */

import type { MessageBody } from "../api.ts";
import { wholeCard } from "../render/card_json.ts";
import { layOutCards } from "../render/cards.ts";
import { readable } from "../render/escape.ts";
import type { ImageKeys } from "../render/dialect.ts";
import { layOutPosts } from "../render/post.ts";
import { layOutTexts } from "../render/text.ts";
import { chooseForm, holdsTags, type TextForm } from "./format.ts";
import type { PartRecord } from "./state.ts";
import { stableUuid } from "./uuid.ts";

/** What a text is rendered with. */
export interface RenderOptions {
  /** Shows the text as it is. */
  readonly isPlain: boolean;
  /** Keys of uploaded pictures. */
  readonly images: ImageKeys;
}

/**
 * The messages that show `text`.
 *
 * @param key names the delivery in the parts' uuids
 */
export function renderParts(
  key: string,
  text: string,
  { isPlain, images }: RenderOptions,
): readonly PartRecord[] {
  const trimmed = text.trim();
  if (trimmed === "") return [];
  const form = isPlain ? holdsTags(trimmed) ? "post" : "text" : chooseForm(trimmed);
  return bodiesOf(form, trimmed, { isPlain, images }).map(({ content, source }, index) => ({
    form,
    body: content,
    cover: "",
    source,
    name: "",
    uuid: stableUuid(key, index, form),
  }));
}

/** The part in a simpler form, for a platform that refused it; empty when there is none. */
export function simplerParts(part: PartRecord): readonly PartRecord[] {
  const form = SIMPLER[part.form];
  if (form === undefined) return [];
  const source = part.form === "interactive" ? readable(part.source) : part.source;
  return bodiesOf(form, source, { isPlain: false, images: new Map() }).map((body, index) => ({
    form,
    body: body.content,
    cover: "",
    source: body.source,
    name: "",
    uuid: stableUuid(part.uuid, index, form),
  }));
}

const SIMPLER: Readonly<Partial<Record<PartRecord["form"], TextForm>>> = {
  interactive: "post",
  post: "text",
};

/** The part as the platform takes it. */
export function messageOf({ form, body, cover }: PartRecord): MessageBody {
  switch (form) {
    case "text":
    case "post":
    case "interactive":
      return { msgType: form, content: body };
    case "image":
      return { msgType: form, content: JSON.stringify({ image_key: body }) };
    case "file":
    case "audio":
      return { msgType: form, content: JSON.stringify({ file_key: body }) };
    case "media": {
      const content = { file_key: body, ...(cover !== "" && { image_key: cover }) };
      return { msgType: form, content: JSON.stringify(content) };
    }
  }
}

/** The message that shows a card entity. */
export function cardMessage(cardId: string): MessageBody {
  const content = JSON.stringify({ type: "card", data: { card_id: cardId } });
  return { msgType: "interactive", content };
}

function bodiesOf(
  form: TextForm,
  text: string,
  { isPlain, images }: RenderOptions,
): readonly { readonly content: string; readonly source: string }[] {
  switch (form) {
    case "text":
      return layOutTexts(text);
    case "post":
      return layOutPosts(text, isPlain);
    case "interactive":
      return layOutCards(text, images).map(({ markdown, elements }) => ({
        content: wholeCard(elements),
        source: markdown,
      }));
  }
}
