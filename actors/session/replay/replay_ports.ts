/**
 * What stands around a session in a replay: everything answers from the recording, and nothing
 * reaches the world.
 * @module
 */

import {
  type ChatEvent,
  type Provider,
  ProviderError,
  type ToolDefinition,
} from "../../../providers/provider.ts";
import type { Inbound, Outbound, Step } from "../../journal/journal.ts";
import type { Durability } from "../../journal/journal_rows.ts";
import { MemoryJournal, type MemoryJournalOptions } from "../../journal/memory_journal.ts";
import { GatewayError } from "../../kernel/errors.ts";
import { untilAborted } from "../../kernel/aborting.ts";
import type { JsonObject } from "../../kernel/json.ts";
import type { ActorRef } from "../../kernel/ref.ts";
import { type MemoryOrigin, MemoryScope } from "../../memory/scope.ts";
import type { ToolConcurrency, ToolContext, ToolResult, ToolRunner } from "../../tools/tool.ts";
import { scopeNamed } from "../archived_chunk.ts";
import { NO_BUDGETS, type SpentBudget } from "../budgets.ts";
import type { ArchivePort, SessionFiles, SessionServices } from "../ports.ts";
import { markedImage } from "../record/digests.ts";
import type {
  RecordedInbound,
  RecordedOutcome,
  RecordedRead,
  RecordedTools,
} from "../record/recorded_step.ts";
import { type CallPermission, UsageLedger, type WantedCall } from "../usage_ledger.ts";
import type { ReplayClock } from "./replay_clock.ts";
import type { Script } from "./script.ts";

/** The recording goes on without this turn: the process died, or somebody stopped it. */
export class ReplayCutError extends GatewayError {
  override readonly name = "ReplayCutError";
  readonly code = "replay_cut";
  readonly recovery = "give_up";
}

/** Never settles; an abort ends the waiting. */
function stall<T>(signal: AbortSignal): Promise<T> {
  return untilAborted(new Promise<T>(() => {}), signal);
}

/** The model: says what it said. */
export class ReplayProvider implements Provider {
  readonly name = "replay";
  readonly #script: Script;
  readonly #onEnd: () => void;

  /** @param onEnd hears that the turn was ended from outside once this was said */
  constructor(script: Script, onEnd: () => void) {
    this.#script = script;
    this.#onEnd = onEnd;
  }

  async *chat(_request: unknown, signal: AbortSignal): AsyncGenerator<ChatEvent, void, void> {
    const ask = this.#script.takeAsk();
    if (ask === undefined || ask.outcome.state === "cut") {
      return yield await stall<ChatEvent>(signal);
    }
    try {
      yield eventOf(ask.outcome);
    } finally {
      if (this.#script.isEnding) this.#onEnd();
    }
  }
}

function eventOf(outcome: Exclude<RecordedOutcome, { readonly state: "cut" }>): ChatEvent {
  if (outcome.state === "answered") {
    const { response, by } = outcome;
    return { type: "finished", response, ...(by !== null && { by }) };
  }
  const { message, code, recovery, userText } = outcome;
  return { type: "failed", error: new ProviderError(message, { code, recovery, userText }) };
}

/** The tools: nothing runs, and each call gives what it gave. */
export class ReplayTools implements ToolRunner {
  readonly #script: Script;
  readonly #toolsOf: (digest: string) => RecordedTools;
  readonly #onFile: (name: string) => void;
  #known: RecordedTools = { definitions: [], shared: [] };

  /** @param onFile hears how the file of a long result is to be called */
  constructor(
    script: Script,
    toolsOf: (digest: string) => RecordedTools,
    onFile: (name: string) => void,
  ) {
    this.#script = script;
    this.#toolsOf = toolsOf;
    this.#onFile = onFile;
  }

  definitions(): readonly ToolDefinition[] {
    const digest = this.#script.nextAsk?.tools;
    if (digest !== undefined) this.#known = this.#toolsOf(digest);
    return this.#known.definitions;
  }

  concurrency(name: string): ToolConcurrency {
    return this.#known.shared.includes(name) ? "shared" : "exclusive";
  }

  async run(tool: string, args: JsonObject, context: ToolContext): Promise<ToolResult> {
    const { send, signal, callId: id = "" } = context;
    const ran = await untilAborted(this.#script.takeRun({ id, tool, args }), signal);
    if (ran === undefined) return await stall(signal);
    for (const message of ran.sent) await send(message);
    if (ran.file !== undefined) this.#onFile(ran.file);
    return { content: ran.content, isError: ran.isError };
  }
}

/** Whose journal it is. */
interface ReplayJournalOptions {
  readonly script: Script;
  readonly sessionKey: string;
  /** Hears that the turn was ended from outside, before the step that it makes. */
  readonly onEnd: () => void;
}

/** A journal in memory, into which messages come as they came. */
export class ReplayJournal extends MemoryJournal {
  readonly #script: Script;
  readonly #sessionKey: string;
  readonly #onEnd: () => void;
  /** What has come, by its names at its platform. */
  readonly #reads = new Map<string, RecordedRead>();
  #hasRefused = false;

