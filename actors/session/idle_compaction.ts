/**
 * Keeps time for idle conversations, so that each is compacted once nobody has written in it for
 * long. It wakes no session before its time, and none that has nothing to compact.
 * @module
 */

import { getLogger } from "@logtape/logtape";
import type { Actor, ActorContext, ActorDefinition, Outcome } from "../kernel/actor.ts";
import type { Clock, Timer } from "../kernel/clock.ts";
import { unreachable } from "../kernel/invariant.ts";
import type { ActorRef } from "../kernel/ref.ts";
import { SUFFIX_MESSAGES } from "./consolidation_plan.ts";
import type { CompactSession, IdleCompactionMessage, SessionFiles } from "./ports.ts";
import { splitSessionText } from "./session_file.ts";
import { sessionFileName, sessionKeyOf } from "./session_name.ts";

const logger = getLogger(["troupe", "session", "idle_compaction"]);

/** Sessions that it keeps time for; others are found at the next start. */
const SESSIONS_MAX = 200_000;
/** Sessions that are asked at once, and how long the next ones wait behind them. */
const ASKED_AT_ONCE = 4;
const NEXT_MS = 15_000;
/** A large folder takes a while to list, which a start has no time for. */
const LISTED_AFTER_MS = 60_000;
/** A longer timer would overflow. */
const TIMER_MS_MAX = 24 * 3_600_000;
const MAILBOX_MAX = 10_000;

/** A session's file. */
export interface DatedFile {
  /** Base name. */
  readonly name: string;
  /** Epoch milliseconds. */
  readonly modifiedAtMs: number;
}

/** What it works with. */
export interface IdleCompactionOptions {
  readonly clock: Clock;
  /** A conversation is idle after this long. */
  readonly idleMs: number;
  readonly files: Pick<SessionFiles, "read">;
  /** The sessions' files of before, in any order. */
  readonly list: () => AsyncIterable<DatedFile>;
  readonly router: ActorRef<CompactSession>;
}

interface Looked {
  readonly sessionKey: string;
  readonly isWorthWaking: boolean;
}

type Internal =
  | { readonly type: "list" }
  | { readonly type: "listed"; readonly outcome: Outcome<readonly DatedFile[]> }
  | { readonly type: "time_is_up" }
  | { readonly type: "looked"; readonly outcome: Outcome<readonly Looked[]> };

/** All that it understands. */
export type IdleCompactionActorMessage = IdleCompactionMessage | Internal;

/** Defines it. */
export function idleCompactionActor(
  options: IdleCompactionOptions,
): ActorDefinition<IdleCompactionActorMessage> {
  return {
    name: "idle_compaction",
    mailboxMax: MAILBOX_MAX,
    create: (context) => new IdleCompaction(context, options),
  };
}

class IdleCompaction implements Actor<IdleCompactionActorMessage> {
  readonly #context: ActorContext<IdleCompactionActorMessage>;
  readonly #options: IdleCompactionOptions;
  /** When sessions that are not compacted were used, or asked; the longest ago first. */
  readonly #usedAtMs = new Map<string, number>();
  #timer: Timer | undefined;
  #isLooking = false;

  constructor(
    context: ActorContext<IdleCompactionActorMessage>,
    options: IdleCompactionOptions,
  ) {
    this.#context = context;
    this.#options = options;
    context.after(LISTED_AFTER_MS, { type: "list" });
  }

  receive(message: IdleCompactionActorMessage): void {
    switch (message.type) {
      case "session_used":
        this.#note(message.sessionKey, this.#options.clock.now());
        return this.#wait();
      case "session_compacted":
        return void this.#usedAtMs.delete(message.sessionKey);
      case "list":
        return this.#list();
      case "listed":
        return this.#listed(message.outcome);
      case "time_is_up":
        return this.#timeIsUp();
      case "looked":
        return this.#looked(message.outcome);
      default:
        return unreachable(message);
    }
  }

