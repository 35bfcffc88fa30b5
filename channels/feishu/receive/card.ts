/**
 * Received cards as text, a line for each thing that a person reads. Cards come as the platform
 * simplifies them (rows of elements), as they were authored (flat lists), in JSON 2.0 (`body`),
 * and as JSON text inside of each other.
 * @module
 */

import { z } from "zod";
import { decodeJson } from "../wire.ts";
import { readTable } from "./card_table.ts";

/** Deeper nesting is left out; real cards need about six levels. */
const DEPTH_MAX = 24;

const textSchema = z.string().catch("");
const nodeSchema = z.record(z.string(), z.unknown());
type Node = z.infer<typeof nodeSchema>;

/** Where elements have children, in the order in which they are shown. */
const CHILD_KEYS: readonly string[] = [
  "text",
  "fields",
  "columns",
  "elements",
  "actions",
  "items",
  "extra",
  "body",
  "card",
];
/** Where a card's content stands, beside its title. */
const CARD_KEYS: readonly string[] = ["elements", "body", "card", "data"];
/** A card by language: the first that says something counts. */
const LANGUAGES: readonly string[] = ["zh_cn", "en_us", "ja_jp"];
/** Tags whose words are pieces of a line. */
const INLINE_TAGS: ReadonlySet<string> = new Set(["text", "a", "at", "emotion"]);

/** The text of a card; "" when it shows none. */
export function readCard(content: unknown): string {
  const lines = linesOfCard(content, 0).map((line) => line.trimEnd());
  return lines.filter((line) => line.trim() !== "").join("\n").trim();
}

function linesOfCard(content: unknown, depth: number): string[] {
  if (depth > DEPTH_MAX) return [];
  if (typeof content === "string") {
    const decoded = decodeJson(content);
    const isMore = typeof decoded === "string" || (typeof decoded === "object" && decoded !== null);
    return isMore ? linesOfCard(decoded, depth + 1) : [content];
  }
  if (Array.isArray(content)) return linesOf(content, depth + 1);
  const card = nodeSchema.safeParse(content).data;
  if (card === undefined) return [];
  // The author's own source says all that the simplified view says, and more.
  const source = linesOfCard(card["user_dsl"] ?? null, depth + 1);
  if (source.some((line) => line.trim() !== "")) return source;
  const title = wordsOf(card["title"]) || titleOf(card["header"]);
  return [
    ...(title === "" ? [] : [`title: ${title}`]),
    ...CARD_KEYS.flatMap((key) =>
      key === "card" || key === "data"
        ? linesOfCard(card[key] ?? null, depth + 1)
        : linesOf(card[key], depth + 1)
    ),
    ...linesOfLanguage(card["i18n_elements"], depth + 1),
    // What is shown as a card may be a single element.
    ...("tag" in card ? linesOf(card, depth + 1) : []),
  ];
}

function linesOfLanguage(value: unknown, depth: number): string[] {
  const byLanguage = nodeSchema.safeParse(value).data ?? {};
  const others = Object.keys(byLanguage).filter((language) => !LANGUAGES.includes(language));
  const versions = [...LANGUAGES, ...others].map((language) =>
    linesOf(byLanguage[language], depth + 1)
  );
  return versions.find((lines) => lines.length > 0) ?? [];
}

function titleOf(header: unknown): string {
  const { title, subtitle } = nodeSchema.safeParse(header).data ?? {};
  return [wordsOf(title), wordsOf(subtitle)].filter((words) => words !== "").join(" — ");
}

function linesOf(value: unknown, depth: number): string[] {
  if (depth > DEPTH_MAX) return [];
  if (typeof value === "string") return [value];
  if (Array.isArray(value)) return linesOfList(value, depth);
  const node = nodeSchema.safeParse(value).data;
  return node === undefined ? [] : linesOfNode(node, depth);
}

