/**
 * Calls of a model outside conversations: within the budgets, and counted.
 * @module
 */

import type { Journal } from "../journal/journal.ts";
import type { AskedModel } from "../memory/ask_once.ts";
import type { UsageLedger } from "../session/usage_ledger.ts";

/** Whose calls they are, and where they are counted. */
export interface CountedCalls {
  /** The name under which they are counted. */
  readonly sessionKey: string;
  readonly usage: UsageLedger;
  readonly journal: Pick<Journal, "commit">;
  /** Who is asked first. */
  readonly provider: string;
  readonly model: string;
}

/** How {@linkcode askOnce} holds room in the budgets, and books what was used. */
export function countedCalls(
  { sessionKey, usage, journal, provider, model }: CountedCalls,
): Pick<AskedModel, "reserve" | "book"> {
  return {
    reserve: async (most, signal) => {
      const estimate = () => ({ sessionKey, provider, model, usage: most, isEstimated: true });
      const permission = await usage.reserve({ sessionKey, unbooked: [], estimate }, signal);
      if (permission.state === "allowed") return permission;
      const reason = `the budget of the ${permission.budget.period} is spent`;
      return { state: "refused", reason };
    },
    book: async ({ by, usage: used, isEstimated }) => {
      const call = { sessionKey, ...by, usage: used, isEstimated };
      await journal.commit({ usage: [usage.entry(call)] });
    },
  };
}