  #note(sessionKey: string, atMs: number): void {
    this.#usedAtMs.delete(sessionKey); // it goes to the end
    if (this.#usedAtMs.size < SESSIONS_MAX) this.#usedAtMs.set(sessionKey, atMs);
  }

  #list(): void {
    this.#context.pipe(
      () => Array.fromAsync(this.#options.list()),
      (outcome) => ({ type: "listed", outcome }),
    );
  }

  /** What was used since the start is known better. */
  #listed(outcome: Outcome<readonly DatedFile[]>): void {
    if (outcome.state === "failed") {
      const { message: reason } = outcome.error;
      return logger.warn("Idle conversations of before are not compacted: {reason}", { reason });
    }
    const since = [...this.#usedAtMs];
    this.#usedAtMs.clear();
    for (const { name, modifiedAtMs } of outcome.value.toSorted(byAge)) {
      const sessionKey = sessionKeyOf(name);
      if (sessionKey !== null) this.#note(sessionKey, modifiedAtMs);
    }
    for (const [sessionKey, usedAtMs] of since) this.#note(sessionKey, usedAtMs);
    this.#wait();
  }

  #wait(atLeastMs: number = 0): void {
    const [oldest] = this.#usedAtMs.values();
    if (oldest === undefined || this.#timer !== undefined || this.#isLooking) return;
    const { clock, idleMs } = this.#options;
    const leftMs = Math.max(atLeastMs, oldest + idleMs - clock.now());
    const timeMs = Math.min(leftMs, TIMER_MS_MAX);
    this.#timer = this.#context.after(timeMs, { type: "time_is_up" });
  }

  #timeIsUp(): void {
    this.#timer = undefined;
    const { clock, idleMs } = this.#options;
    const nowMs = clock.now();
    const due: string[] = [];
    for (const [sessionKey, usedAtMs] of this.#usedAtMs) {
      if (usedAtMs + idleMs > nowMs || due.length === ASKED_AT_ONCE) break;
      due.push(sessionKey);
    }
    if (due.length === 0) return this.#wait();
    this.#isLooking = true;
    this.#context.pipe(() => this.#look(due), (outcome) => ({ type: "looked", outcome }));
  }

  async #look(sessionKeys: readonly string[]): Promise<readonly Looked[]> {
    const looked: Looked[] = [];
    for (const sessionKey of sessionKeys) {
      const text = await this.#options.files.read(sessionFileName(sessionKey)) ?? "";
      looked.push({ sessionKey, isWorthWaking: isWorthWaking(text) });
    }
    return looked;
  }

  /** Who is asked and cannot do it now comes again after the same time. */
  #looked(outcome: Outcome<readonly Looked[]>): void {
    this.#isLooking = false;
    const { clock, idleMs, router } = this.#options;
    if (outcome.state === "failed") {
      const { message: reason } = outcome.error;
      logger.warn("Cannot look at an idle conversation: {reason}", { reason });
      return this.#wait(NEXT_MS);
    }
    for (const { sessionKey, isWorthWaking } of outcome.value) {
      const usedAtMs = this.#usedAtMs.get(sessionKey) ?? Infinity;
      if (usedAtMs + idleMs > clock.now()) continue; // used meanwhile
      if (!isWorthWaking) {
        this.#usedAtMs.delete(sessionKey);
        continue;
      }
      this.#note(sessionKey, clock.now());
      router.tell({ type: "compact_session", sessionKey, idleMs });
    }
    this.#wait(NEXT_MS);
  }
}

function byAge(a: DatedFile, b: DatedFile): number {
  return a.modifiedAtMs - b.modifiedAtMs;
}

function isWorthWaking(text: string): boolean {
  const { lines, metadata } = splitSessionText(text);
  const from = metadata?.lastConsolidated ?? 0;
  return from > 0 || lines.length > SUFFIX_MESSAGES;
}
