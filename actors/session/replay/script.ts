/**
 * The course of a recording, while it is run again: what comes next, and whether what is done is
 * what was done.
 * @module
 */

import type { StepRecord } from "../../journal/journal.ts";
import type { RecallHit } from "../../memory/recall/protocol.ts";
import type {
  RecordedAsk,
  RecordedInbound,
  RecordedRun,
  RecordedStep,
} from "../record/recorded_step.ts";
import { recordedStep } from "../record/recorded_step_schema.ts";
import type { ScriptEntry } from "./recording.ts";
import type { ReplayClock } from "./replay_clock.ts";

/** Where a replay left its recording. */
export interface Divergence {
  readonly turnId: string;
  /** What was different, for people. */
  readonly what: string;
  readonly recorded: string;
  readonly replayed: string;
}

/** A call of a tool that is made once more. */
export type ReplayedCall = Pick<RecordedRun, "id" | "tool" | "args">;

/** One recording on its way. */
export class Script {
  /** Grows with whatever happens. */
  activity = 0;
  divergence: Divergence | undefined;
  readonly #entries: readonly ScriptEntry[];
  readonly #clock: ReplayClock;
  #at: number;
  #asked = 0;
  #waiting: { readonly at: number; readonly go: () => void }[] = [];
  /** The session was awake before the first step: what it knew then is not known. */
  #isBlind: boolean;

  /** @param from where it begins */
  constructor(entries: readonly ScriptEntry[], from: number, clock: ReplayClock) {
    this.#entries = entries;
    this.#clock = clock;
    this.#at = from;
    this.#isBlind = entries[from]?.step.woke !== true;
    const first = entries[from];
    if (first !== undefined) clock.set(first.atMs);
  }

  /** The step that comes next; undefined at the end. */
  get next(): ScriptEntry | undefined {
    return this.#entries[this.#at];
  }

  /** Its number. */
  get at(): number {
    return this.#at;
  }

  /** The session forgets what it knew, as it did then: from now on requests can be compared. */
  wakes(): void {
    if (this.next?.step.woke === true) this.#isBlind = false;
  }

  /** The call of the model that comes next, in whichever step; undefined for none in this turn. */
  get nextAsk(): RecordedAsk | undefined {
    const turnId = this.next?.turnId;
    for (let at = this.#at; this.#entries[at]?.turnId === turnId; at++) {
      const ask = this.#entries[at]?.step.asks?.[at === this.#at ? this.#asked : 0];
      if (ask !== undefined) return ask;
    }
    return undefined;
  }

