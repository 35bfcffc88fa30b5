/**
 * One client in one chat: what it has, and so what it is to be sent next. Whatever a client missed or
 * was too slow for is made up from the chat, so that nothing has to wait for it in memory.
 * @module
 */

import type { FileOut, FrameOut, MessageOut } from "../wire.ts";
import type { Chat, Follower, GrowingAnswer } from "./chat.ts";
import type { Entry, KeptFile } from "./entry.ts";

/** Growing answers whose progress is known; one that is forgotten begins anew. */
const GROWING_MAX = 64;

/** What a client has of an answer that grows. */
interface Progress {
  /** Units of the text. */
  units: number;
  activity: string;
  reasoning: string;
}

/** What following needs. */
export interface FollowOptions {
  readonly chat: Chat;
  /** The last thing that the client has; undefined: whatever is there now. */
  readonly since: number | undefined;
  readonly fileOut: (file: KeptFile) => FileOut;
  /** Told when there is something to take. */
  readonly onNews: () => void;
}

/** Follows a chat for one client, until it is left. */
export class Follow implements Follower, Disposable {
  readonly chat: Chat;
  readonly #options: FollowOptions;
  readonly #growing = new Map<string, Progress>();
  #seq: number;

  constructor(options: FollowOptions) {
    this.#options = options;
    this.chat = options.chat;
    this.#seq = options.since ?? this.chat.seq;
    this.chat.followers.add(this);
  }

  [Symbol.dispose](): void {
    this.chat.followers.delete(this);
  }

  noteNews(): void {
    this.#options.onNews();
  }

  rewind(streamId: string, units: number): void {
    const progress = this.#growing.get(streamId);
    if (progress !== undefined) progress.units = Math.min(progress.units, units);
  }

  /** What the client is to be sent next; null when it has everything. */
  next(): FrameOut | null {
    return this.#gap() ?? this.#nextEntry() ?? this.#nextPiece();
  }

  /** Part of what the client missed is not kept any more, or it counts from another life. */
  #gap(): FrameOut | null {
    const { id, seq, lostThrough } = this.chat;
    if (this.#seq >= lostThrough && this.#seq <= seq) return null;
    this.#seq = this.#seq > seq ? seq : lostThrough;
    return { event: "gap", chat_id: id, seq: this.#seq };
  }

  #nextEntry(): FrameOut | null {
    const entry = this.chat.after(this.#seq);
    if (entry === undefined) return null;
    const progress = entry.kind === "message" ? this.#growing.get(entry.messageId) : undefined;
    const missing = progress === undefined
      ? null
      : this.#piece(entry.messageId, entry.text, progress);
    if (missing !== null) return missing;
    this.#growing.delete(entry.messageId);
    this.#seq = entry.seq;
    return this.#frameOf(entry, progress !== undefined);
  }

  #frameOf(entry: Entry, hasGrown: boolean): FrameOut {
    const { kind, messageId, settles, seq } = entry;
    if (kind === "settled") return { event: "settled", chat_id: this.chat.id, seq, settles };
    const message = this.#messageOf(entry);
    if (kind === "update") return { event: "update", ...message };
    return hasGrown
      ? { event: "stream_end", stream_id: messageId, ...message }
      : { event: "message", ...message };
  }

  #messageOf(entry: Entry): MessageOut {
    const { seq, messageId, text, isPlain, media, choices, replyTo, settles } = entry;
    return {
      chat_id: this.chat.id,
      seq,
      message_id: messageId,
      text,
      format: isPlain ? "plain" : "markdown",
      ...(media.length > 0 && { media: media.map(this.#options.fileOut) }),
      ...(choices.length > 0 && { choices }),
      ...(replyTo !== null && { reply_to: replyTo }),
      ...(settles.length > 0 && { settles }),
    };
  }

  #nextPiece(): FrameOut | null {
    for (const [streamId, answer] of this.chat.streams) {
      const piece = this.#pieceOf(streamId, answer);
      if (piece !== null) return piece;
    }
    return null;
  }

  #pieceOf(streamId: string, answer: GrowingAnswer): FrameOut | null {
    const known = this.#growing.get(streamId);
    const progress = known ?? { units: 0, activity: "", reasoning: "" };
    if (known === undefined) this.#begin(streamId, progress);
    const { activity, reasoning, text } = answer;
    if (reasoning !== progress.reasoning) {
      progress.reasoning = reasoning;
      if (reasoning !== "") return this.#note("reasoning", streamId, reasoning);
    }
    const piece = this.#piece(streamId, text, progress);
    if (piece !== null) return piece;
    if (activity === progress.activity) return null;
    progress.activity = activity;
    return activity === "" ? null : this.#note("tool_hint", streamId, activity);
  }

  #begin(streamId: string, progress: Progress): void {
    this.#growing.set(streamId, progress);
    const [oldest] = this.#growing.keys();
    if (this.#growing.size > GROWING_MAX && oldest !== undefined) this.#growing.delete(oldest);
  }

  #piece(streamId: string, whole: string, progress: Progress): FrameOut | null {
    const { units: offset } = progress;
    if (whole.length <= offset) return null;
    progress.units = whole.length;
    const text = whole.slice(offset);
    return { event: "delta", chat_id: this.chat.id, stream_id: streamId, text, offset };
  }

  #note(kind: "tool_hint" | "reasoning", streamId: string, text: string): FrameOut {
    return { event: "message", kind, chat_id: this.chat.id, stream_id: streamId, text };
  }
}
