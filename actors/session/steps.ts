/**
 * The steps of one turn, as they go into the journal, and what is known of the turn from them.
 * @module
 */

import type {
  AssistantMessage,
  ChatMessage,
  ToolCall,
  ToolMessage,
} from "../../providers/provider.ts";
import type {
  Durability,
  Inbound,
  NewOutbound,
  Outbound,
  Settlement,
  Step,
  TurnChange,
} from "../journal/journal.ts";
import { invariant } from "../kernel/invariant.ts";
import { interruptedResult } from "./history.ts";
import type { StepKind } from "./record/recorded_step.ts";
import { StepInputs } from "./record/step_inputs.ts";
import { SET_ASIDE } from "./session_file.ts";
import type { LineDraft, LogStep, SessionLog } from "./session_log.ts";
import { lineIdOf } from "./session_store.ts";
import { StepBooking } from "./step_booking.ts";
import {
  type AnswerFields,
  answerRows,
  changes,
  type Closing,
  type GivenAnswer,
  type Joining,
  type Parking,
  type Pausing,
  settlements,
  type TurnRemains,
} from "./step_parts.ts";

/**
 * The durable side of one turn. Each method is one step: when its promise resolves the step is
 * durable. After one that rejected the turn can only be read anew from the journal. What only
 * prepares needs no sync of its own: whatever comes of it is synced before anyone sees it.
 */
export class TurnSteps {
  readonly turnId: string;
  /** What goes with the next step. */
  readonly booking: StepBooking = new StepBooking();
  /** What it takes in, for the record. */
  readonly inputs: StepInputs;
  readonly #log: SessionLog;
  #isOpen = false;
  #lines = 0;
  #inbounds: readonly Inbound[] = [];
  /** Those that wait while the others of the turn run alone. */
  #aside: readonly Inbound[] = [];
  #openCalls: readonly ToolCall[] = [];
  /** A round of tools was interrupted, and none came to its end since. */
  #hasBrokenOff = false;
  #answers = 0;
  #outcome: GivenAnswer["outcome"] | undefined;
  #openRow: Outbound | undefined;
  #mayHavePaused = false;
  /** An attempt of this life counts in the journal. */
  #isCounted = false;

