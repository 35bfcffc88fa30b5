/**
 * What a received message says, from its type and content alone.
 * @module
 */

import { z } from "zod";
import { decodeJson, type Mention } from "../wire.ts";
import { readCard } from "./card.ts";
import { readNotice } from "./notices.ts";
import { bracketed } from "../../media/bracketed.ts";
import { type Part, type Resource, resourcePart, textParts } from "./parts.ts";
import { readPost } from "./post.ts";

/** Content is made by people and their programs: what has another shape counts as left out. */
const text = z.string().catch("");

const contentSchema = z.object({
  text,
  image_key: text,
  file_key: text,
  file_name: text,
}).catch({ text: "", image_key: "", file_key: "", file_name: "" });

/**
 * The parts of a message, mentions still as their placeholders. Never throws.
 *
 * @param messageType the platform's `message_type`
 * @param content JSON text; what is no JSON counts as empty
 * @param mentions whose placeholders may stand in it
 */
export function readContent(
  messageType: string,
  content: string,
  mentions: readonly Mention[],
): readonly Part[] {
  const decoded = decodeJson(content);
  const fields = contentSchema.parse(decoded);
  switch (messageType) {
    case "text":
      return textParts(fields.text);
    case "post":
      return readPost(decoded, new Set(mentions.map((mention) => mention.key)));
    case "interactive":
      return textParts(readCard(decoded ?? content) || "[interactive]");
    case "merge_forward":
      return [{ type: "bundle" }];
    case "image":
      return fields.image_key === ""
        ? textParts("[image: download failed]")
        : [resourcePart("image", { key: fields.image_key })];
    case "audio":
      return fileParts("audio", fields);
    case "media":
      return fileParts("video", fields);
    case "file":
      return fileParts("file", fields);
    default:
      return textParts(readNotice(messageType, decoded));
  }
}

function fileParts(
  kind: Resource["kind"],
  { file_key: key, file_name: name, image_key: coverKey }: z.infer<typeof contentSchema>,
): readonly Part[] {
  if (key !== "") return [resourcePart(kind, { key, name, coverKey })];
  return textParts(bracketed(kind, `${name} missing file_key`));
}
