import assert from "node:assert/strict";
import { countedCalls } from "../../../actors/gateway/counted_calls.ts";
import { MemoryJournal } from "../../../actors/journal/memory_journal.ts";
import { nextTurn } from "../../../actors/kernel/adapters/event_loop.ts";
import { askOnce } from "../../../actors/memory/ask_once.ts";
import type { BudgetSettings } from "../../../actors/session/budgets.ts";
import { SummaryAsker } from "../../../actors/session/summary_asker.ts";
import { UsageLedger } from "../../../actors/session/usage_ledger.ts";
import { ManualClock } from "../../support/manual_clock.ts";
import {
  providerError,
  type ScriptedAnswer,
  ScriptedProvider,
} from "../../support/scripted_provider.ts";
import { benchSettings } from "../../support/session_services.ts";
import { settle } from "../../support/until.ts";

const BUDGETS: BudgetSettings = {
  perDay: { tokens: 1_000, usd: null },
  perSession: { tokens: null, usd: null },
};

function bench(script: readonly (string | ScriptedAnswer)[]) {
  const clock = new ManualClock(Date.UTC(2026, 0, 1, 12));
  const journal = new MemoryJournal({ clock, defer: nextTurn });
  const ledgerOptions = { journal, clock, prices: () => null, timezone: "UTC" };
  const ledger = new UsageLedger({ ...ledgerOptions, budgets: BUDGETS });
  const provider = new ScriptedProvider(script);
  const settings = benchSettings({ tokensMax: 900 });
  const { signal } = new AbortController();
  const asker = new SummaryAsker({
    sessionKey: "a",
    services: { journal, clock, provider, settings, usage: ledger },
    permit: { regain: () => Promise.resolve(), giveBack: () => {} },
  });
  const message = { role: "user" as const, content: "I moved to Bergen" };
  const stored = { message, timestampMs: 0, lineId: "t:1", extras: {} };
  const dreaming = {
    ...{ provider, model: "m", tokensMax: 900, temperature: 0, reasoningEffort: null },
    ...countedCalls({ sessionKey: "dream", usage: ledger, journal, provider: "p", model: "m" }),
  };
  return {
    ledger,
    provider,
    summarise: () => asker.ask([stored], signal),
    dream: () => askOnce(dreaming, { messages: [message], tools: [] }, signal),
    /** Somebody else's call. */
    reserve: async (tokens: number) => {
      const usage = { promptTokens: tokens, completionTokens: 0, totalTokens: tokens };
      const call = { sessionKey: "b", provider: "p", model: "m", usage, isEstimated: false };
      const wanted = { sessionKey: "b", unbooked: [], estimate: () => call };
      const permission = await ledger.reserve(wanted, signal);
      assert.ok(permission.state === "allowed");
      return {
        release: () => permission.release(),
        book: () => journal.commit({ usage: [ledger.entry(call)] }),
      };
    },
    [Symbol.asyncDispose]: () => journal[Symbol.asyncDispose](),
  };
}

const ASKERS = ["summarise", "dream"] as const;

Deno.test.each(ASKERS)(
  "What others may need is not spent meanwhile: %s waits for it",
  async (ask) => {
    await using world = bench(["- moved to Bergen"]);
    const other = await world.reserve(2_000);
    const asking = world[ask]();
    await settle();
    assert.equal(world.provider.requests.length, 0);
    other.release();
    assert.match((await asking).state, /summary|answered/);
  },
);

Deno.test.each(ASKERS)("Nobody is asked where others have spent the budget: %s", async (ask) => {
  await using world = bench([]);
  const other = await world.reserve(2_000);
  const asking = world[ask]();
  await other.book();
  other.release();
  assert.match((await asking).state, /postponed|failed/);
  assert.equal(world.provider.requests.length, 0);
});

Deno.test.each(
  ASKERS.flatMap((ask) =>
    [
      [ask, "answers", "- moved to Bergen"],
      [ask, "fails", { error: providerError("provider_quota", "The account is empty.") }],
    ] as const
  ),
)("While %s asks others wait, and no longer, whether the model %s", async (ask, _how, answer) => {
  const late = Promise.withResolvers<void>();
  const scripted = typeof answer === "string" ? { text: answer } : answer;
  await using world = bench([{ ...scripted, after: late.promise }]);
  const asking = world[ask]();
  await settle();
  // Its prompt and its longest answer would use all of the day's budget but for some tokens.
  const first = await world.reserve(200);
  let isNextAllowed = false;
  const next = world.reserve(10).then(() => isNextAllowed = true);
  await settle();
  assert.equal(isNextAllowed, false);
  late.resolve();
  await asking;
  await next;
  first.release();
});