  /** @param remains of a turn that goes on; a new one begins without */
  constructor(log: SessionLog, turnId: string, remains?: TurnRemains) {
    this.turnId = turnId;
    this.#log = log;
    this.inputs = new StepInputs(log.life, turnId);
    if (remains === undefined) return;
    this.#isOpen = true;
    this.#mayHavePaused = true;
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

  /** Those that wait for their turn alone. */
  get aside(): readonly Inbound[] {
    return this.#aside;
  }

  /** All inbounds of the turn that have no answer, in order. */
  get unanswered(): readonly Inbound[] {
    return [...this.#inbounds, ...this.#aside];
  }

  /** The first of them: where the turn's answers go. */
  get inbound(): Inbound {
    const [inbound] = this.#inbounds;
    invariant(inbound !== undefined, "a running turn has an inbound");
    return inbound;
  }

  /** How its newest answer left those that it answered; undefined before the first. */
  get outcome(): GivenAnswer["outcome"] | undefined {
    return this.#outcome;
  }

  /** The row in which the next answer grows; undefined where the channel does not stream. */
  get openRow(): Outbound | undefined {
    return this.#openRow;
  }

  /** The model is asked: what `note` says of a pause is over, if there was one. */
  goesOn(note: string): void {
    if (this.#mayHavePaused) this.booking.forgetNote(note);
    this.#mayHavePaused = false;
  }

  /** The turn begins with its first inbound. */
  async begin(joining: Joining): Promise<void> {
    this.#isOpen = true;
    await this.#join([joining], { turn: this.#turn("begin") }, [], {
      kind: "begin",
      durability: "written",
    });
  }

  /** The turn goes on after an interruption: calls without a result get one that says so. */
  async resume(): Promise<void> {
    await this.#beginAgain("again", { turn: this.#turn("begin") });
  }

  /** The same with the first of the inbounds alone: one of them breaks the turn. */
  async resumeAlone(): Promise<void> {
    const [alone, ...aside] = this.unanswered;
    invariant(alone !== undefined, "a turn that goes on has an inbound");
    this.#inbounds = [alone];
    this.#aside = aside;
    const turn = { ...this.#turn("begin"), soloSeq: alone.seq };
    await this.#beginAgain("alone", { turn });
  }

  /**
   * The attempt ends in good order before its time, and so does not count. One that never came to
   * its first step did not count: an earlier one, of a process that died, still has to.
   */
  async rest(): Promise<void> {
    if (!this.#isOpen || !this.#isCounted) return;
    const turn = this.#turn("rest");
    await this.#commit("rest", { turn }, [], { durability: "written" });
  }

  /** The turn cannot go on for a while. The attempt does not count, and all that it did is kept. */
  async pause({ content, preamble, notes }: Pausing): Promise<void> {
    const outbounds = content === null
      ? []
      : this.#rows(this.#inbounds, { state: "pending", content, preamble, settles: [] });
    if (outbounds.length > 0) {
      this.#openRow = undefined;
      this.#answers++;
    }
    this.#mayHavePaused = true;
    await this.#commit("pause", { turn: this.#turn("rest"), outbounds, notes });
    this.#isCounted = false;
  }

  /**
   * The model asks for tools: the turn got further, unless it only asks again after a round that
   * broke off. Gives the number of the line.
   */
  async askForTools(message: AssistantMessage): Promise<number> {
    this.#openCalls = message.tool_calls ?? [];
    const draft = this.#draft(message);
    const change = this.#hasBrokenOff ? "progress" : "advance";
    await this.#commit("tools", { turn: this.#turn(change) }, [draft]);
    return draft.line;
  }

  /** A call has its result; with all of them the turn got further. */
  async endCall(result: ToolMessage): Promise<void> {
    this.#openCalls = this.#openCalls.filter((call) => call.id !== result.tool_call_id);
    const isRoundOver = this.#openCalls.length === 0;
    if (isRoundOver) this.#hasBrokenOff = false;
    const change = isRoundOver ? "advance" : "progress";
    const callId = result.tool_call_id;
    await this.#commit("result", { turn: this.#turn(change) }, [this.#draft(result)], { callId });
  }

  /** Follow-ups join the turn. */
  async join(joining: readonly Joining[]): Promise<void> {
    await this.#join(joining, { turn: this.#turn("progress") }, [], {
      kind: "join",
      durability: "written",
    });
  }

  /**
   * An answer is given to the turn's inbounds; with `next` the turn goes on for those, without it
   * ends, unless others wait for their turn alone.
   */
  async answer(answer: GivenAnswer, next: readonly Joining[] = []): Promise<void> {
    const { content, preamble, outcome } = answer;
    const settles = settlements(this.#inbounds, outcome);
    // What came from inside may have nothing to say, and nobody to be told that it is over.
    const isSilent = content + preamble === "" && settles.length === 0 && !this.#openRow;
    const rows = isSilent
      ? []
      : this.#rows(this.#inbounds, { state: "pending", content, preamble, settles });
    const ends = changes(this.#inbounds, outcome);
    // Of a round that was cut short.
    const drafts = this.#openCalls.map((call) => this.#draft(interruptedResult(call)));
    if (answer.message !== null) drafts.push(this.#draft(answer.message));
    this.#openCalls = [];
    this.#inbounds = [];
    this.#openRow = undefined;
    this.#answers++;
    this.#outcome = answer.outcome;
    const goesOn = next.length + this.#aside.length > 0;
    const turn = this.#turn(goesOn ? "advance" : "end");
    await this.#join(next, { turn, inbounds: ends, outbounds: rows }, drafts, { kind: "answer" });
    this.#isOpen = goesOn;
  }

  /**
   * An inbound breaks every attempt: it is parked and its sender told. Its lines, and the one that
   * says so, are not shown to the model again. The turn goes on for the others, if there are any.
   */
  async park(culprit: Inbound, { lineIds, note, notice }: Parking): Promise<void> {
    const others = this.unanswered.filter(({ seq }) => seq !== culprit.seq);
    const rows = this.#rows([culprit], {
      state: "pending",
      content: notice,
      preamble: "",
      settles: settlements([culprit], "failed"),
    });
    const drafts = this.#openCalls.map((call) => this.#draft(interruptedResult(call)));
    const setAside = others.length === 0 ? [...lineIds, ...drafts.map(lineIdOf)] : [...lineIds];
    drafts.push({
      ...this.#draft({ role: "assistant", content: note }),
      extras: { [SET_ASIDE]: setAside },
    });
    this.#openCalls = [];
    this.#openRow = undefined;
    this.#answers++;
    this.#inbounds = others;
    this.#aside = [];
    this.#isOpen = others.length > 0;
    await this.#commit("park", {
      turn: this.#turn(this.#isOpen ? "advance" : "end"),
      inbounds: [{ seq: culprit.seq, state: "parked" }],
      outbounds: rows,
    }, drafts);
  }