  /** The turn may not ask the model now: a budget was spent. */
  get isPausing(): boolean {
    const step = this.next?.step;
    return step?.kind === "pause" && step.asks?.[this.#asked] === undefined;
  }

  /** All that the model says in the step that comes next was said: who joins now joins with it. */
  get isSaid(): boolean {
    return (this.next?.step.asks ?? []).length === this.#asked;
  }

  /**
   * The process stopped in order, somebody stopped the turn, or its time was over, and the model
   * said all that it did before: whatever the turn would do next was not done.
   */
  get isEnding(): boolean {
    const { kind, isLate } = this.next?.step ?? {};
    return (kind === "rest" || kind === "close" || isLate === true) && this.isSaid;
  }

  /** The model's next answer in the step that comes next; undefined where it was not asked. */
  takeAsk(): RecordedAsk | undefined {
    const ask = this.next?.step.asks?.[this.#asked];
    if (ask === undefined) return undefined;
    this.#asked++;
    this.activity++;
    return ask;
  }

  /** What a message brought to mind, as it was looked for now. */
  reminded(platformId: string): readonly RecallHit[] {
    for (const { reminded = [] } of this.#stepsOfLife()) {
      const found = reminded.find(([id]) => id === platformId);
      if (found !== undefined) return found[1];
    }
    return [];
  }

  /** When a message was read, as it is read now; undefined where that was not recorded. */
  readAtMs(name: Pick<RecordedInbound, "channel" | "platformId">): number | undefined {
    for (const { reads = [] } of this.#stepsOfLife()) {
      const found = reads.find(({ inbound: { channel, platformId } }) =>
        channel === name.channel && platformId === name.platformId
      );
      if (found !== undefined) return found.readAtMs;
    }
    return undefined;
  }

  /**
   * How long the round of tools took that is over now. Where that was not recorded, nothing came of
   * the round; then it took for ever, and is no reason for the turn to end.
   */
  get tookMs(): number {
    return this.next?.step.tookMs ?? Number.MAX_SAFE_INTEGER;
  }

  /** What a call gave, once all before it is done; undefined where it never came to an end. */
  async takeRun({ id, tool, args }: ReplayedCall): Promise<RecordedRun | undefined> {
    const { at, ran } = this.#resultOf(id) ?? {};
    const wanted = JSON.stringify([tool, args]);
    if (at === undefined || JSON.stringify([ran?.tool, ran?.args]) !== wanted) return undefined;
    this.activity++;
    await this.#reached(at);
    return ran;
  }

  /**
   * Settles when the result of a call is the next step; never where it has none. What needs no tool,
   * such as the refusal of arguments, is there at once in a replay, and had others before it.
   */
  async isDue(callId: string): Promise<void> {
    const result = this.#resultOf(callId);
    await (result === undefined ? new Promise<never>(() => {}) : this.#reached(result.at));
  }

  /** The recording goes on with another life, in which this step was not made. */
  diesBefore(records: readonly StepRecord[]): boolean {
    const entry = this.next;
    const made = records.find(({ turnId }) => turnId !== "");
    const isOtherLife = entry?.step.woke === true || entry?.step.kind === "park";
    if (made === undefined || !isOtherLife) return false;
    const { kind, woke } = recordedStep.parse(JSON.parse(made.text));
    return kind !== entry.step.kind || woke !== entry.step.woke;
  }

  /** The turn was ended before this answer was given: it needs no model, and so is there at once. */
  endsBefore(records: readonly StepRecord[]): boolean {
    const made = records.find(({ turnId }) => turnId !== "");
    const isLate = this.next?.step.isLate === true;
    if (made === undefined || isLate || !this.isEnding) return false;
    return recordedStep.parse(JSON.parse(made.text)).kind === "answer";
  }

  /** A step was committed: is it the one that was recorded? */
  committed(records: readonly StepRecord[]): void {
    for (const { turnId, text } of records) {
      if (turnId === "") continue;
      this.activity++;
      this.#compare(turnId, recordedStep.parse(JSON.parse(text)));
      this.#advance();
    }
  }

  /** It goes another way; only the first time counts. */
  diverge(what: string, recorded: string, replayed: string): void {
    const turnId = this.next?.turnId ?? this.#entries.at(-1)?.turnId ?? "";
    this.divergence ??= { turnId, what, recorded, replayed };
  }

  #compare(turnId: string, step: RecordedStep): void {
    const entry = this.next;
    if (entry === undefined) {
      return this.diverge("a step more than recorded", "(the end)", step.kind);
    }
    const told = this.#comparable(entry.step);
    const done = this.#comparable(asRecorded(step, entry.step));
    if (entry.turnId !== turnId || entry.step.kind !== step.kind) {
      return this.diverge(
        "another step",
        `${entry.step.kind} of ${entry.turnId}`,
        `${step.kind} of ${turnId}`,
      );
    }
    // Earlier versions recorded of a close only what it says.
    const more = step.kind === "close" ? [] : Object.keys(done);
    for (const name of new Set([...Object.keys(told), ...more])) {
      const [recorded = "(nothing)", replayed = "(nothing)"] = [told[name], done[name]];
      if (recorded !== replayed) return this.diverge(nameOf(name, step), recorded, replayed);
    }
  }

  #comparable(whole: RecordedStep): Record<string, string> {
    const { woke: _woke, tookMs: _tookMs, isLate: _isLate, asks, replayable, reminded, ...step } =
      whole;
    // Nothing came to mind, or nothing was looked for: the model sees no difference.
    const hits = reminded?.filter(([, found]) => found.length > 0) ?? [];
    const requests = asks?.map(({ request, system, tools, outcome }) =>
      this.#isBlind ? { outcome } : { request, system, tools, outcome }
    );
    const parts = {
      ...step,
      ...(hits.length > 0 && { reminded: hits }),
      asks: requests,
      ...(!this.#isBlind && { replayable }),
    };
    return Object.fromEntries(
      Object.entries(parts).flatMap(([name, value]) =>
        value === undefined ? [] : [[name, JSON.stringify(value)]]
      ),
    );
  }

  #advance(): void {
    this.#at++;
    this.#asked = 0;
    const next = this.next;
    if (next === undefined) return;
    this.#clock.set(next.atMs);
    for (const { at, go } of this.#waiting) if (at <= this.#at) go();
    this.#waiting = this.#waiting.filter(({ at }) => at > this.#at);
  }

  /** From the next step to the last before the process died. */
  *#stepsOfLife(): Generator<RecordedStep, void, undefined> {
    for (let at = this.#at; at < this.#entries.length; at++) {
      const step = this.#entries[at]?.step;
      if (step === undefined || (step.woke === true && at > this.#at)) return;
      yield step;
    }
  }

  /** Of the round of tools that runs. */
  #resultOf(callId: string): { readonly at: number; readonly ran: RecordedRun } | undefined {
    for (let at = this.#at; this.#entries[at]?.step.kind === "result"; at++) {
      const ran = this.#entries[at]?.step.ran;
      if (ran?.id === callId) return { at, ran };
    }
    return undefined;
  }

  #reached(at: number): Promise<void> {
    if (at <= this.#at) return Promise.resolve();
    const { promise, resolve: go } = Promise.withResolvers<void>();
    this.#waiting.push({ at, go });
    return promise;
  }
}

/** Earlier versions recorded nothing of a call that came to no end: then it is left out. */
function asRecorded({ asks, ...step }: RecordedStep, recorded: RecordedStep): RecordedStep {
  const told = asks?.filter(({ outcome }, index) =>
    outcome.state !== "cut" || recorded.asks?.[index] !== undefined
  );
  return { ...step, ...(told !== undefined && told.length > 0 && { asks: told }) };
}

function nameOf(part: string, { kind }: RecordedStep): string {
  return part === "asks" ? `what the model was asked, or said (${kind})` : `${part} (${kind})`;
}
