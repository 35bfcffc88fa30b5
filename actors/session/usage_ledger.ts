/**
 * Counts what model calls use, and knows what is left. The sums stand in the journal; sessions book
 * with their steps, so that nothing is counted twice or lost.
 * @module
 */

import type { Usage } from "../../providers/provider.ts";
import { costNanos, type PriceList } from "../../providers/prices.ts";
import type { Journal, UsageEntry, UsageRow } from "../journal/journal.ts";
import { NO_USAGE, type UsageCounts } from "../journal/usage.ts";
import { untilAborted } from "../kernel/aborting.ts";
import type { Clock } from "../kernel/clock.ts";
import {
  budgetKey,
  type BudgetSettings,
  type BudgetState,
  budgetStates,
  hasBudgets,
  isSpent,
  type SpentBudget,
} from "./budgets.ts";
import { localDay, nextDayMs } from "./local_day.ts";
import { type Release, Reservations } from "./reservations.ts";

/** What a ledger is made of. */
export interface UsageLedgerOptions {
  readonly journal: Pick<Journal, "usage" | "note">;
  readonly clock: Clock;
  readonly prices: PriceList;
  readonly budgets: BudgetSettings;
  /** IANA name: where days begin. */
  readonly timezone: string;
}

/** A model call that is over. */
export interface FinishedCall {
  readonly sessionKey: string;
  /** Who answered. */
  readonly provider: string;
  readonly model: string;
  readonly usage: Usage;
  /** The provider told nothing: the usage is a guess. */
  readonly isEstimated: boolean;
}

/** A call that wants to begin. */
export interface WantedCall {
  readonly sessionKey: string;
  /** What the session used and has not committed yet. */
  readonly unbooked: readonly UsageEntry[];
  /** What it will use at most, roughly. Asked for only where there are budgets. */
  readonly estimate: () => FinishedCall;
}

/** Whether a call may begin. */
export type CallPermission =
  | { readonly state: "allowed"; readonly release: Release }
  | { readonly state: "spent"; readonly budget: SpentBudget };

/** What was used so far. */
interface Used {
  readonly day: readonly UsageCounts[];
  readonly session: readonly UsageCounts[];
}

/** What was used, for people to look at. */
export interface UsageReport {
  /** The newest turn of the session. */
  readonly turn: readonly UsageRow[];
  readonly session: readonly UsageRow[];
  readonly today: readonly UsageRow[];
  /** The days of this month, today included. */
  readonly month: readonly UsageRow[];
  readonly budgets: readonly BudgetState[];
}

/** One ledger serves all sessions. */
export class UsageLedger {
  readonly #options: UsageLedgerOptions;
  /** Days on which the owners were last told of a budget, by its key. */
  readonly #toldOn = new Map<string, string>();
  readonly #reserved = new Reservations();

  constructor(options: UsageLedgerOptions) {
    this.#options = options;
  }

