/**
 * A session's messages while it is awake.
 * @module
 */

import type { ChatMessage } from "../../providers/provider.ts";
import type { Breathe } from "../kernel/breathing.ts";
import type { JsonObject } from "../kernel/json.ts";
import { Replay, REPLAYED_MAX } from "./history.ts";
import { storable } from "./message_line.ts";
import {
  type SessionFile,
  type SessionMetadata,
  SET_ASIDE,
  type StoredMessage,
  UnreadMessage,
} from "./session_file.ts";

const NONE: readonly string[] = [];

/** Messages that are read at once: a few milliseconds. */
const MESSAGES_PER_BREATH = 250;

/**
 * All that is known of a conversation; it only grows, except for {@link Conversation.clear} and
 * {@link Conversation.dropConsolidated}.
 */
export class Conversation {
  readonly key: string;
  #messages: StoredMessage[] = [];
  #replay = new Replay();
  /** Ids of lines that the model is not shown. */
  #setAside = new Set<string>();
  #createdAtMs: number;
  /** What the file told when it was read; null when it did not. */
  #updatedAtMs: number | null;
  #metadata: JsonObject;
  #lastConsolidated: number;

  /**
   * @param file what stands on disk; `last_consolidated` beyond its messages is cut back to them
   * @param nowMs stands in for a time that the file does not tell
   */
  constructor(key: string, file: Pick<SessionFile, "messages" | "metadata">, nowMs: number) {
    this.key = key;
    this.#createdAtMs = file.metadata?.createdAtMs ?? nowMs;
    this.#updatedAtMs = file.metadata?.updatedAtMs ?? null;
    this.#metadata = file.metadata?.metadata ?? {};
    this.#lastConsolidated = consolidatedOf(file);
    this.#setAside = setAsideIn(file.messages);
    for (const stored of file.messages) this.#add(stored);
  }

  /** The same from a long file, a little at a time; what is not shown again stays unread. */
  static async read(
    key: string,
    file: Pick<SessionFile, "messages" | "metadata">,
    { nowMs, breathe }: { readonly nowMs: number; readonly breathe: Breathe },
  ): Promise<Conversation> {
    const { messages, metadata } = file;
    const conversation = new Conversation(key, { messages: [], metadata }, nowMs);
    conversation.#lastConsolidated = consolidatedOf(file);
    conversation.#setAside = setAsideIn(messages);
    const first = Math.max(conversation.#lastConsolidated, messages.length - REPLAYED_MAX);
    conversation.#messages = messages.slice(0, first).map(kept);
    for (let index = first; index < messages.length; index += MESSAGES_PER_BREATH) {
      for (const stored of messages.slice(index, index + MESSAGES_PER_BREATH)) {
        conversation.#add(stored instanceof UnreadMessage ? stored.read() : stored);
      }
      await breathe();
    }
    return conversation;
  }

  /** Everything that was said, summarised or not. */
  get messages(): readonly StoredMessage[] {
    return this.#messages;
  }

  /** How many leading messages were summarised and are not replayed. */
  get lastConsolidated(): number {
    return this.#lastConsolidated;
  }

  /** How many messages are not summarised yet. */
  get replayableCount(): number {
    return this.#messages.length - this.#lastConsolidated;
  }

  /** Free-form data of the session (`_last_summary`, …). */
  get metadata(): JsonObject {
    return this.#metadata;
  }

  /** Adds a message that was made durable, as it is in the file: without images. */
  append(stored: StoredMessage): void {
    this.#add(stored);
    const setAside = setAsideBy(stored);
    if (setAside.length === 0) return;
    for (const lineId of setAside) this.#setAside.add(lineId);
    this.#replayAnew();
  }

  /** The messages that the model is shown, as they are stored. */
  replayed(): StoredMessage[] {
    return this.#messages.slice(this.#lastConsolidated).filter((stored) => this.isShown(stored));
  }

  /** When something was said last, in epoch milliseconds; null when it is not known. */
  get activeAtMs(): number | null {
    return this.#messages.findLast(({ timestampMs }) => timestampMs !== null)?.timestampMs ??
      this.#updatedAtMs;
  }

  /** A replay keeps no more than the end. */
  #replayAnew(): void {
    const first = Math.max(this.#lastConsolidated, this.#messages.length - REPLAYED_MAX);
    const shown = this.#messages.slice(first).filter((stored) => this.isShown(stored));
    this.#replay = Replay.of(shown.map(({ message }) => message));
  }

  #add(stored: StoredMessage): void {
    const added = kept(stored);
    this.#messages.push(added);
    const isRecent = this.#messages.length > this.#lastConsolidated;
    if (isRecent && this.isShown(stored)) this.#replay.push(added.message);
  }

