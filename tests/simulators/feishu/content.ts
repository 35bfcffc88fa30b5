/**
 * What a message may hold when the bot sends it: type, shape, size, known keys.
 * @module
 */

import { z } from "zod";
import { asNode, cardBytes, type CardLimits, checkCard } from "./card_json.ts";
import type { CardEntity } from "./card_entity.ts";
import { parseJsonOrRefuse, parseOrRefuse, Refusal } from "./refusal.ts";
import type { World } from "./world.ts";

const TEXT_BYTES_MAX = 150 * 1024;
const POST_BYTES_MAX = 30 * 1024;
const BAD_PARAMETER = 230001;

const textSchema = z.object({ text: z.string().min(1) });
const postElementSchema = z.looseObject({
  tag: z.enum(["text", "a", "at", "img", "media", "emotion", "hr", "code_block", "md"]),
});
const postSchema = z.record(
  z.string().regex(/^[a-z]{2}_[a-z]{2}$/),
  z.object({
    title: z.string().optional(),
    content: z.array(z.array(postElementSchema)),
  }),
).refine((post) => Object.keys(post).length > 0, "no language");
const imageSchema = z.object({ image_key: z.string() });
const fileSchema = z.object({ file_key: z.string() });
const mediaSchema = z.object({ file_key: z.string(), image_key: z.string().optional() });
const cardReferenceSchema = z.object({
  type: z.literal("card"),
  data: z.object({ card_id: z.string() }),
});
const dividerSchema = z.object({
  type: z.literal("divider"),
  params: z.object({ divider_text: z.object({ text: z.string() }) }),
});

/** A content that passed: what to keep, and the entity it shows if it does. */
export interface CheckedContent {
  readonly content: string;
  readonly card: CardEntity | undefined;
}

/**
 * Checks a content against its type.
 *
 * @throws {Refusal}
 */
export function checkContent(
  msgType: string,
  content: string,
  world: World,
  limits: CardLimits,
): CheckedContent {
  const value = parseJsonOrRefuse(content, "content", BAD_PARAMETER);
  switch (msgType) {
    case "text":
      parseOrRefuse(textSchema, value, BAD_PARAMETER);
      refuseAbove(content, TEXT_BYTES_MAX);
      break;
    case "post":
      parseOrRefuse(postSchema, value, BAD_PARAMETER);
      refuseAbove(content, POST_BYTES_MAX);
      break;
    case "image":
      knownFile(parseOrRefuse(imageSchema, value, BAD_PARAMETER).image_key, ["image"], world);
      break;
    case "audio":
      knownFile(parseOrRefuse(fileSchema, value, BAD_PARAMETER).file_key, ["opus"], world);
      break;
    case "media": {
      const media = parseOrRefuse(mediaSchema, value, BAD_PARAMETER);
      knownFile(media.file_key, ["mp4"], world);
      if (media.image_key !== undefined) knownFile(media.image_key, ["image"], world);
      break;
    }
    case "file": {
      const types = ["pdf", "doc", "xls", "ppt", "stream"];
      knownFile(parseOrRefuse(fileSchema, value, BAD_PARAMETER).file_key, types, world);
      break;
    }
    case "interactive":
      return { content, card: checkCardContent(value, world, limits) };
    case "system":
      parseOrRefuse(dividerSchema, value, BAD_PARAMETER);
      break;
    default:
      throw new Refusal(BAD_PARAMETER, `invalid msg_type ${msgType}`);
  }
  return { content, card: undefined };
}

function checkCardContent(
  value: unknown,
  world: World,
  limits: CardLimits,
): CardEntity | undefined {
  const card = asNode(value);
  if (card === undefined) throw new Refusal(BAD_PARAMETER, "content is no card");
  if (card["type"] === "template") return undefined;
  if (card["type"] === "card") {
    const { data } = parseOrRefuse(cardReferenceSchema, value, BAD_PARAMETER);
    const entity = world.cards.get(data.card_id);
    if (entity === undefined) {
      throw new Refusal(
        230099,
        "Failed to create card content, ext=ErrCode: 200740; ErrMsg: no card",
      );
    }
    if (entity.messageId !== undefined) {
      throw new Refusal(230099, "Failed to create card content: a card entity is sent only once");
    }
    return entity;
  }
  if (!Array.isArray(card["elements"]) && asNode(card["body"]) === undefined) {
    throw new Refusal(230099, "Failed to create card content, ext=ErrCode: 200621; ErrMsg: parse");
  }
  checkCard(card, limits);
  if (cardBytes(card) > limits.bytesMax) throw tooLong();
  return undefined;
}

function knownFile(key: string, types: readonly string[], world: World): void {
  const file = world.files.get(key);
  if (file === undefined) throw new Refusal(BAD_PARAMETER, `unknown key ${key}`);
  if (!types.includes(file.type)) {
    const text = "The type of file upload does not match the type of message being sent";
    throw new Refusal(230055, `${text}: ${file.type}`);
  }
}

function refuseAbove(content: string, bytesMax: number): void {
  if (new TextEncoder().encode(content).length > bytesMax) throw tooLong();
}

function tooLong(): Refusal {
  return new Refusal(230025, "The length of the message content reaches its limit");
}
