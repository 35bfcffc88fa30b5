/**
 * What the journal keeps of what model calls used.
 * @module
 */

import assert from "node:assert/strict";
import type { Journal, UsageEntry, UsageScope } from "../../../actors/journal/journal.ts";
import { NO_USAGE } from "../../../actors/journal/usage.ts";
import { BEGIN, END, SESSION } from "../../actors/journal/fixtures.ts";
import { BROKEN, type Contract } from "./harness.ts";

const DAY_MS = 24 * 3_600_000;

/** One call of a model. */
function aCall(fields: Partial<UsageEntry> = {}): UsageEntry {
  return {
    ...NO_USAGE,
    sessionKey: SESSION,
    day: "2026-04-30",
    provider: "openai",
    model: "gpt-5",
    calls: 1,
    inputTokens: 100,
    outputTokens: 10,
    ...fields,
  };
}

/** The input tokens of sums, by name and model. */
async function sums(journal: Journal, scope: UsageScope, from: string, to = from) {
  const rows = await journal.usage({ scope, from, to });
  return rows.map(({ name, model, inputTokens }) => [name, model, inputTokens]);
}

/** Usage. */
export function testUsage(contract: Contract): void {
  contract.test("adds usage up by day, session and turn, and knows it after a restart", async (world) => {
    const { clock, home, journal } = world;
    const full = {
      calls: 2,
      estimatedCalls: 1,
      unpricedCalls: 1,
      inputTokens: 7,
      cachedTokens: 6,
      cacheWriteTokens: 5,
      outputTokens: 4,
      reasoningTokens: 3,
      costNanos: 2 ** 50,
    };
    await journal.commit({ ...BEGIN, usage: [aCall(full), aCall({ model: '"o\0"' })] });
    await clock.advance(5);
    await journal.commit({ usage: [aCall(full)] });
    await journal[Symbol.asyncDispose]();
    await using reopened = home.open();
    const twice = Object.fromEntries(Object.entries(full).map(([key, value]) => [key, value * 2]));
    const [other, row] = await reopened.usage({ scope: "session", from: SESSION, to: SESSION });
    assert.equal(other?.model, '"o\0"');
    assert.deepEqual(row, {
      scope: "session",
      name: SESSION,
      provider: "openai",
      model: "gpt-5",
      updatedAtMs: clock.now(),
      ...twice,
    });
    assert.deepEqual(await sums(reopened, "day", "2026-04-30"), [
      ["2026-04-30", '"o\0"', 100],
      ["2026-04-30", "gpt-5", 14],
    ]);
    assert.equal((await sums(reopened, "turn", SESSION)).length, 2);
  });

  contract.test("gives usage of the days between two, both included, in order", async ({ journal }) => {
    const days = ["2026-05-01", "2026-04-30", "2026-04-01", "2026-03-31"];
    for (const day of days) await journal.commit({ usage: [aCall({ day })] });
    assert.deepEqual(await sums(journal, "day", "2026-04-01", "2026-04-30"), [
      ["2026-04-01", "gpt-5", 100],
      ["2026-04-30", "gpt-5", 100],
    ]);
  });

  contract.test("counts a turn anew when the next begins, not when it goes on", async ({ journal }) => {
    await journal.commit({ ...BEGIN, usage: [aCall()] });
    await journal.commit({ ...BEGIN, usage: [aCall()] });
    assert.deepEqual(await sums(journal, "turn", SESSION), [[SESSION, "gpt-5", 200]]);
    await journal.commit(END);
    assert.deepEqual(await sums(journal, "turn", SESSION), [[SESSION, "gpt-5", 200]]);
    await journal.commit({ turn: { turnId: "t2", sessionKey: SESSION, change: "begin" } });
    assert.deepEqual(await sums(journal, "turn", SESSION), []);
    assert.deepEqual(await sums(journal, "session", SESSION), [[SESSION, "gpt-5", 200]]);
  });

  contract.test("counts a session anew on request, and the day not", async ({ journal }) => {
    await journal.commit({ usage: [aCall(), aCall({ sessionKey: "feishu:oc_2" })] });
    await journal.commit({ usageReset: SESSION, usage: [aCall({ inputTokens: 1 })] });
    assert.deepEqual(await sums(journal, "session", SESSION), [[SESSION, "gpt-5", 1]]);
    assert.deepEqual(await sums(journal, "turn", SESSION), [[SESSION, "gpt-5", 1]]);
    assert.deepEqual(await sums(journal, "session", "feishu:oc_2"), [[
      "feishu:oc_2",
      "gpt-5",
      100,
    ]]);
    assert.deepEqual(await sums(journal, "day", "2026-04-30"), [["2026-04-30", "gpt-5", 201]]);
  });

  contract.test("counts nothing of a step that breaks a rule", async ({ journal }) => {
    await assert.rejects(journal.commit({ ...END, usage: [aCall()] }), BROKEN);
    assert.deepEqual(await sums(journal, "day", "2026-04-30"), []);
  });

  contract.test("forgets usage that has not grown for long, a few at a time", async ({ clock, journal }) => {
    for (const day of ["2026-01-01", "2026-01-02"]) {
      await journal.commit({ usage: [aCall({ day })] });
    }
    await clock.advance(DAY_MS);
    await journal.commit({ usage: [aCall({ day: "2026-01-03" })] });
    const old = { finishedBeforeMs: 0, forgottenBeforeMs: 0, usageBeforeMs: clock.now() };
    assert.equal(await journal.prune({ ...old, rowsMax: 1 }), true);
    assert.equal(await journal.prune({ ...old, rowsMax: 100 }), false);
    assert.deepEqual(await sums(journal, "day", "2026-01-01", "2026-12-31"), [
      ["2026-01-03", "gpt-5", 100],
    ]);
    assert.deepEqual(await sums(journal, "session", SESSION), [[SESSION, "gpt-5", 300]]);
  });
}
