import assert from "node:assert/strict";
import { wireUsage } from "../../../actors/gateway/usage_wiring.ts";
import { agentsSchema } from "../../../actors/config/schema/agents.ts";
import { MemoryJournal } from "../../../actors/journal/memory_journal.ts";
import { nextTurn } from "../../../actors/kernel/adapters/event_loop.ts";
import { LogRecorder } from "../../support/log_recorder.ts";
import { ManualClock } from "../../support/manual_clock.ts";

const USAGE = { promptTokens: 1_000_000, completionTokens: 0, totalTokens: 1_000_000 };

/** A ledger from section `agents`, and what was warned of while it was made. */
async function wired(agents: unknown) {
  const parsed = agentsSchema.parse(agents);
  await using recorder = await LogRecorder.start();
  const clock = new ManualClock();
  const journal = new MemoryJournal({ clock, defer: nextTurn });
  const ledger = wireUsage({ agents: () => parsed, journal, clock, provider: "custom" });
  return { ledger, journal, warnings: recorder.warnings("") };
}

Deno.test("wireUsage counts with the prices, limits and zone of the configuration", async () => {
  const { ledger, journal } = await wired({
    defaults: { model: "mine", timezone: "America/New_York" },
    prices: { mine: { input: 0.5 } },
    budgets: { perDay: { usd: 0.5 } },
  });
  const entry = ledger.entry({
    sessionKey: "s",
    provider: "custom",
    model: "mine",
    usage: USAGE,
    isEstimated: false,
  });
  assert.equal(entry.costNanos, 5e8);
  assert.equal(entry.day, "2025-12-31", "it is still New Year's Eve there");
  assert.equal(await ledger.spentBudget("s", []), null);
  await journal.commit({ usage: [entry] });
  assert.deepEqual(await ledger.spentBudget("s", []), {
    period: "day",
    unit: "usd",
    used: 0.5,
    limit: 0.5,
    resumesAtMs: Date.UTC(2026, 0, 1, 5),
  });
});

Deno.test.each<[string, unknown, number]>([
  ["a model without a price", { budgets: { perDay: { usd: 1 } } }, 1],
  ["one with a price", { budgets: { perDay: { usd: 1 } }, prices: { mine: { input: 1 } } }, 0],
  ["a budget of tokens", { budgets: { perDay: { tokens: 1 } } }, 0],
])("wireUsage warns of a budget of money that sees nothing: %s", async (_name, agents, count) => {
  const { warnings } = await wired({ defaults: { model: "mine" }, ...Object(agents) });
  assert.equal(warnings.length, count);
});
