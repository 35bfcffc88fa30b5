/**
 * Pauses a turn that may not ask the model for now: durably, and with a word to all whom it concerns.
 * @module
 */

import { getLogger } from "@logtape/logtape";
import type { ShownText } from "./answer_view.ts";
import { budgetKey, type SpentBudget } from "./budgets.ts";
import type { SessionServices } from "./ports.ts";
import type { TurnSteps } from "./steps.ts";
import { alarmNote } from "./usage_ledger.ts";
import { pausedText, spentText } from "./usage_text.ts";

const logger = getLogger(["troupe", "session", "pausing"]);

/** What is paused. */
export interface Paused {
  readonly sessionKey: string;
  readonly services: Pick<SessionServices, "journal" | "settings" | "usage" | "alarms">;
  readonly steps: TurnSteps;
  /** What people saw of the answer so far. */
  readonly shown: ShownText;
}

/** The note of the turn of a session that is paused, and of what its chat was told. */
export function pausedNote(sessionKey: string): string {
  return `paused:${sessionKey}`;
}

/**
 * Pauses a turn until there is room in `budget`. Its chat hears of it once, however often the
 * process starts meanwhile; the owners once a day.
 *
 * @throws {JournalError} when nothing of it was kept
 */
export async function pauseTurn(
  { sessionKey, services, steps, shown }: Paused,
  budget: SpentBudget,
): Promise<void> {
  const { journal, settings: { timezone }, usage, alarms } = services;
  const key = pausedNote(sessionKey);
  const value = `${steps.turnId} ${budgetKey(budget)}`;
  const wasTold = await journal.note(key) === value;
  const isNews = budget.period === "day" ? await usage.isNews(budget) : !wasTold;
  logger.warn("Pauses turn {turnId} of {sessionKey}: {budget} is spent", {
    turnId: steps.turnId,
    sessionKey,
    budget: budgetKey(budget),
  });
  // Before the note says so: told twice is better than never.
  if (isNews) {
    alarms?.tell({ type: "owners_informed", text: spentText(budget, sessionKey, timezone) });
  }
  const notice = pausedText(budget, timezone);
  await steps.pause({
    content: wasTold ? null : [shown.text, notice].filter((text) => text !== "").join("\n\n"),
    preamble: shown.preamble,
    notes: [
      { key, value },
      ...(budget.period === "day" ? [{ key: alarmNote(budget), value: usage.today }] : []),
    ],
  });
}
