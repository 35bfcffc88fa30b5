/**
 * What a server answered, as a result for the model: texts between markers that say whose they
 * are, pictures as pictures, and a word about what cannot be shown.
 * @module
 */

import type { ContentBlock } from "../../../providers/provider.ts";
import type { JsonObject } from "../../kernel/json.ts";
import { sniffImage } from "../image_kind.ts";
import type { ToolResult } from "../tool.ts";
import { markUntrusted } from "../untrusted.ts";
import type { McpAnswer, McpContent, McpResourceBody } from "./wire.ts";

/** What is kept of an answer; the turn spills what is too long for the conversation to a file. */
const TEXT_CHARS_MAX = 2_000_000;
/** Characters of a picture that tell its kind. */
const HEAD_CHARS = 64;
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

/** The result of a use; `server` is named as the source. */
export function callResult(answer: McpAnswer, server: string): ToolResult {
  const { isError } = answer;
  const texts: string[] = [];
  const images: ContentBlock[] = [];
  for (const content of answer.content) {
    const image = imageOf(content);
    if (image === undefined) texts.push(textOf(content));
    else images.push(image);
  }
  const data = answer.structured;
  if (data !== null && !isSaidIn(data, texts)) texts.push(JSON.stringify(data, null, 2));
  const said = texts.join("\n");
  const text = said.trim() === "" && !isError ? "" : marked(said, server);
  const whole = isError ? `Error: the tool reports a failure\n${text}` : text;
  if (images.length === 0) return { content: whole, isError };
  const words: ContentBlock[] = whole === "" ? [] : [{ type: "text", text: whole }];
  return { content: [...words, ...images], isError };
}

function marked(text: string, server: string): string {
  const kept = text.slice(0, TEXT_CHARS_MAX);
  const rest = text.length - kept.length;
  const note = rest === 0 ? "" : `\n(${rest} characters more were not kept)`;
  return `${markUntrusted(kept, `MCP server ${server}`)}${note}`;
}

function textOf(content: McpContent): string {
  switch (content.type) {
    case "text":
      return content.text;
    case "image":
    case "audio":
      return `(${content.type}, ${content.mimeType || "unknown kind"}, ` +
        `${bytesIn(content.data)} bytes: not shown)`;
    case "resource":
      return resourceText(content.resource);
    case "resource_link": {
      const { name, uri, description } = content;
      return `(resource ${name}: ${uri}${description === "" ? "" : `, ${description}`})`;
    }
    case "other":
      return `(content of kind "${content.kind}": not shown)`;
  }
}

function resourceText({ uri, mimeType, text, blob }: McpResourceBody): string {
  const title = `[${uri}${mimeType === "" ? "" : `, ${mimeType}`}]`;
  if (text !== undefined) return `${title}\n${text}`;
  return `${title}\n(${bytesIn(blob ?? "")} bytes of data: not shown)`;
}

function imageOf(content: McpContent): ContentBlock | undefined {
  if (content.type === "image") return image(content.data);
  if (content.type !== "resource") return undefined;
  const { blob = "", mimeType } = content.resource;
  return /^image\//i.test(mimeType) ? image(blob) : undefined;
}

/** What begins like a picture of a kind that models take, whatever it is said to be. */
function image(base64: string): ContentBlock | undefined {
  const data = base64.replaceAll(/\s/g, "");
  if (data === "" || !BASE64.test(data)) return undefined;
  const kind = sniffImage(headOf(data));
  if (kind === undefined) return undefined;
  return { type: "image_url", image_url: { url: `data:${kind};base64,${data}` } };
}

function headOf(base64: string): Uint8Array {
  try {
    return Uint8Array.fromBase64(base64.slice(0, HEAD_CHARS));
  } catch {
    return new Uint8Array(); // letters in a number that means no bytes
  }
}

/** Servers repeat their data as a text for clients that know no data. */
function isSaidIn(data: JsonObject, texts: readonly string[]): boolean {
  const wanted = JSON.stringify(data);
  return texts.some((text) => {
    try {
      return JSON.stringify(JSON.parse(text)) === wanted;
    } catch {
      return false;
    }
  });
}

function bytesIn(base64: string): number {
  return Math.floor(base64.replaceAll(/[\s=]/g, "").length * 3 / 4);
}
