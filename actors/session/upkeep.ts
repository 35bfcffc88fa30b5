/**
 * What a session does for its own order, beside its turns: it finishes what an earlier life began,
 * archives conversations that ended, and sums up what is too long or has been idle. One thing at a
 * time; messages never wait for it.
 * @module
 */

import { getLogger } from "@logtape/logtape";
import type { Outcome, Work } from "../kernel/actor.ts";
import { GatewayError } from "../kernel/errors.ts";
import { type PendingChunk, pendingNote, readPending } from "./archived_chunk.ts";
import { Consolidator, type RunEnd } from "./consolidator.ts";
import {
  damagedLines,
  endedConversations,
  endedFileName,
  endedNote,
} from "./ended_conversation.ts";
import { suffixStart } from "./consolidation_plan.ts";
import type { SessionServices } from "./ports.ts";
import type { SessionLog } from "./session_log.ts";
import type { SessionMemory } from "./session_memory.ts";
import { sessionFileName } from "./session_name.ts";
import type { TurnPermit } from "./turn_permit.ts";

const logger = getLogger(["troupe", "session", "upkeep"]);

/** After a failure it is quiet for this long, twice as long after the next, up to the last. */
const BACK_OFF_FIRST_MS = 60_000;
const BACK_OFF_MAX_MS = 3_600_000;

/** What an earlier life left to do. */
export interface UpkeepRemains {
  readonly pending: PendingChunk | null;
  readonly hasEnded: boolean;
}

/** Reads it. @throws {JournalError} */
export async function upkeepRemains(
  sessionKey: string,
  { journal, archive }: Pick<SessionServices, "journal" | "archive">,
): Promise<UpkeepRemains> {
  if (archive === undefined) return { pending: null, hasEnded: false };
  const [pending, ended] = await Promise.all([
    journal.note(pendingNote(sessionKey)),
    journal.note(endedNote(sessionKey)),
  ]);
  return { pending: readPending(pending), hasEnded: ended !== null };
}

/** What upkeep is done with. */
export interface UpkeepOptions {
  readonly services: SessionServices;
  readonly memory: SessionMemory;
  /** Of its own: turns have another. */
  readonly permit: TurnPermit;
  /** Id of the turn that has begun and not ended. */
  readonly openTurn: () => string | undefined;
  /** Runs work beside the session, which tells `ended` of its end. */
  readonly start: (work: (signal: AbortSignal) => Promise<RunEnd>) => Work;
}

/** Why upkeep was aborted: the conversation it was about begins anew. */
class UpkeepHaltedError extends GatewayError {
  override readonly name = "UpkeepHaltedError";
  readonly code = "upkeep_halted";
  readonly recovery = "give_up";
}

/** Of one session. */
export class Upkeep {
  readonly #options: UpkeepOptions;
  #log: SessionLog | undefined;
  #consolidator: Consolidator | undefined;
  #hasRemains = false;
  /** It was asked to compact a conversation that is idle for this long. */
  #compactAfterMs: number | undefined;
  #running: { readonly work: Work; readonly over: Promise<unknown> } | undefined;
  #failures = 0;
  #quietUntilMs = 0;

  constructor(options: UpkeepOptions) {
    this.#options = options;
  }

  /** Something is under way. */
  get isBusy(): boolean {
    return this.#running !== undefined;
  }

  /** The session is awake. */
  begin(log: SessionLog, { pending, hasEnded }: UpkeepRemains): void {
    const { services: { archive } } = this.#options;
    this.#log = log;
    if (archive === undefined) return;
    this.#consolidator = new Consolidator({ ...this.#options, archive, log });
    this.#hasRemains = pending !== null || hasEnded;
  }

  /** A conversation ended, and waits in its file. */
  conversationEnded(): void {
    this.#hasRemains = true;
  }

  /** Of a conversation that nobody wrote in for this long only the end need be kept word by word. */
  askToCompact(idleMs: number): void {
    this.#compactAfterMs = idleMs;
  }