  /**
   * What closes the turn now: results for open calls, a closing line, the ends of its inbounds.
   * Nothing when it never began, or has ended.
   *
   * @param note the closing line; null where the history is gone
   */
  closing(state: "failed" | "stopped", note: string | null): Closing {
    if (!this.#isOpen) return { step: {}, drafts: [] };
    const step = this.booking.with({
      turn: this.#turn("end"),
      inbounds: changes(this.unanswered, state),
    });
    if (note === null) return { step, drafts: [] };
    const close = { state, note };
    const { rows: recorded } = this.inputs.take("close", { nowMs: this.#log.nowMs, close });
    const drafts = this.#openCalls.map((call) => this.#draft(interruptedResult(call)));
    drafts.push(this.#draft({ role: "assistant", content: note }));
    return { step: { ...step, recorded }, drafts };
  }

  /** The rows of the next answer, with this in them: one, or none where nothing is sent. */
  finalRows(content: string, preamble: string, outcome: Settlement["outcome"]): NewOutbound[] {
    const settles = settlements(this.unanswered, outcome);
    return this.#rows(this.unanswered, { state: "pending", content, preamble, settles });
  }

  async #beginAgain(kind: StepKind, step: Pick<Step, "turn">): Promise<void> {
    if (this.#openCalls.length > 0) this.#hasBrokenOff = true;
    const drafts = this.#openCalls.map((call) => this.#draft(interruptedResult(call)));
    this.#openCalls = [];
    const outbounds = this.#openRow === undefined ? this.#growing(this.#inbounds) : [];
    const rows = await this.#commit(kind, { ...step, outbounds }, drafts, {
      durability: "written",
    });
    this.#openRow ??= rows[0];
  }

  async #join(
    joining: readonly Joining[],
    step: Omit<LogStep, "recorded">,
    before: readonly LineDraft[],
    { kind, ...options }: { readonly kind: StepKind; readonly durability?: Durability },
  ): Promise<void> {
    const inbounds = joining.map(({ inbound }) => inbound);
    const firstLine = this.#lines;
    const drafts = joining.map(({ inbound, message, extras, readAtMs: atMs }) => ({
      ...this.#draft(message, inbound.seq),
      ...{ extras, atMs },
    }));
    const outbounds = this.#openRow === undefined ? this.#growing(inbounds) : [];
    this.#inbounds = [...this.#inbounds, ...inbounds];
    const rows = await this.#commit(
      kind,
      {
        ...step,
        inbounds: [
          ...step.inbounds ?? [],
          ...inbounds.map(({ seq }, index) => ({
            ...{ seq, state: "running" as const },
            ...{ turnId: this.turnId, turnLine: firstLine + index },
          })),
        ],
        outbounds: [...step.outbounds ?? [], ...outbounds],
      },
      [...before, ...drafts],
      { ...options, joining: inbounds },
    );
    this.#openRow ??= rows.find((row) => row.state === "open");
  }

  async #commit(
    kind: StepKind,
    step: Omit<LogStep, "recorded">,
    drafts: readonly LineDraft[] = [],
    { durability = "synced", ...ending }: {
      readonly durability?: Durability;
      /** The call that ends with it. */
      readonly callId?: string;
      readonly joining?: readonly Inbound[];
    } = {},
  ): Promise<readonly Outbound[]> {
    const isBooking = this.booking.usage.length > 0;
    const { conversation, nowMs } = this.#log;
    const begins = kind === "begin" || kind === "again" || kind === "alone";
    const { rows: recorded, putBack } = this.inputs.take(kind, {
      nowMs,
      ...ending,
      ...(begins && { conversation }),
    });
    const whole = { ...this.booking.with(step), recorded };
    const rows = await this.#log.commit(whole, drafts, durability).catch((error) => {
      putBack();
      throw error;
    });
    if (begins) this.#isCounted = true;
    if (isBooking) this.booking.release();
    return rows;
  }

  /** The row in which an answer to `inbounds` grows, if one of them wants to see that. */
  #growing(inbounds: readonly Inbound[]): NewOutbound[] {
    if (!inbounds.some((inbound) => inbound.wantsStream)) return [];
    return this.#rows(inbounds, { state: "open", content: "", preamble: "", settles: [] });
  }

  #rows(
    inbounds: readonly Inbound[],
    fields: Omit<AnswerFields, "key" | "sessionKey">,
  ): NewOutbound[] {
    const key = `${this.turnId}:${this.#answers}`;
    return answerRows(inbounds, { key, sessionKey: this.#log.sessionKey, ...fields });
  }

  /** Numbers are given when a step is handed in: the journal commits in that order. */
  #draft(message: ChatMessage, inboundSeq: number | null = null): LineDraft {
    return { turnId: this.turnId, line: this.#lines++, inboundSeq, message };
  }

  #turn(change: TurnChange["change"]): TurnChange {
    return { turnId: this.turnId, sessionKey: this.#log.sessionKey, change };
  }
}
