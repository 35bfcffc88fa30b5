/**
 * The goal of a session: set, shown and stopped by people, judged by the model, and gone on with
 * after each of its turns. It stands in the journal; each of its turns is a message from inside,
 * which happens once, whatever dies in between.
 * @module
 */

import {
  goalInputId,
  type Inbound,
  type Journal,
  type NewInbound,
  type NewOutbound,
  SYSTEM_CHANNEL,
  systemSource,
} from "../../journal/journal.ts";
import { sumUsage } from "../../journal/usage.ts";
import { type GoalReach, ToolError } from "../../tools/tool.ts";
import type { SessionServices } from "../ports.ts";
import type { SessionLog } from "../session_log.ts";
import type { SessionMemory } from "../session_memory.ts";
import { untilWritten } from "../until_written.ts";
import {
  afterTurn,
  begunAgain,
  ended,
  type Goal,
  type GoalBudget,
  goalNote,
  type GoalUse,
  type GoalVerdict,
  newGoal,
  parseGoal,
  spentOf,
} from "./goal.ts";
import { endText, spentTurn, STOPPED_TURN, turnText } from "./goal_text.ts";
import { goalTurn } from "./goal_turn.ts";

/** What a goal may use where the configuration says nothing. */
const STANDARD: GoalBudget = { turns: 20, tokens: 1_000_000, timeMs: 4 * 3_600_000 };
/** Before the key of a session that has a goal under way, and of one whose goal is over. */
const ACTIVE = "goal:";
const OVER = "goal_over:";

/** What a look came to. */
export type GoalLook =
  /** There is none, or one whose turn has not ended. */
  | { readonly type: "nothing" }
  /** Its next turn was taken in. */
  | { readonly type: "goes_on"; readonly inbound: Inbound }
  | { readonly type: "waits"; readonly delayMs: number };

/** What a desk works with. */
export interface GoalDeskOptions {
  readonly sessionKey: string;
  readonly services: Pick<SessionServices, "journal" | "clock" | "newId" | "goals">;
  readonly memory: Pick<SessionMemory, "withdrawn">;
  /** Ends what waits for the journal. */
  readonly signal: AbortSignal;
}

/** The sessions whose goals are under way. @throws {JournalError} */
export async function sessionsWithGoals(
  journal: Pick<Journal, "noteKeys">,
): Promise<readonly string[]> {
  return (await journal.noteKeys(ACTIVE)).map((key) => key.slice(ACTIVE.length));
}

/** The notes of a session's goals, for whoever forgets the session. */
export function goalNoteKeys(sessionKey: string): readonly string[] {
  return [ACTIVE + sessionKey, OVER + sessionKey];
}

/** Of one session. Whatever it does, it does one thing after another. */
export class GoalDesk {
  readonly #options: GoalDeskOptions;
  #last: Promise<unknown> = Promise.resolve();
  #isUnderWay = false;

  constructor(options: GoalDeskOptions) {
    this.#options = options;
  }

  /** A goal is under way, as far as the last look tells. */
  get isUnderWay(): boolean {
    return this.#isUnderWay;
  }

  /** What a goal has where nothing is said, and may have at most. */
  get limits(): GoalBudget {
    return this.#options.services.goals ?? STANDARD;
  }

