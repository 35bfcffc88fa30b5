/**
 * The steps of one turn, as they go into the journal, and what is known of the turn from them.
 * @module
 */

import type {
  AssistantMessage,
  ChatMessage,
  ToolCall,
  ToolMessage,
  UserMessage,
} from "../../providers/provider.ts";
import type {
  Inbound,
  InboundChange,
  NewOutbound,
  Outbound,
  Settlement,
  Step,
  TurnChange,
} from "../journal/journal.ts";
import { invariant } from "../kernel/invariant.ts";
import { interruptedResult } from "./history.ts";
import type { LineDraft, SessionLog } from "./session_log.ts";

/** An inbound and the line that records it. */
export interface Joining {
  readonly inbound: Inbound;
  readonly message: UserMessage;
}

/** An answer, and how it leaves the inbounds it answers. */
export interface GivenAnswer {
  readonly outcome: "done" | "failed";
  /** The line to store; null stores none. */
  readonly message: AssistantMessage | null;
  /** What is sent; "" only settles. */
  readonly content: string;
  readonly preamble: string;
}

/** What is known of a turn when it was interrupted. */
export interface TurnRemains {
  /** Lines it has written. */
  readonly lines: number;
  /** Its inbounds without an answer, in order. */
  readonly inbounds: readonly Inbound[];
  readonly openCalls: readonly ToolCall[];
  /** Answers it gave. */
  readonly answers: number;
  readonly openRow: Outbound | undefined;
}

/** What ends a turn from outside, to be committed with whatever ends it. */
export interface Closing {
  readonly step: Omit<Step, "lines" | "outbounds">;
  readonly drafts: readonly LineDraft[];
}

/**
 * The durable side of one turn. Each method is one step: when its promise resolves the step is
 * durable. After one that rejected the turn can only be read anew from the journal.
 */
export class TurnSteps {
  readonly turnId: string;
  readonly #log: SessionLog;
  #isOpen = false;
  #lines = 0;
  #inbounds: readonly Inbound[] = [];
  #openCalls: readonly ToolCall[] = [];
  #answers = 0;
  #openRow: Outbound | undefined;

  /** @param remains of a turn that goes on; a new one begins without */
  constructor(log: SessionLog, turnId: string, remains?: TurnRemains) {
    this.turnId = turnId;
    this.#log = log;
    if (remains === undefined) return;
    this.#isOpen = true;
    this.#lines = remains.lines;
    this.#inbounds = remains.inbounds;
    this.#openCalls = remains.openCalls;
    this.#answers = remains.answers;
    this.#openRow = remains.openRow;
  }

  /** The inbounds that the next answer is for; none before the turn began and after its end. */
  get inbounds(): readonly Inbound[] {
    return this.#inbounds;
  }

  /** The first of them: where the turn's answers go. */
  get inbound(): Inbound {
    const [inbound] = this.#inbounds;
    invariant(inbound !== undefined, "a running turn has an inbound");
    return inbound;
  }

  /** The row in which the next answer grows; undefined where the channel does not stream. */
  get openRow(): Outbound | undefined {
    return this.#openRow;
  }

  /** The turn begins with its first inbound. */
  async begin(joining: Joining): Promise<void> {
    this.#isOpen = true;
    await this.#join([joining], { turn: this.#turn("begin") });
  }

  /** The turn goes on after an interruption: calls without a result get one that says so. */
  async resume(): Promise<void> {
    const drafts = this.#openCalls.map((call) => this.#draft(interruptedResult(call)));
    this.#openCalls = [];
    const outbounds = this.#openRow === undefined ? this.#growing(this.#inbounds) : [];
    const rows = await this.#log.commit({ turn: this.#turn("begin"), outbounds }, drafts);
    this.#openRow ??= rows[0];
  }

  /** The model asks for tools. Gives the number of the line. */
  async askForTools(message: AssistantMessage): Promise<number> {
    this.#openCalls = message.tool_calls ?? [];
    const draft = this.#draft(message);
    await this.#log.commit({ turn: this.#turn("progress") }, [draft]);
    return draft.line;
  }

  /** A call has its result. */
  async endCall(result: ToolMessage): Promise<void> {
    this.#openCalls = this.#openCalls.filter((call) => call.id !== result.tool_call_id);
    await this.#log.commit({ turn: this.#turn("progress") }, [this.#draft(result)]);
  }

  /** Follow-ups join the turn. */
  async join(joining: readonly Joining[]): Promise<void> {
    await this.#join(joining, { turn: this.#turn("progress") });
  }