  constructor(
    options: Omit<MemoryJournalOptions, "clock"> & { readonly clock: ReplayClock },
    { script, sessionKey, onEnd }: ReplayJournalOptions,
  ) {
    super(options);
    this.#script = script;
    this.#sessionKey = sessionKey;
    this.#onEnd = onEnd;
  }

  /** Whom a message is of, and what was read of it. */
  get archive(): ArchivePort {
    const readOf = ({ channel, chatId, senderId }: MemoryOrigin) =>
      [...this.#reads.values()].findLast(({ inbound }) =>
        inbound.channel === channel && inbound.chatId === chatId && inbound.senderId === senderId
      );
    return {
      scopeOf: (origin) => scopeNamed(readOf(origin)?.scope ?? undefined) ?? MemoryScope.global,
      scopeOfSession: () => MemoryScope.global,
      isOwner: (origin) => readOf(origin)?.isOwners === true,
      append: () => Promise.reject(new TypeError("Cannot archive anything: it is a replay")),
    };
  }

  override async waiting(
    sessionKey: string,
    afterSeq: number,
    limit: number,
  ): Promise<readonly Inbound[]> {
    const { kind, reads = [] } = this.#script.next?.step ?? { kind: "rest" };
    const joins = kind === "join" || kind === "answer";
    const isNew = kind === "begin" || (joins && this.#script.isSaid);
    for (const read of isNew ? reads : []) await this.#comes(read);
    return await super.waiting(sessionKey, afterSeq, limit);
  }

  /** It comes for the first time, or once more: a person had it tried again. */
  async #comes(read: RecordedRead): Promise<void> {
    const sessionKey = this.#sessionKey;
    const accepted = await this.accept({ ...read.inbound, sessionKey });
    if (accepted.state === "duplicate") {
      await this.retry({ kind: "inbound", number: accepted.seq });
    } else this.#reads.set(nameOf(read.inbound), read);
  }

  /** @throws {ReplayCutError} for a step that was never durable: the turn was ended before */
  override async commit(step: Step, durability?: Durability): Promise<readonly Outbound[]> {
    const records = step.records ?? [];
    const isEnded = this.#script.endsBefore(records);
    if (isEnded || this.#script.diesBefore(records)) {
      if (isEnded) this.#onEnd();
      this.#hasRefused = true;
      throw new ReplayCutError("The turn ended here, as it was recorded");
    }
    const rows = await super.commit(step, durability);
    this.#script.committed(step.records ?? []);
    return rows;
  }

  /** Whether a step was refused since this was last asked: a turn may count on it nevertheless. */
  takeRefusal(): boolean {
    const hasRefused = this.#hasRefused;
    this.#hasRefused = false;
    return hasRefused;
  }
}

function nameOf({ channel, platformId }: RecordedInbound): string {
  return JSON.stringify([channel, platformId]);
}

/** Lets every call begin, but where a budget was spent, or the turn was ended before. */
export class ReplayLedger extends UsageLedger {
  readonly #script: Script;

  constructor(
    { script, ...options }: {
      readonly script: Script;
      readonly journal: MemoryJournal;
      readonly clock: ReplayClock;
      readonly timezone: string;
    },
  ) {
    super({ ...options, prices: () => null, budgets: NO_BUDGETS });
    this.#script = script;
  }

  override async reserve(wanted: WantedCall, signal: AbortSignal): Promise<CallPermission> {
    if (this.#script.isPausing) return { state: "spent", budget: SPENT };
    if (this.#script.isEnding) return await stall<CallPermission>(signal);
    return await super.reserve(wanted, signal);
  }
}

/** Which budget it was matters to nobody but the chat. */
const SPENT: SpentBudget = {
  period: "session",
  unit: "tokens",
  used: 0,
  limit: 0,
  resumesAtMs: null,
};

/** What was read of the files of messages. */
export function readingPorts(
  script: Script,
): Pick<SessionServices, "readImage" | "readDocument" | "remind"> {
  const reads = () => script.next?.step.reads ?? [];
  return {
    readImage: (path) => {
      const found = reads().flatMap(({ images }) => images).find(([name]) => name === path)?.[1];
      const image = found && { mime: found.mime, base64: markedImage(found.mark) };
      return Promise.resolve(image ?? null);
    },
    readDocument: (path) => {
      const found = reads().flatMap(({ documents }) => documents).find(([name]) => name === path);
      return Promise.resolve(found?.[1] ?? { state: "unreadable", reason: "it was not recorded" });
    },
    remind: ({ platformId }) => Promise.resolve(script.reminded(platformId)),
  };
}

/** Takes everything, and does nothing. */
export const NOBODY: ActorRef<unknown> = {
  name: "/replay/nobody",
  tell: () => "taken",
  ask: () => Promise.reject(new TypeError("Cannot ask anybody: it is a replay")),
};

/** Files in memory. */
export class ReplayFiles implements SessionFiles {
  readonly #texts = new Map<string, string>();

  read(name: string): Promise<string | null> {
    return Promise.resolve(this.#texts.get(name) ?? null);
  }

  append(name: string, text: string): Promise<void> {
    return this.replace(name, (this.#texts.get(name) ?? "") + text);
  }

  replace(name: string, text: string): Promise<void> {
    this.#texts.set(name, text);
    return Promise.resolve();
  }

  remove(name: string): Promise<void> {
    this.#texts.delete(name);
    return Promise.resolve();
  }
}