/** Inline elements that follow each other are one line: that is how a row is made. */
function linesOfList(list: readonly unknown[], depth: number): string[] {
  const lines: string[] = [];
  let inline: string[] = [];
  const endLine = (): void => {
    if (inline.length > 0) lines.push(inline.join(" "));
    inline = [];
  };
  for (const item of list) {
    const tag = textSchema.parse(nodeSchema.safeParse(item).data?.["tag"]);
    const own = linesOf(item, depth + 1);
    if (INLINE_TAGS.has(tag)) inline.push(...own);
    else {
      endLine();
      lines.push(...own);
    }
  }
  endLine();
  return lines;
}

function linesOfNode(node: Node, depth: number): string[] {
  switch (node["tag"]) {
    case "a":
      return [link(wordsOf(node["text"]) || wordsOf(node["content"]), urlOf(node))];
    case "at":
      return [`@${wordsOf(node["user_name"]) || wordsOf(node["text"]) || "user"}`];
    case "img":
      return [wordsOf(node["alt"]) || wordsOf(node["title"]) || "[image]"];
    case "hr":
      return ["---"];
    case "emotion":
      return [`[${wordsOf(node["emoji_type"]) || "emotion"}]`];
    case "table":
      return readTable(node);
    case "button":
      return [buttonText(node), ...childLines(node, ["elements"], depth)];
    case "select_static":
    case "multi_select_static":
    case "select_person":
    case "overflow":
    case "checker":
      return [...choiceLines(node), ...childLines(node, ["elements"], depth)];
    default:
      return [...wordLines(node), ...childLines(node, CHILD_KEYS, depth)];
  }
}

/** An element's own words; those of `text` come with its children unless they are plain. */
function wordLines(node: Node): string[] {
  const title = wordsOf(node["title"]) || titleOf(node["header"]);
  const content = wordsOf(node["content"]);
  const placeholder = wordsOf(node["placeholder"]);
  return [title, content, placeholder].filter((words) => words !== "");
}

function childLines(node: Node, keys: readonly string[], depth: number): string[] {
  return keys.flatMap((key) => {
    const child = node[key];
    return child === undefined || child === null ? [] : linesOf(child, depth + 1);
  });
}

function buttonText(node: Node): string {
  return link(wordsOf(node["text"]) || wordsOf(node["name"]) || "button", urlOf(node));
}

function choiceLines(node: Node): string[] {
  const options = z.array(z.unknown()).catch([]).parse(node["options"]);
  const names = options.map((option) => {
    const fields = nodeSchema.safeParse(option).data ?? {};
    return wordsOf(fields["text"]) || wordsOf(fields["value"]);
  }).filter((name) => name !== "");
  const label = wordsOf(node["text"]) || wordsOf(node["placeholder"]);
  return [[label, names.join(" | ")].filter((words) => words !== "").join(": ")];
}

/** The words of a text, plain or as an object with `content` or `text`. */
function wordsOf(value: unknown): string {
  if (typeof value === "string") return value.trim();
  if (typeof value === "number") return String(value);
  const fields = nodeSchema.safeParse(value).data ?? {};
  return (textSchema.parse(fields["content"]) || textSchema.parse(fields["text"])).trim();
}

function urlOf(node: Node): string {
  const plain = textSchema.parse(node["href"]) || textSchema.parse(node["url"]);
  if (plain !== "") return plain;
  const several = nodeSchema.safeParse(node["multi_url"] ?? node["href"]).data ?? {};
  const inHref = nodeSchema.safeParse(several["urlVal"]).data ?? several;
  const url = textSchema.parse(inHref["url"]);
  if (url !== "") return url;
  const behaviors = z.array(nodeSchema.catch({})).catch([]).parse(node["behaviors"]);
  return behaviors.map((behavior) => textSchema.parse(behavior["default_url"]))
    .find((candidate) => candidate !== "") ?? "";
}

function link(words: string, url: string): string {
  if (url === "" || url === words) return words;
  return `[${words || url}](${url})`;
}
