/**
 * The rows of one outbox: those in memory by chat, read from the journal as room comes up, and what
 * is known of them beyond the journal. What changes for a chat is told by its name.
 * @module
 */

import type { Outbound } from "../journal/journal.ts";
import type { ActorContext, Outcome } from "../kernel/actor.ts";
import type { JsonValue } from "../kernel/json.ts";
import { ChatLane } from "./chat_lane.ts";
import type { OutboxActorMessage, OutboxOptions } from "./outbox_protocol.ts";
import { OutboxWindow } from "./outbox_window.ts";

/** Wait before the journal is asked again after it failed. */
const JOURNAL_RETRY_MS = 1_000;

/** What waits to be sent, as far as it is in memory. */
export class OutboxRows {
  /** Chats with something in memory. */
  readonly lanes: Map<string, ChatLane> = new Map();
  readonly #context: ActorContext<OutboxActorMessage>;
  readonly #journal: OutboxOptions["journal"];
  readonly #window: OutboxWindow;
  /** What the channel remembered since the row was read. */
  readonly #remembered = new Map<string, JsonValue>();
  /** Rows that were told when they were committed, and never tried: their doubt is unfounded. */
  readonly #untried = new Set<string>();
  /** The chats of rows that are being read because later ones were told before them. */
  readonly #behind = new Map<string, string>();

  /** Begins to read. */
  constructor(
    context: ActorContext<OutboxActorMessage>,
    { channel, journal }: Pick<OutboxOptions, "channel" | "journal">,
  ) {
    this.#context = context;
    this.#journal = journal;
    this.#window = new OutboxWindow(channel);
    this.readOn();
  }

  /** Rows in memory. */
  get size(): number {
    return this.#window.size;
  }

  /** The chat of a row in memory. */
  chatOf(key: string): string | undefined {
    return this.#window.chatOf(key);
  }

  /** The lane of a chat, made if need be. */
  lane(chatId: string): ChatLane {
    const lane = this.lanes.get(chatId) ?? new ChatLane();
    this.lanes.set(chatId, lane);
    return lane;
  }

  /** What the channel remembered last for a row. */
  channelState(row: Outbound): JsonValue {
    return this.#remembered.get(row.key) ?? row.channelState;
  }

  /** The channel remembered something. */
  remember(key: string, channelState: JsonValue): void {
    if (this.#window.chatOf(key) !== undefined) this.#remembered.set(key, channelState);
  }

  /** A row was committed. @returns its chat */
  take(row: Outbound): string {
    const { key, chatId } = row;
    const taken = this.#window.take(row);
    if (taken === "entered") this.lane(chatId).add(row);
    if (taken === "known") {
      const lane = this.lanes.get(chatId);
      // One that is complete already was told of twice, and may be on its way.
      if (lane?.pending(key) !== undefined) return chatId;
      lane?.update(row);
    }
    if (row.state === "pending") this.#untried.add(key);
    if (taken === "behind") {
      this.#behind.set(key, chatId);
      this.lane(chatId).expect(key);
      this.reread(key);
    }
    if (taken === "later") this.readOn();
    return chatId;
  }

  /** A row is tried now. @returns whether it surely never was before */
  tries(key: string): boolean {
    return this.#untried.delete(key);
  }

  /**
   * Makes durable that a row was not tried when it was committed; losing that does no harm. From
   * now on it counts as not in doubt, so that its first attempt puts it in doubt again.
   */
  clearUnfoundedDoubt(key: string): void {
    if (!this.#untried.has(key)) return;
    const lane = this.lanes.get(this.#window.chatOf(key) ?? "");
    const row = lane?.pending(key);
    if (row !== undefined) lane?.update(this.#withoutUnfoundedDoubt(row));
    this.#context.pipe(
      () => this.#journal.commit({ outboundChanges: [{ key, doubtSinceMs: null }] }, "written"),
      (outcome) => ({ type: "doubt_cleared", key, outcome }),
    );
  }

  /** The journal knows that a row was not tried. */
  doubtCleared(key: string, outcome: Outcome<unknown>): void {
    if (outcome.state === "ok") this.#untried.delete(key);
  }

  /** A row is done. */
  leave(key: string, chatId: string): void {
    this.lanes.get(chatId)?.remove(key);
    this.#window.leave(key);
    this.#remembered.delete(key);
    this.#untried.delete(key);
    this.readOn();
  }

  /** Finds out from the journal what a row has become. */
  reread(key: string): void {
    this.#context.pipe(
      () => this.#journal.outbound(key),
      (outcome) => ({ type: "reread", key, outcome }),
    );
  }

  /** What a row has become is known. @returns its chat */
  wasReread(key: string, outcome: Outcome<Outbound | null>): string {
    if (outcome.state === "failed") {
      this.#context.after(JOURNAL_RETRY_MS, { type: "row_changed", key });
      return "";
    }
    const row = outcome.value && this.#withoutUnfoundedDoubt(outcome.value);
    const chatId = this.#window.chatOf(key) ?? row?.chatId ?? this.#behind.get(key) ?? "";
    const lane = this.lanes.get(chatId);
    this.#behind.delete(key);
    lane?.arrived(key);
    // One that is being sent is left alone: its end will be recorded.
    if (lane?.busyWith === key && lane.pending(key) !== undefined) return chatId;
    if (row === null || row.endedAtMs !== null) {
      if (this.#window.chatOf(key) !== undefined) this.leave(key, chatId);
    } else if (this.#window.takeAgain(row)) {
      this.lane(chatId).add(row);
    } else {
      lane?.update(row);
      this.readOn();
    }
    return chatId;
  }

  /** News were merged: of rows that are not here, or that an open one here is complete. */
  refill(): void {
    this.#window.miss();
    for (const lane of this.lanes.values()) lane.openKeys.forEach((key) => this.reread(key));
    this.readOn();
  }

  /** Reads more, if there may be more and there is room. */
  readOn(): void {
    const query = this.#window.nextQuery();
    if (query === undefined) return;
    this.#context.pipe(
      () => this.#journal.outbox(query),
      (outcome) => ({ type: "refilled", outcome }),
    );
  }

  /** Rows were read. @returns the chats that have more now */
  refilled(outcome: Outcome<readonly Outbound[]>): ReadonlySet<string> {
    if (outcome.state === "failed") {
      this.#window.failed();
      this.#context.after(JOURNAL_RETRY_MS, { type: "read_on" });
      return new Set();
    }
    const entered = this.#window.arrived(outcome.value);
    for (const row of entered) this.lane(row.chatId).add(this.#withoutUnfoundedDoubt(row));
    this.readOn();
    return new Set(entered.map((row) => row.chatId));
  }
  /** A read may be older than the commit that clears the doubt, and must not bring it back. */
  #withoutUnfoundedDoubt(row: Outbound): Outbound {
    return this.#untried.has(row.key) ? { ...row, doubtSinceMs: null } : row;
  }
}
