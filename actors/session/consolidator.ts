/**
 * Moves the older part of a conversation into memory, beside the session: a stretch is summed up,
 * the summary made durable, appended to memory once, and only then does the conversation begin
 * after it. The lines stay in the file.
 * @module
 */

import { getLogger } from "@logtape/logtape";
import { MemoryScope } from "../memory/scope.ts";
import type { PermitLease } from "./approval_desk.ts";
import {
  byScope,
  chunkKey,
  encodePending,
  isOfOwners,
  type PendingChunk,
  type PendingEntry,
  pendingNote,
  type ScopedMessages,
  scopeNamed,
} from "./archived_chunk.ts";
import { chunkText } from "./chunk_text.ts";
import {
  chunkEnd,
  conversationRoom,
  GrowingCount,
  settledEnd,
  suffixStart,
  tokensFrom,
} from "./consolidation_plan.ts";
import { Conversation } from "./conversation.ts";
import { inputBudget } from "./governance.ts";
import { withSummary } from "./last_summary.ts";
import type { ArchivePort, SessionServices } from "./ports.ts";
import type { StoredMessage } from "./session_file.ts";
import type { SessionLog } from "./session_log.ts";
import type { SessionMemory } from "./session_memory.ts";
import { chunkTokensMax, type Summary } from "./summariser.ts";
import { NOT_ASKED, SummaryAsker } from "./summary_asker.ts";

const logger = getLogger(["troupe", "session", "consolidator"]);

/** Stretches that one run sums up; what is left then waits for the next turn. */
const ROUNDS_MAX = 5;
/** Tokens of a stretch that is kept as it is, as nobody could sum it up. */
const RAW_TOKENS_MAX = 4_000;

/** What a consolidator works with. */
export interface ConsolidatorOptions {
  readonly services: SessionServices;
  readonly archive: ArchivePort;
  readonly log: SessionLog;
  readonly memory: SessionMemory;
  /** Each question to the model has one, like a turn. */
  readonly permit: PermitLease;
  /** Id of the turn whose messages stay as they are, while there is one. */
  readonly openTurn: () => string | undefined;
}

/**
 * How a run ended. `failed`: the model could not sum up what is now kept as it is. `postponed`: a
 * budget is spent, and nothing was done.
 */
export type RunEnd = "done" | "failed" | "postponed";

/** What is to be kept of messages. */
interface Digest {
  readonly entries: readonly PendingEntry[];
  readonly summary: string | null;
  readonly hasFailed: boolean;
}

/** Works for one session, one run at a time. */
export class Consolidator {
  readonly #options: ConsolidatorOptions;
  readonly #count = new GrowingCount();
  readonly #asker: SummaryAsker;

  constructor(options: ConsolidatorOptions) {
    this.#options = options;
    const { services, permit, log: { sessionKey } } = options;
    this.#asker = new SummaryAsker({ services, permit, sessionKey });
  }

