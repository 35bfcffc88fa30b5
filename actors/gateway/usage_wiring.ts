/**
 * The ledger of what models use, from the configuration.
 * @module
 */

import { getLogger } from "@logtape/logtape";
import { type PriceList, priceList } from "../../providers/prices.ts";
import type { Config } from "../config/schema.ts";
import type { Journal } from "../journal/journal.ts";
import type { Clock } from "../kernel/clock.ts";
import { derived, liveView } from "../kernel/live_view.ts";
import { UsageLedger } from "../session/usage_ledger.ts";

const logger = getLogger(["troupe", "gateway", "usage_wiring"]);

/** What a ledger is made from. */
export interface UsageWiring {
  /** Section `agents`, as it is at each moment. */
  readonly agents: () => Config["agents"];
  readonly journal: Journal;
  readonly clock: Clock;
  /** Who answers for the first model. */
  readonly provider: string;
}

/** Makes the ledger that all sessions book in. */
export function wireUsage({ agents, journal, clock, provider }: UsageWiring): UsageLedger {
  const prices = derived(agents, ({ prices }) => priceList(prices));
  adviseOnPrice(agents(), prices(), provider);
  return new UsageLedger({
    ...{ journal, clock, timezone: agents().defaults.timezone },
    prices: (...of) => prices()(...of),
    budgets: liveView(() => agents().budgets),
  });
}

/** A budget of money holds nothing back where nobody knows what is spent. */
function adviseOnPrice(
  { budgets, defaults: { model } }: Config["agents"],
  prices: PriceList,
  provider: string,
): void {
  const hasMoneyBudget = budgets.perDay.usd !== null || budgets.perSession.usd !== null;
  if (!hasMoneyBudget || prices(provider, model) !== null) return;
  logger.warn(
    "The price of {model} is not known, so agents.budgets in usd do not hold it back: " +
      "set agents.prices, or a budget in tokens",
    { model },
  );
}
