import assert from "node:assert/strict";
import { sumUsage, type UsageCounts, type UsageScope } from "../../../actors/journal/usage.ts";
import { withFallback } from "../../../providers/fallback.ts";
import { providerError, ScriptedProvider } from "../../support/scripted_provider.ts";
import type { Usage } from "../../../providers/provider.ts";
import { ManualClock } from "../../support/manual_clock.ts";
import { SessionBench } from "../../support/session_bench.ts";
import { until } from "../../support/until.ts";

const TODAY = "2026-01-01";
const CHEAP = { input: 1, output: 2, cachedInput: 0.5, cacheWrite: 1 };

/** What a call told. */
function told(promptTokens: number, completionTokens: number, rest: Partial<Usage> = {}): Usage {
  return { promptTokens, completionTokens, totalTokens: promptTokens + completionTokens, ...rest };
}

/** What was booked, in all. */
async function booked(bench: SessionBench, scope: UsageScope = "session"): Promise<UsageCounts> {
  const name = scope === "day" ? TODAY : bench.sessionKey;
  return sumUsage(await bench.journal.usage({ scope, from: name, to: name }));
}

Deno.test("A turn books the usage of all its calls, by turn, session and day", async () => {
  await using bench = new SessionBench({
    prices: () => CHEAP,
    tools: { look: { run: () => "seen" } },
    script: [
      { calls: [{ name: "look" }], usage: told(100, 10, { cachedTokens: 40, reasoningTokens: 4 }) },
      { text: "one", usage: told(150, 20) },
      { text: "two", usage: told(200, 30) },
    ],
  });
  await bench.say("first");
  await bench.quiet();
  assert.deepEqual(await booked(bench, "turn"), {
    calls: 2,
    estimatedCalls: 0,
    unpricedCalls: 0,
    inputTokens: 250,
    cachedTokens: 40,
    cacheWriteTokens: 0,
    outputTokens: 30,
    reasoningTokens: 4,
    costNanos: (60 + 20 + 150 + 2 * 30) * 1_000,
  });
  await bench.say("second");
  await bench.quiet();
  assert.equal((await booked(bench, "turn")).inputTokens, 200);
  assert.equal((await booked(bench)).inputTokens, 450);
  assert.equal((await booked(bench, "day")).outputTokens, 60);
});

Deno.test("Booking adds no commit to a turn", async () => {
  const commits = async (usage: Usage) => {
    let count = 0;
    await using bench = new SessionBench({
      onCommit: (phase) => void (phase === "after" && count++),
      script: [{ text: "hello", usage }],
    });
    await bench.say("hi");
    await bench.quiet();
    return count;
  };
  assert.equal(await commits(told(100, 10)), 4, "accepted, begun, answered, lines dropped");
});

Deno.test("A call whose provider tells nothing is estimated, and marked", async () => {
  await using bench = new SessionBench({ script: ["x".repeat(400)] });
  await bench.say("y".repeat(4_000));
  await bench.quiet();
  const { calls, estimatedCalls, unpricedCalls, inputTokens, outputTokens } = await booked(bench);
  assert.deepEqual([calls, estimatedCalls, unpricedCalls], [1, 1, 1]);
  assert.ok(inputTokens > 1_000 && inputTokens < 1_200, `${inputTokens}`);
  assert.equal(outputTokens, 100);
});

Deno.test("Text that a retry made void is counted as a call of its own", async () => {
  await using bench = new SessionBench({
    script: [{ voided: "z".repeat(40), text: "good", usage: told(50, 5) }],
  });
  await bench.say("hi");
  await bench.quiet();
  const { calls, estimatedCalls, outputTokens } = await booked(bench);
  assert.deepEqual([calls, estimatedCalls, outputTokens], [2, 1, 15]);
});

Deno.test("An answer of a stand-in is booked for the stand-in", async () => {
  const first = new ScriptedProvider([{ error: providerError("provider_quota") }]);
  const second = new ScriptedProvider([{ text: "here", usage: told(7, 3) }]);
  const provider = withFallback([
    { provider: { name: "main", chat: (...args) => first.chat(...args) }, changes: {} },
    {
      provider: { name: "spare", chat: (...args) => second.chat(...args) },
      changes: { model: "spare-model" },
    },
  ], { clock: new ManualClock() });
  const asked: string[] = [];
  await using bench = new SessionBench({
    provider,
    prices: (name, model) => {
      asked.push(`${name} ${model}`);
      return CHEAP;
    },
  });
  await bench.say("hi");
  await bench.quiet();
  const rows = await bench.journal.usage({ scope: "day", from: TODAY, to: TODAY });
  assert.deepEqual(rows.map(({ provider, model }) => [provider, model]), [[
    "spare",
    "spare-model",
  ]]);
  assert.deepEqual(asked, ["spare spare-model"]);
});