  /**
   * An answer is given to the turn's inbounds; with `next` the turn goes on for those, without it
   * ends.
   */
  async answer(answer: GivenAnswer, next: readonly Joining[] = []): Promise<void> {
    const row = this.#row(this.#inbounds, {
      state: "pending",
      content: answer.content,
      preamble: answer.preamble,
      settles: settlements(this.#inbounds, answer.outcome),
    });
    const ends = changes(this.#inbounds, answer.outcome);
    const drafts = answer.message === null ? [] : [this.#draft(answer.message)];
    this.#inbounds = [];
    this.#openRow = undefined;
    this.#answers++;
    const turn = this.#turn(next.length === 0 ? "end" : "progress");
    await this.#join(next, { turn, inbounds: ends, outbounds: [row] }, drafts);
    this.#isOpen = next.length > 0;
  }

  /**
   * What closes the turn now: results for open calls, a closing line, the ends of its inbounds.
   * Nothing when it never began, or has ended.
   *
   * @param note the closing line; null where the history is gone
   */
  closing(state: "failed" | "stopped", note: string | null): Closing {
    if (!this.#isOpen) return { step: {}, drafts: [] };
    const step = { turn: this.#turn("end"), inbounds: changes(this.#inbounds, state) };
    if (note === null) return { step, drafts: [] };
    const drafts = this.#openCalls.map((call) => this.#draft(interruptedResult(call)));
    drafts.push(this.#draft({ role: "assistant", content: note }));
    return { step, drafts };
  }

  /** The row of the next answer, with this in it. */
  finalRow(content: string, preamble: string, outcome: Settlement["outcome"]): NewOutbound {
    return this.#row(this.#inbounds, {
      state: "pending",
      content,
      preamble,
      settles: settlements(this.#inbounds, outcome),
    });
  }

  async #join(
    joining: readonly Joining[],
    step: Omit<Step, "lines">,
    before: readonly LineDraft[] = [],
  ): Promise<void> {
    const inbounds = joining.map(({ inbound }) => inbound);
    const drafts = joining.map(({ inbound, message }) => this.#draft(message, inbound.seq));
    const outbounds = this.#openRow === undefined ? this.#growing(inbounds) : [];
    this.#inbounds = [...this.#inbounds, ...inbounds];
    const rows = await this.#log.commit({
      ...step,
      inbounds: [
        ...step.inbounds ?? [],
        ...inbounds.map(({ seq }) => ({ seq, state: "running" as const, turnId: this.turnId })),
      ],
      outbounds: [...step.outbounds ?? [], ...outbounds],
    }, [...before, ...drafts]);
    this.#openRow ??= rows.find((row) => row.state === "open");
  }

  /** The row in which an answer to `inbounds` grows, if one of them wants to see that. */
  #growing(inbounds: readonly Inbound[]): NewOutbound[] {
    if (!inbounds.some((inbound) => inbound.wantsStream)) return [];
    return [this.#row(inbounds, { state: "open", content: "", preamble: "", settles: [] })];
  }

  #row(
    inbounds: readonly Inbound[],
    fields: Pick<NewOutbound, "state" | "content" | "preamble" | "settles">,
  ): NewOutbound {
    const [inbound] = inbounds;
    invariant(inbound !== undefined, "an answer answers an inbound");
    const { channel, chatId, context } = inbound;
    const { sessionKey } = this.#log;
    const key = `${this.turnId}:${this.#answers}`;
    return { key, channel, chatId, sessionKey, context, media: [], isPlain: false, ...fields };
  }

  /** Numbers are given when a step is handed in: the journal commits in that order. */
  #draft(message: ChatMessage, inboundSeq: number | null = null): LineDraft {
    return { turnId: this.turnId, line: this.#lines++, inboundSeq, message };
  }

  #turn(change: TurnChange["change"]): TurnChange {
    return { turnId: this.turnId, sessionKey: this.#log.sessionKey, change };
  }
}

/** How the inbounds end in the journal. */
export function changes(
  inbounds: readonly Inbound[],
  state: "done" | "failed" | "stopped",
): InboundChange[] {
  return inbounds.map(({ seq }) => ({ seq, state }));
}

/** How the inbounds end at their platform. */
export function settlements(
  inbounds: readonly Inbound[],
  outcome: Settlement["outcome"],
): Settlement[] {
  return inbounds.map(({ platformId }) => ({ platformId, outcome }));
}
