/**
 * What a turn takes in from outside, collected for its next step: messages, answers of the model,
 * results of tools. It commits with the step and costs no commit of its own.
 * @module
 */

import type { ChatRequest, ToolDefinition } from "../../../providers/provider.ts";
import type { Inbound } from "../../journal/journal.ts";
import type { JsonObject } from "../../kernel/json.ts";
import type { RecallHit } from "../../memory/recall/protocol.ts";
import type { ToolMessageOut, ToolResult } from "../../tools/tool.ts";
import type { GuardedCall } from "../guarded_call.ts";
import type { ModelOutcome } from "../model_call.ts";
import type { SessionServices, SessionSettings } from "../ports.ts";
import type { TurnTimes } from "../turn_times.ts";
import type { LifeRecord, RecordRow } from "./life_record.ts";
import { digestOf, withoutImages } from "./digests.ts";
import type {
  RecordedAsk,
  RecordedOutcome,
  RecordedRead,
  RecordedRun,
  RecordedSettings,
  RecordedStep,
  StepKind,
} from "./recorded_step.ts";

/** Characters of a result that are kept beyond what the model sees of it. */
const RESULT_CHARS_MAX = 256 * 1024;

/** What a turn is run with. */
export interface InputScene {
  readonly services: Pick<SessionServices, "settings" | "tools" | "approval" | "heartbeat">;
}

/** What is known of a conversation as a turn begins, or goes on. */
export interface ConversationState {
  readonly metadata: JsonObject;
  readonly replayableCount: number;
}

/** How a call came to its result. */
export interface RunCall {
  readonly result: ToolResult;
  /** As it stands in the conversation. */
  readonly fitted: ToolResult["content"];
  /** Name of the file that holds all of it, where it is long. */
  readonly file: string | undefined;
  readonly sent: readonly ToolMessageOut[];
}

/** What was collected for a step. */
export interface TakenInputs {
  readonly rows: readonly RecordRow[];
  /** The step was never made: what was taken in belongs to whichever is next. */
  readonly putBack: () => void;
}

/** Of one turn. */
export class StepInputs {
  readonly #life: LifeRecord;
  readonly #turnId: string;
  #scene: InputScene | undefined;
  #texts: { readonly digest: string; readonly text: string }[] = [];
  /** Rows of texts that a step was to write which was never made. */
  #unwritten: RecordRow[] = [];
  #reads: BegunRead[] = [];
  #reminded: NonNullable<RecordedStep["reminded"]>[number][] = [];
  #asks: RecordedAsk[] = [];
  readonly #runs = new Map<string, RecordedRun>();
  #tookMs: number | undefined;
  #isLate = false;

  constructor(life: LifeRecord, turnId: string) {
    this.#life = life;
    this.#turnId = turnId;
  }

  /** The turn is run with this. */
  runWith(scene: InputScene): void {
    this.#scene = scene;
  }

  /** The times, with what a round takes noted. */
  timed(times: TurnTimes): TurnTimes {
    return {
      ...times,
      round: () => {
        const whatItTook = times.round();
        return () => this.#tookMs = whatItTook();
      },
    };
  }

  /**
   * A message is read: to be taken in, or again. Those that are read at once come in their order
   * in the turn, whichever is done first.
   *
   * @returns to be called with what was read
   */
  reads(inbound: Inbound, { readAtMs, isAgain }: ReadingMessage): (read: ReadMessage) => void {
    const begun: BegunRead = { inbound, isAgain, read: undefined };
    this.#reads.push(begun);
    return ({ extras, beside }) => {
      const { channel, platformId, chatId, replyChannel, senderId } = inbound;
      const { content, media, context, wantsStream } = inbound;
      const scope = extras["memory_scope"];
      begun.read = {
        inbound: {
          ...{ channel, platformId, chatId, replyChannel, senderId },
          ...{ content, media, context, wantsStream },
        },
        readAtMs,
        // Of one that is read again the line stands, whatever would be said of it now.
        scope: typeof scope === "string" && !isAgain ? scope : null,
        isOwners: extras["from_owner"] === true && !isAgain,
        ...beside,
      };
    };
  }