Deno.test("Usage is neither lost nor doubled when the process dies at any commit", async () => {
  const script = [
    { calls: [{ name: "look" }], usage: told(100, 10) },
    { text: "done", usage: told(200, 20) },
  ];
  const tools = { look: { run: () => "seen" } };
  let crashes = 0;
  for (let crashAt = 1; crashAt <= 12; crashAt++) {
    let commits = 0;
    const crashed = Promise.withResolvers<ReturnType<SessionBench["crash"]>>();
    const first: SessionBench = new SessionBench({
      script,
      tools,
      onCommit: () => {
        if (++commits === crashAt) crashed.resolve(first.crash());
      },
    });
    const accepting = first.say("hi", { platformId: "m1" });
    accepting.catch(() => {});
    const disk = await Promise.race([crashed.promise, accepting.then(() => first.quiet())]);
    if (disk === undefined) {
      await first[Symbol.asyncDispose]();
      continue;
    }
    crashes++;
    // The second life's model goes on where the history stands.
    await using second = new SessionBench({
      disk,
      tools,
      script: ({ messages }) =>
        messages.some(({ role }) => role === "tool") ? script[1] : script[0],
    });
    const known = await second.journal.accept(second.newInbound("hi", { platformId: "m1" }));
    if (known.state === "accepted") {
      second.session.tell({ type: "inbound_accepted", inbound: known.inbound });
    }
    second.session.tell({ type: "wake" });
    await second.quiet();
    const { inputTokens, outputTokens } = await booked(second);
    assert.deepEqual([inputTokens, outputTokens], [300, 30], `crash at ${crashAt}`);
    await first[Symbol.asyncDispose]();
  }
  assert.ok(crashes > 8, `${crashes} crashes`);
});

Deno.test("What a stopped call had written is booked with the stop", async () => {
  await using bench = new SessionBench({
    script: [{ text: "w".repeat(80), after: new Promise(() => {}) }],
  });
  await bench.say("hi", { wantsStream: true });
  await until(() =>
    bench.outboxes.get("feishu")?.received.some((m) => m.type === "stream_grew") === true
  );
  await bench.say("/stop");
  await bench.quiet();
  const { calls, estimatedCalls, outputTokens } = await booked(bench);
  assert.deepEqual([calls, estimatedCalls, outputTokens], [1, 1, 20]);
});

Deno.test("/new counts the session anew and leaves the day alone", async () => {
  await using bench = new SessionBench({ script: [{ text: "hello", usage: told(100, 10) }] });
  await bench.say("hi");
  await bench.quiet();
  await bench.say("/new");
  await bench.quiet();
  assert.equal((await booked(bench)).calls, 0);
  assert.equal((await booked(bench, "day")).calls, 1);
});

Deno.test("/usage is answered at once, also while a turn runs", async () => {
  const release = Promise.withResolvers<void>();
  await using bench = new SessionBench({
    prices: (_provider, model) => model === "test-model" ? CHEAP : null,
    budgets: { perDay: { tokens: 1_000, usd: null }, perSession: { tokens: null, usd: 2 } },
    script: [
      { text: "one", usage: told(500, 50, { cachedTokens: 250 }) },
      { text: "two", after: release.promise },
    ],
  });
  await bench.say("hi");
  await bench.quiet();
  await bench.say("more");
  await until(() => bench.provider.running === 1);
  await bench.say("/usage");
  await until(() => bench.replies().length === 2);
  assert.equal(
    bench.replies()[1],
    [
      "Last turn: nothing used",
      "This session: 500 in (50% cached) / 50 out, 1 call, $0.0005",
      "Today: 500 in (50% cached) / 50 out, 1 call, $0.0005",
      "This month: 500 in (50% cached) / 50 out, 1 call, $0.0005",
      "- test-model (scripted): 500 in (50% cached) / 50 out, 1 call, $0.0005",
      "Budgets:",
      "- per session: $0.0005 of $2.00 used, $2.00 left until /new",
      "- per day: 550 tokens of 1000 tokens used, 450 tokens left until 00:00 (UTC)",
    ].join("\n"),
  );
  release.resolve();
  await bench.quiet();
});

Deno.test("/usage says that a price is not known, and what is a guess", async () => {
  await using bench = new SessionBench({ script: ["hello"] });
  await bench.say("hi");
  await bench.quiet();
  await bench.say("/usage");
  await bench.quiet();
  const [, text = ""] = bench.replies();
  assert.match(text, /^Today: .*, price unknown, 1 call estimated$/m);
  assert.match(text, /^Budgets: none$/m);
  assert.doesNotMatch(text, /\$/);
});

Deno.test("/status knows the last turn's tokens after a restart", async () => {
  const bench = new SessionBench({ script: [{ text: "hello", usage: told(1_200, 34) }] });
  await bench.say("hi");
  await bench.quiet();
  const disk = bench.crash();
  await using later = new SessionBench({ disk });
  await later.say("/status");
  await later.quiet();
  assert.match(later.replies()[0] ?? "", /^Tokens: 1200 in \/ 34 out$/m);
  await bench[Symbol.asyncDispose]();
});
