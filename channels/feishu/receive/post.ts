/**
 * Received rich text (`post`) as Markdown: lines stay lines, links keep their targets.
 * @module
 */

import { z } from "zod";
import { EVERYBODY_KEY } from "./mentions.ts";
import { type Part, resourcePart } from "./parts.ts";

/** Whatever one element gets wrong, the others are read. */
const text = z.string().catch("");

const fieldsSchema = z.object({
  tag: text,
  text,
  content: text,
  href: text,
  user_id: text,
  user_name: text,
  language: text,
  emoji_type: text,
  image_key: text,
  file_key: text,
  file_name: text,
});

const NOTHING: PostElement = fieldsSchema.parse({});

const elementSchema: z.ZodType<PostElement> = z.union([
  fieldsSchema,
  z.string().transform((words) => ({ ...NOTHING, tag: "text", text: words })),
]).catch(NOTHING);

const lineSchema = z.union([
  z.array(elementSchema),
  elementSchema.transform((element) => [element]),
]);

const bodySchema = z.object({ title: text, content: z.array(lineSchema) });

type PostBody = z.infer<typeof bodySchema>;
type PostElement = z.infer<typeof fieldsSchema>;

/** Languages in the order in which a post's versions are tried; then any other. */
const LANGUAGES: readonly string[] = ["zh_cn", "en_us", "ja_jp"];

/**
 * The parts of a post, mentions as their placeholders; none when there is nothing in it.
 *
 * @param content the decoded content, in any of the platform's shapes: the body itself, the body
 *   by language, or either below `post`
 * @param mentionKeys placeholders that the message's mention list explains
 */
export function readPost(content: unknown, mentionKeys: ReadonlySet<string>): readonly Part[] {
  for (const candidate of candidatesOf(content)) {
    const body = bodySchema.safeParse(candidate);
    if (!body.success) continue;
    const read = partsOf(body.data, mentionKeys);
    if (read.length > 0) return read;
  }
  return [];
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

function partsOf(body: PostBody, mentionKeys: ReadonlySet<string>): readonly Part[] {
  const title: Part = { type: "text", text: body.title };
  const lines = body.content.map((line) => line.map((element) => partOf(element, mentionKeys)));
  const all = body.title === "" ? lines : [[title], ...lines];
  return trimmed(joinLines(all));
}

/** The lines' parts with line ends between them; neighbouring texts become one. */
function joinLines(lines: readonly (readonly Part[])[]): Part[] {
  const joined: Part[] = [];
  const add = (part: Part): void => {
    const last = joined.at(-1);
    if (part.type === "text" && last?.type === "text") {
      joined[joined.length - 1] = { type: "text", text: last.text + part.text };
    } else if (part.type !== "text" || part.text !== "") joined.push(part);
  };
  for (const [index, line] of lines.entries()) {
    if (index > 0) add({ type: "text", text: "\n" });
    for (const part of line) add(part);
  }
  return joined;
}

/** Without blanks at both ends. */
function trimmed(parts: readonly Part[]): readonly Part[] {
  const last = parts.length - 1;
  return parts.map((part, index): Part => {
    if (part.type !== "text") return part;
    const start = index === 0 ? part.text.trimStart() : part.text;
    return { type: "text", text: index === last ? start.trimEnd() : start };
  }).filter((part) => part.type !== "text" || part.text !== "");
}

function partOf(element: PostElement, mentionKeys: ReadonlySet<string>): Part {
  switch (element.tag) {
    case "img":
      if (element.image_key === "") break;
      return resourcePart("image", { key: element.image_key });
    case "media":
      if (element.file_key === "") break;
      return resourcePart("video", {
        key: element.file_key,
        name: element.file_name,
        coverKey: element.image_key,
      });
  }
  return { type: "text", text: elementText(element, mentionKeys) };
}

function elementText(element: PostElement, mentionKeys: ReadonlySet<string>): string {
  switch (element.tag) {
    case "a":
      if (element.href === "") return element.text;
      return `[${element.text || element.href}](${element.href})`;
    case "at":
      return mentionText(element, mentionKeys);
    case "code_block":
      return codeBlock(element);
    case "img":
      return "[image]";
    case "media":
      return "[video]";
    case "emotion":
      return element.emoji_type === "" ? element.text : `[${element.emoji_type}]`;
    case "hr":
      return "---";
    default:
      return element.text || element.content;
  }
}

/** Fenced so that no run of back-ticks in the code ends it. */
function codeBlock({ text: code, language }: PostElement): string {
  const runs = code.match(/`+/g) ?? [];
  const fence = "`".repeat(Math.max(3, ...runs.map((run) => run.length + 1)));
  return `${fence}${language.toLowerCase()}\n${code.replace(/\n$/, "")}\n${fence}`;
}

function mentionText(element: PostElement, mentionKeys: ReadonlySet<string>): string {
  if (element.user_id === "all" || element.user_id === EVERYBODY_KEY) return EVERYBODY_KEY;
  if (mentionKeys.has(element.user_id)) return element.user_id;
  return `@${element.user_name || element.text.replace(/^@/, "") || "user"}`;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