  /** Begins what is due, unless something is under way. */
  next(): void {
    const { services: { clock }, start } = this.#options;
    if (this.isBusy || clock.now() < this.#quietUntilMs) return;
    const work = this.#due();
    if (work === undefined) return;
    const { promise: over, resolve } = Promise.withResolvers<void>();
    const running = start((signal) => work(signal).finally(resolve));
    this.#running = { work: running, over };
  }

  /** What was under way has ended. */
  ended(outcome: Outcome<RunEnd>): void {
    this.#running = undefined;
    this.#options.permit.end();
    if (outcome.state === "ok" && outcome.value === "done") {
      this.#failures = 0;
      return;
    }
    const isHalted = outcome.state === "failed" && outcome.error instanceof UpkeepHaltedError;
    if (isHalted) return;
    // What was begun is finished before anything else: it may stand in memory by half.
    if (outcome.state === "failed") this.#hasRemains = true;
    const { services: { clock } } = this.#options;
    const backOffMs = Math.min(BACK_OFF_FIRST_MS * 2 ** this.#failures, BACK_OFF_MAX_MS);
    this.#failures++;
    this.#quietUntilMs = clock.now() + backOffMs;
    if (outcome.state === "ok") return;
    logger.warn("Cannot sum up {sessionKey} just now: {reason}", {
      sessionKey: this.#log?.sessionKey,
      reason: outcome.error.message,
      error: outcome.error,
    });
  }

  /** Aborts what is under way, and waits for its end: nothing of it changes the session then. */
  async halt(): Promise<void> {
    if (this.#running === undefined) return;
    const { work, over } = this.#running;
    work.abort(new UpkeepHaltedError("Halted the upkeep of a session: it begins anew"));
    await over;
  }

  #due(): ((signal: AbortSignal) => Promise<RunEnd>) | undefined {
    const consolidator = this.#consolidator;
    const { services: { heartbeat } } = this.#options;
    if (heartbeat !== undefined && this.#log?.sessionKey === heartbeat.sessionKey) {
      return this.#cut(heartbeat.recentMessagesMax);
    }
    if (consolidator === undefined) return undefined;
    if (this.#hasRemains) return (signal) => this.#finishRemains(consolidator, signal);
    if (this.#takeCompaction()) return (signal) => this.#compact(consolidator, signal);
    if (!consolidator.isPressed) return undefined;
    return (signal) => consolidator.relieve(signal);
  }

  /** The heartbeat's is never summed up: its newest turns stay, the rest is of use to nobody. */
  #cut(keptMax: number): (() => Promise<RunEnd>) | undefined {
    const log = this.#log;
    if (log === undefined || this.#options.openTurn() !== undefined) return undefined;
    const { messages } = log.conversation;
    const from = keptMax === 0 ? messages.length : suffixStart(messages, 0, keptMax);
    if (from === 0) return undefined;
    return async () => {
      await log.consolidate(from, (metadata) => metadata);
      await log.dropConsolidated();
      return "done";
    };
  }

  /** Whether to compact now: what is in use is left alone, and comes again when it is idle. */
  #takeCompaction(): boolean {
    const idleMs = this.#compactAfterMs;
    this.#compactAfterMs = undefined;
    if (idleMs === undefined || this.#options.openTurn() !== undefined) return false;
    const activeAtMs = this.#log?.conversation.activeAtMs ?? 0;
    return activeAtMs + idleMs <= this.#options.services.clock.now();
  }

  async #compact(consolidator: Consolidator, signal: AbortSignal): Promise<RunEnd> {
    const end = await consolidator.compact(signal);
    const { compaction } = this.#options.services;
    const sessionKey = this.#log?.sessionKey ?? "";
    if (end !== "postponed") compaction?.tell({ type: "session_compacted", sessionKey });
    return end;
  }

  async #finishRemains(consolidator: Consolidator, signal: AbortSignal): Promise<RunEnd> {
    const { services: { journal, files } } = this.#options;
    const sessionKey = this.#log?.sessionKey ?? "";
    const pending = readPending(await journal.note(pendingNote(sessionKey)));
    if (pending !== null) await consolidator.finish(pending);
    if (await journal.note(endedNote(sessionKey)) !== null) {
      const name = endedFileName(sessionFileName(sessionKey));
      const text = await files.read(name) ?? "";
      for (const messages of endedConversations(text)) {
        const end = await consolidator.archive(messages, signal);
        if (end !== "done") return end;
      }
      signal.throwIfAborted(); // another conversation may end any moment
      await this.#putAside(damagedLines(text), sessionKey);
      await files.remove(name);
      await journal.commit({ notes: [{ key: endedNote(sessionKey), value: null }] }, "written");
    }
    this.#hasRemains = false;
    return "done";
  }

  /** What cannot be archived is not lost with its file: somebody may want to mend it. */
  async #putAside(damaged: readonly string[], sessionKey: string): Promise<void> {
    if (damaged.length === 0) return;
    const asideName = `${sessionFileName(sessionKey)}.corrupt`;
    const text = damaged.map((line) => `${line}\n`).join("");
    const { files } = this.#options.services;
    if ((await files.read(asideName))?.endsWith(text)) return; // before a crash
    await files.append(asideName, text);
    logger.warn("Moved {count} damaged lines of an ended conversation to {asideName}", {
      count: damaged.length,
      asideName,
    });
  }
}
