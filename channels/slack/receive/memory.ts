/**
 * What the channel keeps from one life to the next: how far it has read each conversation, and the
 * threads that it takes part in.
 * @module
 */

import { z } from "zod";
import type { JsonValue } from "../../../actors/kernel/json.ts";

/** Conversations and threads that are remembered; those that are silent longest go first. */
const CONVERSATIONS_MAX = 300;
const THREADS_MAX = 500;
/** Messages of one conversation that are not taken yet; Slack itself sends them again. */
const OPEN_MAX = 200;

const storedSchema = z.object({
  read: z.record(z.string(), z.string()),
  threads: z.array(z.string()),
});

/** How far one conversation was read; ids of messages are instants and compare as texts. */
interface Reading {
  /** The newest message that was taken. */
  newest: string;
  /** Messages that are being handed in, or were refused. */
  readonly open: Set<string>;
}

/** A stretch of a conversation that nobody has read. */
export interface Gap {
  readonly channel: string;
  /** The thread, "" for the channel's own messages. */
  readonly threadTs: string;
  /** The last message before it. */
  readonly since: string;
}

/** The memory of one channel. */
export class ChannelMemory {
  readonly #readings = new Map<string, Reading>();
  /** `channel:thread`, oldest first. */
  readonly #threads = new Set<string>();
  /** How far everything was read before a gap that is not closed yet; null without one. */
  #beforeGap: ReadonlyMap<string, string> | null = null;
  #gapCount = 0;

  /** Takes up what an earlier life stored; what cannot be read counts as nothing. */
  restore(stored: JsonValue): void {
    const parsed = storedSchema.safeParse(stored);
    if (!parsed.success) return;
    for (const [channel, newest] of Object.entries(parsed.data.read)) {
      this.#readings.set(channel, { newest, open: new Set() });
    }
    for (const thread of parsed.data.threads) this.#threads.add(thread);
  }

  /** What is to be stored: nothing behind it was missed. */
  get stored(): JsonValue {
    const read = this.#beforeGap ?? this.#positions();
    return { read: Object.fromEntries(read), threads: [...this.#threads] };
  }

  /** Events stopped coming: from now on something may be missed. */
  beginGap(): void {
    this.#gapCount++;
    this.#beforeGap ??= this.#positions();
  }

  /** How many gaps have begun. */
  get gapCount(): number {
    return this.#gapCount;
  }

  /** Whether something may have been missed: events did not come, or could not be taken. */
  get hasGap(): boolean {
    return this.#beforeGap !== null || this.#readings.values().some(({ open }) => open.size > 0);
  }

  /**
   * Everything that was missed has been handed in.
   *
   * @param gapCount how many gaps had begun when that was looked into; a later one stays open
   */
  endGap(gapCount: number): void {
    if (gapCount === this.#gapCount) this.#beforeGap = null;
  }

  /** Where messages may be missing; none before the first message ever. */
  get gaps(): readonly Gap[] {
    const before = this.#beforeGap ?? this.#positions();
    const channels = [...before].map(([channel, since]) => ({ channel, threadTs: "", since }));
    const threads = [...this.#threads].flatMap((thread) => {
      const [channel = "", threadTs = ""] = thread.split(":");
      const since = before.get(channel);
      return since === undefined ? [] : [{ channel, threadTs, since }];
    });
    return [...channels.toReversed(), ...threads.toReversed()];
  }

  /** The newest message anywhere before the gap; "" before the first one ever. */
  get newest(): string {
    const before = this.#beforeGap ?? this.#positions();
    return [...before.values()].reduce((newest, ts) => ts > newest ? ts : newest, "");
  }

  /** A message is being handed in. */
  begin(channel: string, ts: string): void {
    const reading = this.#readings.get(channel) ?? { newest: "", open: new Set<string>() };
    this.#readings.delete(channel);
    keepNewest(this.#readings.set(channel, reading), CONVERSATIONS_MAX);
    keepNewest(reading.open.add(ts), OPEN_MAX);
  }

  /** It was taken. One that was not stays open until it is. */
  taken(channel: string, ts: string): void {
    const reading = this.#readings.get(channel);
    reading?.open.delete(ts);
    if (reading !== undefined && ts > reading.newest) reading.newest = ts;
  }

  /** The bot takes part in a thread from now on. */
  join(channel: string, threadTs: string): void {
    if (threadTs === "") return;
    const thread = `${channel}:${threadTs}`;
    this.#threads.delete(thread);
    keepNewest(this.#threads.add(thread), THREADS_MAX);
  }

  /** Whether it does. */
  takesPart(channel: string, threadTs: string): boolean {
    return this.#threads.has(`${channel}:${threadTs}`);
  }

  /** How far each conversation was read without a hole. */
  #positions(): ReadonlyMap<string, string> {
    const positions = new Map<string, string>();
    for (const [channel, { newest, open }] of this.#readings) {
      const first = [...open].reduce((first, ts) => first === "" || ts < first ? ts : first, "");
      const position = first === "" || newest < first ? newest : justBefore(first);
      if (position !== "") positions.set(channel, position);
    }
    return positions;
  }
}

/** The last instant before that of a message. */
function justBefore(ts: string): string {
  const [seconds = "0", micros = "0"] = ts.split(".");
  const before = Number(micros) - 1;
  return before >= 0
    ? `${seconds}.${String(before).padStart(6, "0")}`
    : `${Number(seconds) - 1}.999999`;
}

function keepNewest(kept: Map<string, unknown> | Set<string>, max: number): void {
  const [oldest] = kept.keys();
  if (kept.size > max && oldest !== undefined) kept.delete(oldest);
}