  /** The turn's time is over, which its next step says. */
  isOutOfTime(): void {
    this.#isLate = true;
  }

  /** What a message brought to mind. */
  reminds({ platformId }: Inbound, hits: readonly RecallHit[]): void {
    this.#reminded.push([platformId, hits]);
  }

  /** The model was asked. What it is asked shapes later requests, were it never to answer. */
  asked(request: ChatRequest, outcome: ModelOutcome | CutCall): void {
    const tools = this.#text(this.#toolsText(request.tools));
    const [first] = request.messages;
    const system = this.#text(first?.role === "system" ? first.content : "");
    this.#asks.push({
      request: this.#life.requests.of(request, tools),
      system,
      tools,
      outcome: plainOutcome(outcome),
    });
  }

  /** A call has its result. */
  ran({ callId, tool, args }: GuardedCall, { result, fitted, file, sent }: RunCall): void {
    const { content } = result;
    const isWhole = typeof content === "string" && content.length <= RESULT_CHARS_MAX &&
      file !== undefined && typeof fitted === "string" && fitted.includes(file);
    this.#runs.set(callId, {
      ...{ id: callId, tool, args, isError: result.isError },
      content: withoutImages(isWhole ? content : fitted),
      ...(isWhole && { file }),
      sent,
    });
  }

  /** All that was collected, for a step. */
  take(
    kind: StepKind,
    { nowMs, callId, joining = [], conversation, close }: {
      readonly nowMs: number;
      /** The call that ends with the step. */
      readonly callId?: string;
      /** What joins with the step; what else was read was taken back. */
      readonly joining?: readonly Inbound[];
      /** Of a turn that begins, or goes on. */
      readonly conversation?: ConversationState;
      /** How the turn was ended from outside. */
      readonly close?: RecordedStep["close"];
    },
  ): TakenInputs {
    const ran = callId === undefined ? undefined : this.#runs.get(callId);
    if (callId !== undefined) this.#runs.delete(callId);
    const isTaken = ({ isAgain, inbound: { seq } }: BegunRead) =>
      isAgain || joining.some((inbound) => inbound.seq === seq);
    const reads = this.#reads.filter(isTaken).flatMap(({ read }) => read ?? []);
    const left = this.#reads.filter((begun) => !isTaken(begun));
    const reminded = this.#reminded.filter(([id]) =>
      !left.some(({ inbound: { platformId } }) => platformId === id)
    );
    const step: RecordedStep = {
      kind,
      ...(conversation !== undefined && this.#stateOf(conversation)),
      ...(reads.length > 0 && { reads }),
      ...(reminded.length > 0 && { reminded }),
      ...(this.#asks.length > 0 && { asks: this.#asks }),
      ...(ran !== undefined && { ran }),
      ...(this.#tookMs !== undefined && { tookMs: this.#tookMs }),
      ...(this.#isLate && { isLate: true as const }),
      ...(close !== undefined && { close }),
    };
    const written = this.#texts.flatMap(({ digest, text }) => this.#life.row(digest, text, nowMs));
    const texts = [...this.#unwritten, ...written];
    const taken = { reads: this.#reads, reminded: this.#reminded, asks: this.#asks };
    this.#forget();
    return {
      rows: [...texts, { turnId: this.#turnId, text: JSON.stringify(step) }],
      putBack: () => {
        this.#unwritten = [...texts, ...this.#unwritten];
        this.#reads = [...taken.reads, ...this.#reads];
        this.#reminded = [...taken.reminded, ...this.#reminded];
        this.#asks = [...taken.asks, ...this.#asks];
      },
    };
  }

  #forget(): void {
    this.#texts = [];
    this.#unwritten = [];
    this.#reads = [];
    this.#tookMs = undefined;
    this.#isLate = false;
    this.#reminded = [];
    this.#asks = [];
  }

  #stateOf({ metadata, replayableCount }: ConversationState): Partial<RecordedStep> {
    const settings = this.#settings();
    return {
      ...(this.#life.wakes() && { woke: true as const }),
      ...(settings !== undefined && { settings: this.#text(JSON.stringify(settings)) }),
      metadata: this.#text(JSON.stringify(metadata)),
      replayable: replayableCount,
    };
  }

  #settings(): RecordedSettings | undefined {
    if (this.#scene === undefined) return undefined;
    const { settings, heartbeat } = this.#scene.services;
    const { sessionKey, recentMessagesMax: recentMax } = heartbeat ?? {};
    const isThere = sessionKey !== undefined && recentMax !== undefined;
    return { settings: named(settings), heartbeat: isThere ? { sessionKey, recentMax } : null };
  }

  #toolsText(definitions: readonly ToolDefinition[]): string {
    const known = toolsTexts.get(definitions);
    if (known !== undefined) return known;
    const services = this.#scene?.services;
    const isShared = ({ name }: ToolDefinition) =>
      services?.approval?.mayAsk(name) !== true && services?.tools.concurrency(name) === "shared";
    const shared = definitions.filter(isShared).map(({ name }) => name);
    const text = JSON.stringify({ definitions, shared });
    toolsTexts.set(definitions, text);
    return text;
  }

  #text(text: string): string {
    const digest = digestOfText(text);
    this.#texts.push({ digest, text });
    return digest;
  }
}

/** The settings alone, in one order: what is read from the record must have the same digest. */
function named(settings: SessionSettings): SessionSettings {
  const { model, temperature, tokensMax, contextWindowTokens, contextBlockLimit } = settings;
  const { reasoningEffort, toolIterationsMax, toolResultCharsMax, timezone, workspace } = settings;
  const { version, idleMs, joinsPerStepMax, joinsPerTurnMax } = settings;
  return {
    ...{ model, temperature, tokensMax, contextWindowTokens, contextBlockLimit },
    ...{ reasoningEffort, toolIterationsMax, toolResultCharsMax, timezone, workspace },
    ...{ version, idleMs, joinsPerStepMax, joinsPerTurnMax },
  };
}

/** How a message is read. */
export interface ReadingMessage {
  /** Epoch milliseconds. */
  readonly readAtMs: number;
  /** It was taken in before. */
  readonly isAgain: boolean;
}

/** What was read of a message. */
export interface ReadMessage {
  /** Further fields of its line. */
  readonly extras: JsonObject;
  readonly beside: ReadBeside;
}

/** A message that is being read. */
interface BegunRead {
  readonly inbound: Inbound;
  readonly isAgain: boolean;
  /** Undefined until it was. */
  read: RecordedRead | undefined;
}

/** What was read beside a message's words. */
export type ReadBeside = Pick<RecordedRead, "images" | "documents">;

/** The row of the line `name` that takes others out of what the model is shown. */
export function asideRow(name: string, note: string, ids: readonly string[]): RecordRow {
  const step: RecordedStep = { kind: "aside", aside: { name, note, ids } };
  return { turnId: name, text: JSON.stringify(step) };
}

/** Texts of tools: the same definitions serve many requests. */
const toolsTexts = new WeakMap<readonly ToolDefinition[], string>();

/** Digests of the newest long texts: system prompts and tools come again and again. */
const newest: { readonly text: string; readonly digest: string }[] = [];
const NEWEST_MAX = 16;

function digestOfText(text: string): string {
  const known = newest.find((entry) => entry.text === text);
  if (known !== undefined) return known.digest;
  const digest = digestOf(text);
  newest.unshift({ text, digest });
  newest.length = Math.min(newest.length, NEWEST_MAX);
  return digest;
}

/** A call of the model that came to no end. */
type CutCall = Extract<RecordedOutcome, { readonly state: "cut" }>;

function plainOutcome(outcome: ModelOutcome | CutCall): RecordedOutcome {
  if (outcome.state === "failed") {
    const { message, code, recovery, userText } = outcome.error;
    return { state: "failed", message, code, recovery, userText };
  }
  return outcome;
}