  /** Whether the conversation takes up too much of the model's window, and part of it may go. */
  get isPressed(): boolean {
    const room = this.#room;
    if (room === null) return false;
    const { messages, lastConsolidated } = this.#conversation;
    if (!this.#count.isOver(messages, lastConsolidated, room.trigger)) return false;
    return settledEnd(messages, lastConsolidated, this.#options.openTurn()) > lastConsolidated;
  }

  /**
   * Sums up what is oldest, round by round, until the conversation takes up half of the room.
   *
   * @throws the signal's reason when it aborts; what the ports throw
   */
  async relieve(signal: AbortSignal): Promise<RunEnd> {
    for (let round = 0; round < ROUNDS_MAX; round++) {
      const room = this.#room;
      const { messages, lastConsolidated: from } = this.#conversation;
      const excess = room === null ? 0 : this.#excess(room.target);
      if (excess <= 0) return "done";
      const limit = settledEnd(messages, from, this.#options.openTurn());
      const end = await this.#round({ limit, excess, mayAsk: true }, signal);
      if (end !== "moved") return end;
    }
    return "done";
  }

  /**
   * Sums up all but the newest messages of an idle conversation, and lets go of what was summed up.
   * Messages that come meanwhile stay.
   *
   * @throws the signal's reason when it aborts; what the ports throw
   */
  async compact(signal: AbortSignal): Promise<RunEnd> {
    const { log } = this.#options;
    const limit = suffixStart(this.#conversation.messages, this.#conversation.lastConsolidated);
    let hasFailed = false;
    while (this.#conversation.lastConsolidated < limit) {
      const end = await this.#round({ limit, excess: Infinity, mayAsk: !hasFailed }, signal);
      if (end === "postponed") return end;
      if (end === "done") break;
      if (end === "failed") hasFailed = true;
    }
    signal.throwIfAborted();
    if (this.#conversation.lastConsolidated > 0) await log.dropConsolidated();
    return hasFailed ? "failed" : "done";
  }

  /**
   * Archives the messages of a conversation that has ended; done twice, they still stand there once.
   *
   * @throws the signal's reason when it aborts; what the ports throw
   */
  async archive(ended: readonly StoredMessage[], signal: AbortSignal): Promise<RunEnd> {
    const { services: { settings, clock }, log } = this.#options;
    const was = new Conversation(log.sessionKey, { messages: ended, metadata: null }, clock.now());
    const messages = was.replayed();
    let hasFailed = false;
    for (let from = 0; from < messages.length;) {
      if (!hasFailed && await this.#isSpent()) return "postponed";
      const tokensMax = chunkTokensMax(settings);
      const end = chunkEnd(messages, { from, limit: messages.length, excess: Infinity, tokensMax });
      const to = end ?? messages.length;
      const digest = await this.#digest({
        messages: messages.slice(from, to),
        earlier: messages.slice(0, from),
        mayAsk: !hasFailed,
      }, signal);
      if (digest === null) return "postponed";
      hasFailed ||= digest.hasFailed;
      await this.#append(digest.entries);
      logger.info("Archived {count} messages of the ended conversation {sessionKey}", {
        count: to - from,
        sessionKey: log.sessionKey,
      });
      from = to;
    }
    return "done";
  }

  /**
   * Takes a chunk whose summary is durable into memory, and begins the conversation after it. Done
   * twice, nothing is doubled.
   *
   * @throws what the ports throw; it is still pending then
   */
  async finish(pending: PendingChunk): Promise<void> {
    const { log, services: { journal } } = this.#options;
    const { from, to, chunk, summary, untilMs } = pending;
    await this.#append(pending.entries);
    const there = this.#conversation.messages.slice(from, to);
    const isThere = to > this.#conversation.lastConsolidated &&
      chunkKey(log.sessionKey, null, there) === chunk;
    if (isThere) {
      await log.consolidate(
        to,
        (metadata) =>
          summary === null ? metadata : withSummary(metadata, { text: summary, untilMs }),
      );
      logger.info("Summed up {count} messages of {sessionKey}", {
        count: to - from,
        sessionKey: log.sessionKey,
      });
    }
    await journal.commit({ notes: [{ key: pendingNote(log.sessionKey), value: null }] }, "written");
  }

  get #conversation(): SessionLog["conversation"] {
    return this.#options.log.conversation;
  }

  /** Tokens beyond `target`; those beyond what is summed up at once need not be counted. */
  #excess(target: number): number {
    const { messages, lastConsolidated } = this.#conversation;
    const enough = target + chunkTokensMax(this.#options.services.settings);
    return tokensFrom(messages, lastConsolidated, enough) - target;
  }

  get #room(): ReturnType<typeof conversationRoom> | null {
    const { services: { settings }, memory } = this.#options;
    const limit = memory.requestLimit(inputBudget(settings));
    return limit === null ? null : conversationRoom(limit, memory.overheadTokens);
  }

  async #round(
    { limit, excess, mayAsk }: {
      readonly limit: number;
      readonly excess: number;
      readonly mayAsk: boolean;
    },
    signal: AbortSignal,
  ): Promise<RunEnd | "moved"> {
    const { services: { settings, journal }, log } = this.#options;
    const { messages, lastConsolidated: from } = this.#conversation;
    const tokensMax = chunkTokensMax(settings);
    const to = chunkEnd(messages, { from, limit, excess, tokensMax });
    if (to === null) return "done";
    if (mayAsk && await this.#isSpent()) return "postponed";
    const chunk = messages.slice(from, to);
    const shown = chunk.filter((stored) => this.#conversation.isShown(stored));
    const digest = await this.#digest(
      { messages: shown, earlier: messages.slice(0, from), mayAsk },
      signal,
    );
    if (digest === null) return "postponed";
    const { entries, summary, hasFailed } = digest;
    const pending: PendingChunk = {
      from,
      to,
      chunk: chunkKey(log.sessionKey, null, chunk),
      entries,
      summary,
      untilMs: chunk.findLast(({ timestampMs }) => timestampMs !== null)?.timestampMs ?? null,
    };
    const note = { key: pendingNote(log.sessionKey), value: encodePending(pending) };
    await journal.commit({ notes: [note] });
    await this.finish(pending);
    return hasFailed ? "failed" : "moved";
  }

  /**
   * What is to be kept of messages: summaries, or the messages themselves where that fails. Null
   * when a budget was spent before all was summed up.
   */
  async #digest(
    { messages, earlier, mayAsk }: {
      readonly messages: readonly StoredMessage[];
      readonly earlier: readonly StoredMessage[];
      readonly mayAsk: boolean;
    },
    signal: AbortSignal,
  ): Promise<Digest | null> {
    const { archive, log: { sessionKey } } = this.#options;
    const entries: PendingEntry[] = [];
    const summaries: string[] = [];
    let hasFailed = !mayAsk;
    for (const group of byScope(messages, archive.scopeOfSession(sessionKey), earlier)) {
      const made = hasFailed ? NOT_ASKED : await this.#asker.ask(group.messages, signal);
      if (made.state === "postponed") return null;
      hasFailed ||= made.state === "failed";
      if (made.state === "summary") summaries.push(made.text);
      if (made.state !== "nothing") entries.push(entryOf(group, made, sessionKey));
    }
    return {
      entries,
      summary: summaries.length === 0 ? null : summaries.join("\n"),
      hasFailed: mayAsk && hasFailed,
    };
  }

  async #append(entries: readonly PendingEntry[]): Promise<void> {
    const { archive, log: { sessionKey } } = this.#options;
    for (const { scope, isOwners = false, ...entry } of entries) {
      const whose = scope === null ? MemoryScope.global : scopeNamed(scope);
      if (whose === null) {
        logger.error("Cannot archive a part of {sessionKey}: no memory is named {scope}", {
          sessionKey,
          scope,
        });
        continue;
      }
      await archive.append(whose, { ...entry, sessionKey, ...(isOwners && { isOwners }) });
    }
  }

  async #isSpent(): Promise<boolean> {
    const { services: { usage }, log } = this.#options;
    return await usage.spentBudget(log.sessionKey, []) !== null;
  }
}

function entryOf(
  { scope, messages }: ScopedMessages,
  made: Exclude<Summary, { state: "nothing" }>,
  sessionKey: string,
): PendingEntry {
  const name = scope.isGlobal ? null : scope.key;
  const key = chunkKey(sessionKey, name, messages);
  const said = made.state === "summary"
    ? { kind: "summary" as const, content: made.text }
    : { kind: "raw" as const, content: rawText(messages) };
  return { scope: name, key, ...said, ...(isOfOwners(messages) && { isOwners: true }) };
}

function rawText(messages: readonly StoredMessage[]): string {
  return `[RAW] ${messages.length} messages\n${chunkText(messages, RAW_TOKENS_MAX, "archive")}`;
}
