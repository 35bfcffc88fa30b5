/**
 * Received rich text (`post`) as Markdown: lines stay lines, links keep their targets.
 * @module
 */

import { z } from "zod";
import { EVERYBODY_KEY } from "./mentions.ts";

const text = z.string().nullish().transform((value) => value ?? "");

const elementSchema = z.object({
  tag: text,
  text,
  href: text,
  user_id: text,
  user_name: text,
  language: text,
  emoji_type: text,
});

const bodySchema = z.object({
  title: text,
  content: z.array(z.array(elementSchema).nullish().transform((line) => line ?? [])),
});

type PostBody = z.infer<typeof bodySchema>;
type PostElement = z.infer<typeof elementSchema>;

/** Languages in the order in which a post's versions are tried; then any other. */
const LANGUAGES: readonly string[] = ["zh_cn", "en_us", "ja_jp"];

/**
 * The text of a post, mentions as their placeholders; "" when there is none.
 *
 * @param content the decoded content, in any of the platform's shapes: the body itself, the body
 *   by language, or either below `post`
 * @param mentionKeys placeholders that the message's mention list explains
 */
export function readPost(content: unknown, mentionKeys: ReadonlySet<string>): string {
  for (const candidate of candidatesOf(content)) {
    const body = bodySchema.safeParse(candidate);
    if (!body.success) continue;
    const read = textOf(body.data, mentionKeys);
    if (read !== "") return read;
  }
  return "";
}

function* candidatesOf(content: unknown): Generator<unknown> {
  if (!isRecord(content)) return;
  yield content;
  for (const language of LANGUAGES) yield content[language];
  for (const [key, child] of Object.entries(content)) {
    if (key !== "post" && isRecord(child)) yield child;
  }
  yield* candidatesOf(content["post"]);
}

function textOf(body: PostBody, mentionKeys: ReadonlySet<string>): string {
  const lines = body.content.map((line) =>
    line.map((element) => elementText(element, mentionKeys)).join("")
  );
  return [body.title, ...lines].join("\n").trim();
}

function elementText(element: PostElement, mentionKeys: ReadonlySet<string>): string {
  switch (element.tag) {
    case "text":
    case "md":
      return element.text;
    case "a":
      return element.href === "" ? element.text : `[${element.text}](${element.href})`;
    case "at":
      return mentionText(element, mentionKeys);
    case "code_block":
      return `\`\`\`${element.language.toLowerCase()}\n${element.text.replace(/\n$/, "")}\n\`\`\``;
    case "img":
      return "[image]";
    case "media":
      return "[media]";
    case "emotion":
      return `[${element.emoji_type}]`;
    case "hr":
      return "---";
    default:
      return "";
  }
}

function mentionText(element: PostElement, mentionKeys: ReadonlySet<string>): string {
  if (element.user_id === "all" || element.user_id === EVERYBODY_KEY) return EVERYBODY_KEY;
  if (mentionKeys.has(element.user_id)) return element.user_id;
  return `@${element.user_name || "user"}`;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
