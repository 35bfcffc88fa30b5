/**
 * Whose memory it is: everybody's, one person's, or one chat's.
 * @module
 */

import { createHash } from "node:crypto";
import { SYSTEM_CHANNEL } from "../journal/journal.ts";

/** How memory is kept apart: `agents.defaults.memoryScope`. */
export type MemoryScopeSetting = "global" | "person" | "chat";

/** What says who somebody is, of an inbound or a tool's origin. */
export interface MemoryOrigin {
  readonly channel: string;
  readonly chatId: string;
  /** @default nobody is known */
  readonly senderId?: string | undefined;
  /** Where replies go, for what comes from inside; null for nowhere. */
  readonly replyChannel?: string | null | undefined;
  readonly sessionKey: string;
}

const MEMORY_FOLDER = "memory";
const SCOPES_FOLDER = `${MEMORY_FOLDER}/scopes`;
const FOLDER_NAME_CHARS_MAX = 180;
const DIGEST_CHARS = 32;

/**
 * Whose memory. Made by {@link memoryScope}, or found on the disk; never from a text of a message or
 * a tool call. Two of the same folder are the same.
 */
export class MemoryScope {
  /** `global`, `person:<channel>:<sender>`, `chat:<channel>:<chat>` or `session:<key>`. */
  readonly key: string;
  /** Folder of its files below the workspace, without a slash at the end. */
  readonly folder: string;
  readonly #isGlobal: boolean;

  private constructor(key: string, folder: string) {
    this.key = key;
    this.folder = folder;
    this.#isGlobal = folder === MEMORY_FOLDER;
  }

  /** Everybody's memory. */
  static readonly global: MemoryScope = new MemoryScope("global", MEMORY_FOLDER);

  /** The memory under `key`, in a folder of its own. */
  static named(key: `${"person" | "chat" | "session"}:${string}`): MemoryScope {
    return new MemoryScope(key, `${SCOPES_FOLDER}/${folderName(key)}`);
  }

  /** The memory of a folder that was found below {@link SCOPES_PATH}. */
  static found(name: string): MemoryScope {
    return new MemoryScope(name, `${SCOPES_FOLDER}/${name}`);
  }

  /** It is everybody's. */
  get isGlobal(): boolean {
    return this.#isGlobal;
  }

  /** Path below the workspace of one of its files; the assistant's character is everybody's. */
  pathOf(file: MemoryFileName): string {
    if (file === "SOUL") return "SOUL.md";
    if (file === "USER") return this.#isGlobal ? "USER.md" : `${this.folder}/USER.md`;
    return `${this.folder}/MEMORY.md`;
  }

  /** Path below the workspace of its summaries. */
  get historyPath(): string {
    return `${this.folder}/history.jsonl`;
  }

  /** Path below the workspace of the number of the last summary that Dream has digested. */
  get dreamCursorPath(): string {
    return `${this.folder}/.dream_cursor`;
  }

  /** Path below the workspace of the number of the last summary; nanobot reads it. */
  get cursorPath(): string {
    return `${this.folder}/.cursor`;
  }
}

/** A file of facts: SOUL.md, USER.md or MEMORY.md. */
export type MemoryFileName = "MEMORY" | "SOUL" | "USER";

/** The texts of a scope's files of facts; "" where one is missing. */
export type MemoryTexts = Readonly<Record<MemoryFileName, string>>;

/** All files of facts. */
export const MEMORY_FILE_NAMES: readonly MemoryFileName[] = ["MEMORY", "SOUL", "USER"];

const FACTS_PATH =
  /^(?:SOUL\.md|USER\.md|memory\/(?:scopes\/[^/]+\/USER|(?:scopes\/[^/]+\/)?MEMORY)\.md)$/;
const DREAM_CURSOR_PATH = /^memory\/(?:scopes\/[^/]+\/)?\.dream_cursor$/;

/** Whether a path below the workspace is that of a file of facts, whosever it is. */
export function isFactsPath(path: string): boolean {
  return FACTS_PATH.test(path) && !path.includes("/../");
}

/** Whether a path below the workspace is that of Dream's number, whosever it is. */
export function isDreamCursorPath(path: string): boolean {
  return DREAM_CURSOR_PATH.test(path) && !path.includes("/../");
}

/** Where skills stand that the owner has not accepted yet. */
export const PROPOSED_SKILLS = "skills/.proposed";

const PROPOSED_PATH = /^skills\/\.proposed\/[a-z0-9-]+\/SKILL\.md$/;

/** Whether a path below the workspace is that of a proposed skill. */
export function isProposedPath(path: string): boolean {
  return PROPOSED_PATH.test(path);
}

/** The folder below the workspace that holds the scopes' folders. */
export const SCOPES_PATH: string = SCOPES_FOLDER;

/**
 * Whose memory a message reads and grows. What comes from inside knows no person: it has the
 * memory of the chat that it answers in, or of its session.
 */
export function memoryScope(setting: MemoryScopeSetting, origin: MemoryOrigin): MemoryScope {
  if (setting === "global") return MemoryScope.global;
  const { channel, chatId, senderId, replyChannel, sessionKey } = origin;
  const isInternal = channel === SYSTEM_CHANNEL;
  if (setting === "person" && !isInternal && senderId !== undefined && senderId !== "") {
    return MemoryScope.named(`person:${channel}:${senderId}`);
  }
  const place = isInternal ? replyChannel ?? null : channel;
  if (place === null || chatId === "") return MemoryScope.named(`session:${sessionKey}`);
  return MemoryScope.named(`chat:${place}:${chatId}`);
}

/** How channels name the conversation of a thread or topic: its chat's key, and one of these. */
const THREAD_PART = /:(?:(?:thread|topic):.+|\d{6,}\.\d+|om_\w+)$/;

/** The memory of a session as such: that of the chat its key names, which is a thread's as well. */
export function sessionMemoryScope(setting: MemoryScopeSetting, sessionKey: string): MemoryScope {
  const separatorAt = sessionKey.indexOf(":");
  const channel = separatorAt === -1 ? sessionKey : sessionKey.slice(0, separatorAt);
  const chatId = separatorAt === -1 ? "" : sessionKey.slice(separatorAt + 1);
  return memoryScope(setting, { channel, chatId: chatId.replace(THREAD_PART, ""), sessionKey });
}

/**
 * A name that no other key has, on file systems that ignore case too: what is not in
 * `[a-z0-9.-]` is percent-encoded.
 */
function folderName(key: string): string {
  let name = "";
  for (const character of key.toWellFormed()) {
    name += /[a-z0-9.-]/.test(character) ? character : escaped(character);
  }
  if (name.length <= FOLDER_NAME_CHARS_MAX) return name;
  const digest = createHash("sha256").update(key).digest("hex").slice(0, DIGEST_CHARS);
  return `${name.slice(0, FOLDER_NAME_CHARS_MAX - DIGEST_CHARS - 1)}~${digest}`;
}

function escaped(character: string): string {
  return [...new TextEncoder().encode(character)]
    .map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, "0")}`).join("");
}
