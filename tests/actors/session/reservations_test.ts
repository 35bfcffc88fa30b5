import assert from "node:assert/strict";
import { NO_BUDGETS } from "../../../actors/session/budgets.ts";
import { UsageLedger } from "../../../actors/session/usage_ledger.ts";
import { MemoryJournal } from "../../../actors/journal/memory_journal.ts";
import { nextTurn } from "../../../actors/kernel/adapters/event_loop.ts";
import { ManualClock } from "../../support/manual_clock.ts";
import { settle } from "../../support/until.ts";

const DAY_TOKENS = 2_000;

function call(sessionKey: string, tokens: number) {
  const usage = { promptTokens: tokens, completionTokens: 0, totalTokens: tokens };
  return { sessionKey, provider: "p", model: "m", usage, isEstimated: false };
}

function bench(tokens: number | null = DAY_TOKENS) {
  const clock = new ManualClock(Date.UTC(2026, 0, 1, 12));
  const journal = new MemoryJournal({ clock, defer: nextTurn });
  const budgets = { ...NO_BUDGETS, perDay: { tokens, usd: null } };
  const ledger = new UsageLedger({ journal, clock, prices: () => null, budgets, timezone: "UTC" });
  const { signal } = new AbortController();
  const reserve = (key: string, estimate: number, until = signal) =>
    ledger.reserve(
      { sessionKey: key, unbooked: [], estimate: () => call(key, estimate) },
      until,
    );
  const book = (key: string, tokens: number) =>
    journal.commit({ usage: [ledger.entry(call(key, tokens))] });
  const used = async () => {
    const rows = await journal.usage({ scope: "day", from: "2026-01-01", to: "2026-01-01" });
    return rows.reduce((sum, { inputTokens }) => sum + inputTokens, 0);
  };
  return {
    journal,
    reserve,
    book,
    used,
    [Symbol.asyncDispose]: () => journal[Symbol.asyncDispose](),
  };
}

Deno.test("Chats side by side spend a day's budget, and at most one call more", async () => {
  await using ledger = bench();
  const chat = async (key: string) => {
    for (let calls = 0; calls < 50; calls++) {
      const permission = await ledger.reserve(key, 400);
      if (permission.state === "spent") return;
      await settle(); // the model answers
      await ledger.book(key, 375);
      permission.release();
    }
    assert.fail("the budget never ends");
  };
  await Promise.all(Array.from({ length: 8 }, (_, index) => chat(`feishu:oc_${index}`)));
  const used = await ledger.used();
  assert.ok(used >= DAY_TOKENS && used < DAY_TOKENS + 400, `${used} tokens`);
});

Deno.test("A call waits for what another has reserved, and gets what that did not need", async () => {
  await using ledger = bench();
  const first = await ledger.reserve("a", 5_000);
  let second: string | undefined;
  const waiting = ledger.reserve("b", 10).then(({ state }) => second = state);
  await settle();
  assert.equal(second, undefined);
  await ledger.book("a", 100);
  if (first.state === "allowed") first.release();
  assert.equal(await waiting, "allowed");
});

Deno.test("Waiting for what another has reserved ends with the turn", async () => {
  await using ledger = bench();
  await ledger.reserve("a", 5_000);
  const turn = new AbortController();
  const waiting = ledger.reserve("b", 10, turn.signal);
  await settle();
  turn.abort(new Error("stopped"));
  await assert.rejects(waiting, /stopped/);
});

Deno.test("Without a budget nothing is reserved", async () => {
  await using ledger = bench(null);
  for (const key of ["a", "b", "c"]) {
    assert.equal((await ledger.reserve(key, 1e9)).state, "allowed");
  }
});