  /** Whether the model may be shown a message: none of those that were set aside. */
  isShown(stored: StoredMessage): boolean {
    if (stored.lineId !== null && this.#setAside.has(stored.lineId)) return false;
    return setAsideBy(stored).length === 0;
  }

  /** What the model is shown of the conversation so far. */
  replay(): ChatMessage[] {
    return this.#replay.messages();
  }

  /**
   * A replay of its own for a turn, which may add what is never stored (times, images).
   *
   * @param recentMax messages that it holds, or a few more @default all
   */
  forkReplay(recentMax?: number): Replay {
    return this.#replay.fork(recentMax);
  }

  /** The metadata line that describes the conversation. */
  describe(nowMs: number): SessionMetadata {
    return {
      key: this.key,
      createdAtMs: this.#createdAtMs,
      updatedAtMs: nowMs,
      metadata: this.#metadata,
      lastConsolidated: this.#lastConsolidated,
    };
  }

  /** Replaces the free-form data; only the store calls it, after it is on disk. */
  setMetadata(metadata: JsonObject): void {
    this.#metadata = metadata;
  }

  /** The messages before `to` were summed up; only the store calls it, after that is on disk. */
  consolidated(to: number, metadata: JsonObject): void {
    this.#lastConsolidated = to;
    this.#metadata = metadata;
    this.#replayAnew();
  }

  /** Forgets messages that were summed up; only the store calls it, after the file was replaced. */
  dropConsolidated(count: number): void {
    this.#messages = this.#messages.slice(count);
    this.#lastConsolidated -= count;
  }

  /** Forgets all messages and data; only the store calls it, after the file was replaced. */
  clear(nowMs: number): void {
    this.#messages = [];
    this.#replay = new Replay();
    this.#setAside = new Set();
    this.#createdAtMs = nowMs;
    this.#updatedAtMs = nowMs;
    this.#metadata = {};
    this.#lastConsolidated = 0;
  }
}

/** As a conversation holds it: without images. */
function kept(stored: StoredMessage): StoredMessage {
  if (stored instanceof UnreadMessage) return stored;
  const message = storable(stored.message);
  return message === stored.message ? stored : { ...stored, message };
}

function consolidatedOf({ messages, metadata }: Pick<SessionFile, "messages" | "metadata">) {
  return Math.max(0, Math.min(metadata?.lastConsolidated ?? 0, messages.length));
}

/** Ids of the lines that some of these take out. */
export function setAsideIn(messages: readonly StoredMessage[]): Set<string> {
  const ids = new Set<string>();
  for (const stored of messages) {
    for (const lineId of setAsideBy(stored)) ids.add(lineId);
  }
  return ids;
}

/** Ids of the lines that a line takes out; what is none of ours there takes out nothing. */
function setAsideBy(stored: StoredMessage): readonly string[] {
  const ids = stored instanceof UnreadMessage ? undefined : stored.extras[SET_ASIDE];
  if (!Array.isArray(ids)) return NONE;
  return ids.filter((id) => typeof id === "string");
}