  /** Today's date. */
  get today(): string {
    return localDay(this.#options.clock.now(), this.#options.timezone);
  }

  /** When the next day begins, in epoch milliseconds. */
  get tomorrowMs(): number {
    return nextDayMs(this.#options.clock.now(), this.#options.timezone);
  }

  /** The entry for a call, to be committed with the step that follows from it. */
  entry({ sessionKey, provider, model, usage, isEstimated }: FinishedCall): UsageEntry {
    const tokens = {
      inputTokens: usage.promptTokens,
      cachedTokens: usage.cachedTokens ?? 0,
      cacheWriteTokens: usage.cacheWriteTokens ?? 0,
      outputTokens: usage.completionTokens,
      reasoningTokens: usage.reasoningTokens ?? 0,
    };
    const price = this.#options.prices(provider, model);
    return {
      ...NO_USAGE,
      ...tokens,
      sessionKey,
      day: this.today,
      provider,
      model,
      calls: 1,
      estimatedCalls: isEstimated ? 1 : 0,
      unpricedCalls: price === null ? 1 : 0,
      costNanos: price === null ? 0 : costNanos(price, tokens),
    };
  }

  /**
   * The limit that keeps a session from calling a model now.
   *
   * @param unbooked what the session used and has not committed yet
   * @throws {JournalError}
   */
  async spentBudget(
    sessionKey: string,
    unbooked: readonly UsageEntry[],
  ): Promise<SpentBudget | null> {
    if (!hasBudgets(this.#options.budgets)) return null;
    return this.#spent(await this.#used(sessionKey, unbooked));
  }

  /**
   * Lets a call begin and reserves what it may use, until that is released. Where only what others
   * have reserved stands in the way, it waits for them: they may need less.
   *
   * @throws {JournalError}; the signal's reason when it aborts
   */
  async reserve(
    { sessionKey, unbooked, estimate }: WantedCall,
    signal: AbortSignal,
  ): Promise<CallPermission> {
    if (!hasBudgets(this.#options.budgets)) return { state: "allowed", release: () => {} };
    for (;;) {
      const { freed } = this.#reserved;
      const used = await this.#used(sessionKey, unbooked);
      const budget = this.#spent(used);
      if (budget !== null) return { state: "spent", budget };
      if (this.#spent(this.#withReserved(used, sessionKey)) === null) {
        return { state: "allowed", release: this.#reserved.add(this.entry(estimate())) };
      }
      await untilAborted(freed, signal);
    }
  }

  async #used(sessionKey: string, unbooked: readonly UsageEntry[]): Promise<Used> {
    const [day, session] = await Promise.all([this.#today(), this.#session(sessionKey)]);
    const today = this.today;
    return {
      day: [...day, ...unbooked.filter((entry) => entry.day === today)],
      session: [...session, ...unbooked],
    };
  }

  #withReserved({ day, session }: Used, sessionKey: string): Used {
    const { entries } = this.#reserved;
    const own = entries.filter((entry) => entry.sessionKey === sessionKey);
    return { day: [...day, ...entries], session: [...session, ...own] };
  }

  #spent(used: Used): SpentBudget | null {
    const spent = budgetStates(this.#options.budgets, used).find(isSpent);
    if (spent === undefined) return null;
    return { ...spent, resumesAtMs: spent.period === "day" ? this.tomorrowMs : null };
  }

  /** @throws {JournalError} */
  async report(sessionKey: string): Promise<UsageReport> {
    const { journal, budgets } = this.#options;
    const today = this.today;
    const [turn, session, month] = await Promise.all([
      this.turn(sessionKey),
      this.#session(sessionKey),
      journal.usage({ scope: "day", from: `${today.slice(0, 8)}01`, to: today }),
    ]);
    const day = month.filter(({ name }) => name === today);
    const states = budgetStates(budgets, { day, session });
    return { turn, session, today: day, month, budgets: states };
  }

  /** What the newest turn of a session used. @throws {JournalError} */
  turn(sessionKey: string): Promise<readonly UsageRow[]> {
    return this.#options.journal.usage({ scope: "turn", from: sessionKey, to: sessionKey });
  }

  /**
   * Whether the owners have not heard yet today that a budget of the day is spent; they have after
   * this, once the note under `alarmNote` is committed.
   *
   * @throws {JournalError}
   */
  async isNews(budget: SpentBudget): Promise<boolean> {
    const today = this.today;
    const noted = await this.#options.journal.note(alarmNote(budget));
    const told = this.#toldOn.get(budgetKey(budget)) ?? noted;
    this.#toldOn.set(budgetKey(budget), today);
    return told !== today;
  }

  #today(): Promise<readonly UsageRow[]> {
    const today = this.today;
    return this.#options.journal.usage({ scope: "day", from: today, to: today });
  }

  #session(sessionKey: string): Promise<readonly UsageRow[]> {
    return this.#options.journal.usage({ scope: "session", from: sessionKey, to: sessionKey });
  }
}

/** The note of the day on which the owners were told of a budget. */
export function alarmNote(budget: Pick<BudgetState, "period" | "unit">): string {
  return `budget_told:${budgetKey(budget)}`;
}
