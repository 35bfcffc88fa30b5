/**
 * What a person in a chat sees: each message as it reads now, its reactions, its topic.
 * @module
 */

import { asList, asNode, asText, renderCard } from "./card_json.ts";
import type { Chat, StoredMessage, World } from "./world.ts";

/** A card on the screen. */
export interface CardView {
  /** The entity behind it; undefined for a card sent as a whole. */
  readonly cardId: string | undefined;
  /** Shown as being written. */
  readonly isStreaming: boolean;
  /** The line in the chat list. */
  readonly summary: string;
  /** The highest sequence applied; 0 without an entity. */
  readonly sequence: number;
  /** The card's JSON. */
  readonly json: unknown;
}

/** A reaction on the screen. */
export interface ReactionView {
  readonly emoji: string;
  /** `"bot"` or a person's open id. */
  readonly by: string;
}

/** A message on the screen. */
export interface MessageView {
  readonly messageId: string;
  readonly chatId: string;
  /** `"bot"` or a person's open id. */
  readonly from: string;
  readonly isFromBot: boolean;
  readonly msgType: string;
  /** As it reads now; a card's elements stand on lines of their own. */
  readonly text: string;
  /** Every text it has shown, oldest first, the present one last; no two neighbours are equal. */
  readonly texts: readonly string[];
  /** The content's JSON text. */
  readonly content: string;
  readonly card: CardView | undefined;
  readonly reactions: readonly ReactionView[];
  readonly parentId: string | undefined;
  readonly rootId: string | undefined;
  /** The topic it belongs to. */
  readonly threadId: string | undefined;
  readonly isRecalled: boolean;
  readonly createdAtMs: number;
}

/** A chat on the screen. */
export interface ChatView {
  readonly chatId: string;
  readonly kind: "p2p" | "group";
  /** Oldest first; recalled ones are not shown. */
  readonly messages: readonly MessageView[];
  /** Those of the bot. */
  readonly fromBot: readonly MessageView[];
  /** How many messages of the bot repeat the type and text of an earlier one. */
  readonly duplicates: number;
}

/** The chat as it looks now. */
export function viewChat(chat: Chat, world: World): ChatView {
  const messages = chat.messages.filter((message) => !message.isRecalled)
    .map((message) => viewMessage(message, world));
  const fromBot = messages.filter((message) => message.isFromBot);
  const distinct = new Set(fromBot.map(({ msgType, text }) => `${msgType}\n${text}`));
  return {
    chatId: chat.chatId,
    kind: chat.kind,
    messages,
    fromBot,
    duplicates: fromBot.length - distinct.size,
  };
}

/** The message as it looks now. */
export function viewMessage(message: StoredMessage, world: World): MessageView {
  return {
    messageId: message.messageId,
    chatId: message.chatId,
    from: message.from,
    isFromBot: message.from === "bot",
    msgType: message.msgType,
    text: renderMessage(message),
    texts: [...message.texts],
    content: message.content,
    card: message.msgType === "interactive" ? viewCard(message, world.clock.now()) : undefined,
    reactions: message.reactions.map(({ emoji, by }) => ({ emoji, by })),
    parentId: message.parentId,
    rootId: message.rootId,
    threadId: message.threadId,
    isRecalled: message.isRecalled,
    createdAtMs: message.createdAtMs,
  };
}

/** A card message as `message.get` tells it: a title and rows of text, not the card's source. */
export function simplifiedCard(message: StoredMessage): string {
  const rows = renderMessage(message).split("\n").map((text) => [{ tag: "text", text }]);
  return JSON.stringify({ title: "", elements: rows });
}

/** Adds what the message shows now to its history, if it changed. */
export function noteText(message: StoredMessage): void {
  const text = renderMessage(message);
  if (message.texts.at(-1) !== text) message.texts.push(text);
}

function viewCard({ card, content }: StoredMessage, nowMs: number): CardView {
  if (card === undefined) {
    const json = asNode(parseContent(content)) ?? {};
    const summary = renderCard(json).split("\n")[0] ?? "";
    return { cardId: undefined, isStreaming: false, summary, sequence: 0, json };
  }
  return {
    cardId: card.cardId,
    isStreaming: card.isStreaming(nowMs),
    summary: card.summary(nowMs),
    sequence: card.sequence,
    json: structuredClone(card.json),
  };
}

function renderMessage(message: StoredMessage): string {
  if (message.card !== undefined) return message.card.text;
  const content = asNode(parseContent(message.content)) ?? {};
  switch (message.msgType) {
    case "text":
      return nameMentions(asText(content["text"]), message);
    case "post":
      return renderPost(content, message);
    case "interactive":
      return renderCard(content);
    case "system": {
      const params = asNode(asNode(content["params"])?.["divider_text"]);
      return asText(params?.["text"]);
    }
    default:
      return `[${message.msgType}]`;
  }
}

function nameMentions(text: string, { mentions }: StoredMessage): string {
  const named = text.replaceAll(/<at user_id="[^"]*">(.*?)<\/at>/g, "@$1");
  return named.replaceAll(/@_user_\d+/g, (key) => {
    const mention = mentions.find((candidate) => candidate.key === key);
    return mention === undefined ? key : `@${mention.name}`;
  });
}

function renderPost(content: Record<string, unknown>, message: StoredMessage): string {
  const post = "content" in content ? content : asNode(Object.values(content)[0]) ?? {};
  const lines = asList(post["content"]).map((line) => {
    return asList(line).map((element) => renderPostElement(asNode(element) ?? {})).join("");
  });
  const title = asText(post["title"]);
  return nameMentions([...(title === "" ? [] : [title]), ...lines].join("\n"), message);
}

function renderPostElement(element: Record<string, unknown>): string {
  const text = asText(element["text"]);
  switch (element["tag"]) {
    case "a":
      return `[${text}](${asText(element["href"])})`;
    case "at":
      return `@${asText(element["user_name"]) || asText(element["user_id"])}`;
    case "img":
      return "[image]";
    case "media":
      return "[media]";
    case "emotion":
      return `[${asText(element["emoji_type"])}]`;
    case "hr":
      return "---";
    case "code_block":
      return `\`\`\`${asText(element["language"])}\n${text}\n\`\`\``;
    default:
      return text;
  }
}

function parseContent(content: string): unknown {
  try {
    return JSON.parse(content);
  } catch {
    return undefined;
  }
}