  /** The goal that is under way, else the last one; and what the session has used. */
  async read(): Promise<{ readonly goal: Goal | null; readonly use: GoalUse }> {
    const goal = await this.#active() ?? await this.#note(OVER);
    return { goal, use: await this.#use() };
  }

  /** Accounts for the turn of a goal that has ended, and has the next one taken in. */
  look(log: SessionLog): Promise<GoalLook> {
    return this.#inTurn(async () => {
      const goal = await this.#active();
      if (goal === null) return { type: "nothing" };
      const inbound = await this.#inboundOf(goal);
      if (inbound === null) return await this.#takeIn(goal);
      if (inbound.endedAtMs === null) return { type: "nothing" };
      const turn = goalTurn(inbound, log.conversation);
      const next = afterTurn(goal, turn, await this.#use());
      await log.commit({ notes: this.#notes(next), outbounds: this.#notice(next) });
      this.#isUnderWay = next.state === "active";
      return this.#isUnderWay ? await this.#takeIn(next) : { type: "nothing" };
    });
  }

  /**
   * Sets a goal, with the step that ends the command; null where there is one already.
   *
   * @param commit gets the notes that make it durable
   */
  set(
    { text, budget, command }: {
      readonly text: string;
      readonly budget: GoalBudget;
      readonly command: Inbound;
    },
    commit: (goal: Goal, notes: Notes) => Promise<void>,
  ): Promise<Goal | null> {
    return this.#inTurn(async () => {
      if (await this.#active() !== null) return null;
      const { replyChannel, chatId, context, wantsStream } = command;
      const place = { replyChannel, chatId, context, wantsStream };
      return await this.#begin(newGoal({ text, budget, place, ...await this.#birth() }), commit);
    });
  }

  /** Goes on with the goal that was the last; null where there is none. */
  goOn(commit: (goal: Goal, notes: Notes) => Promise<void>): Promise<Goal | null> {
    return this.#inTurn(async () => {
      const over = await this.#active() === null ? await this.#note(OVER) : null;
      if (over === null) return null;
      return await this.#begin(begunAgain(over, await this.#birth()), commit);
    });
  }

  /** Stops the goal that is under way, and the turn of it that waits; false where there is none. */
  stop(log: SessionLog): Promise<boolean> {
    return this.#inTurn(async () => {
      const goal = await this.#active();
      if (goal === null) return false;
      this.#isUnderWay = false;
      await log.commit({ notes: this.#notes(ended(goal, "stopped", "")) });
      const inbound = await this.#inboundOf(goal);
      if (inbound?.state === "accepted") await this.#withdraw(inbound);
      return true;
    });
  }

  /** What a turn for a goal ends with before its time; null where it may go on. */
  async endOf(home: Inbound): Promise<string | null> {
    if (systemSource(home) !== "goal") return null;
    const goal = await this.#active();
    if (goal === null || goalInputId(goal.id, goal.turn) !== home.platformId) return STOPPED_TURN;
    const spent = goal.verdict === null ? spentOf(goal, await this.#use()) : null;
    return spent === null ? null : spentTurn(spent);
  }

  /** The model's say. */
  reach(log: SessionLog): GoalReach {
    return { judge: (verdict) => this.#inTurn(() => this.#judge(verdict, log)) };
  }

  async #judge(verdict: GoalVerdict, log: SessionLog): Promise<void> {
    const goal = await this.#active();
    if (goal === null) {
      throw new ToolError("not_available", "Cannot judge a goal: none is set in this session");
    }
    const inbound = await this.#inboundOf(goal);
    if (inbound !== null && inbound.state !== "accepted") {
      await log.commit({ notes: this.#notes({ ...goal, verdict }) });
      return;
    }
    // Said while something else is talked about: its next turn, which waits or is not due yet, need
    // not begin. No other can begin meanwhile, as one is under way.
    const next = ended(goal, verdict.status, verdict.note);
    this.#isUnderWay = false;
    await log.commit({
      notes: this.#notes(next),
      outbounds: this.#notice(next),
      inbounds: inbound === null ? [] : [{ seq: inbound.seq, state: "stopped" }],
    });
  }

  /** A turn may be about to begin with it. */
  async #withdraw({ seq }: Inbound): Promise<void> {
    this.#options.memory.withdrawn.add(seq);
    await this.#options.services.journal.withdraw(seq);
  }

  async #begin(goal: Goal, commit: (goal: Goal, notes: Notes) => Promise<void>): Promise<Goal> {
    await commit(goal, this.#notes(goal));
    this.#isUnderWay = true;
    return goal;
  }

  async #birth(): Promise<Pick<Goal, "id" | "startedAtMs" | "baseTokens">> {
    const { nowMs: startedAtMs, tokens: baseTokens } = await this.#use();
    return { id: this.#options.services.newId(), startedAtMs, baseTokens };
  }

  async #takeIn(goal: Goal): Promise<GoalLook> {
    const { services: { journal, clock }, sessionKey, signal } = this.#options;
    const use = await this.#use();
    if (goal.dueMs !== null && use.nowMs < goal.dueMs) {
      return { type: "waits", delayMs: goal.dueMs - use.nowMs };
    }
    const inbound = this.#inputOf(goal, use);
    const accepting = () => journal.accept(inbound);
    const accepted = await untilWritten(accepting, { clock, signal, sessionKey });
    if (accepted.state !== "accepted") return { type: "nothing" };
    return { type: "goes_on", inbound: accepted.inbound };
  }

  #inputOf(goal: Goal, use: GoalUse): NewInbound {
    return {
      ...goal.place,
      channel: SYSTEM_CHANNEL,
      platformId: goalInputId(goal.id, goal.turn),
      sessionKey: this.#options.sessionKey,
      senderId: "goal",
      content: turnText(goal, use),
      media: [],
    };
  }

  #notice(goal: Goal): NewOutbound[] {
    const { replyChannel: channel, chatId, context } = goal.place;
    if (channel === null || goal.state === "active") return [];
    const { sessionKey } = this.#options;
    return [{
      ...{ key: `goal:${goal.id}:end`, channel, chatId, sessionKey, context },
      ...{ state: "pending", content: endText(goal), preamble: "", media: [] },
      isPlain: true,
      settles: [],
    }];
  }

  #notes(goal: Goal): Notes {
    const { sessionKey } = this.#options;
    const isActive = goal.state === "active";
    const value = goalNote(goal);
    return [
      { key: ACTIVE + sessionKey, value: isActive ? value : null },
      { key: OVER + sessionKey, value: isActive ? null : value },
    ];
  }

  async #active(): Promise<Goal | null> {
    const goal = await this.#note(ACTIVE);
    this.#isUnderWay = goal !== null;
    return goal;
  }

  async #note(prefix: typeof ACTIVE | typeof OVER): Promise<Goal | null> {
    const { services: { journal }, sessionKey } = this.#options;
    return parseGoal(await journal.note(prefix + sessionKey));
  }

  #inboundOf({ id, turn }: Goal): Promise<Inbound | null> {
    return this.#options.services.journal.inbound(SYSTEM_CHANNEL, goalInputId(id, turn));
  }

  async #use(): Promise<GoalUse> {
    const { services: { journal, clock }, sessionKey } = this.#options;
    const rows = await journal.usage({ scope: "session", from: sessionKey, to: sessionKey });
    const { inputTokens, outputTokens } = sumUsage(rows);
    return { nowMs: clock.now(), tokens: inputTokens + outputTokens };
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#last.then(work);
    this.#last = result.catch(() => {});
    return result;
  }
}

/** Notes of a step. */
type Notes = readonly {
  readonly key: string;
  readonly value: ReturnType<typeof goalNote> | null;
}[];
