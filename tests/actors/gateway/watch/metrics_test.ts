import assert from "node:assert/strict";
import fc from "fast-check";
import { exposition } from "../../../../actors/gateway/watch/exposition.ts";
import { Counter, Histogram } from "../../../../actors/gateway/watch/metric.ts";
import { GatewayMetrics } from "../../../../actors/gateway/watch/metrics.ts";
import { CoreBench } from "../../../support/core_bench.ts";
import { settle } from "../../../support/until.ts";

const PRICE = { input: 2, output: 10, cachedInput: 1, cacheWrite: 2 };

/** The lines of some metrics that begin like this. */
function lines(text: string, start: string): string[] {
  return text.split("\n").filter((line) => line.startsWith(start));
}

async function textOf(metrics: GatewayMetrics): Promise<string> {
  await using bench = new CoreBench();
  await settle();
  return exposition(metrics.all(await bench.health(), { residentBytes: 5 }));
}

Deno.test("Metrics count calls, tokens and cost by who answered", async () => {
  const metrics = new GatewayMetrics((_provider, model) => model === "cheap" ? PRICE : null);
  const usage = {
    promptTokens: 1_000,
    completionTokens: 100,
    totalTokens: 1_100,
    cachedTokens: 400,
  };
  const call = { kind: "model_call", provider: "openai", model: "dear" } as const;
  metrics.ended(call, { outcome: "answered", usage, retries: 2 }, 1_500);
  const by = { provider: "other", model: "cheap" };
  metrics.ended(call, { outcome: "answered", usage, by }, 20);
  metrics.ended(call, { outcome: "rate_limited" }, 10);
  const text = await textOf(metrics);
  assert.deepEqual(lines(text, "troupe_model_calls_total"), [
    'troupe_model_calls_total{provider="openai",model="dear",outcome="answered"} 2',
    'troupe_model_calls_total{provider="openai",model="dear",outcome="rate_limited"} 1',
  ]);
  assert.deepEqual(lines(text, "troupe_model_retries_total"), [
    'troupe_model_retries_total{provider="openai"} 2',
  ]);
  // 600 plain at 2, 400 cached at 1, 100 out at 10 dollars for a million.
  assert.deepEqual(lines(text, "troupe_cost_usd_total"), [
    'troupe_cost_usd_total{provider="other",model="cheap"} 0.0026',
  ]);
  assert.ok(text.includes('troupe_tokens_total{provider="other",model="cheap",kind="output"} 100'));
  assert.ok(text.includes('troupe_model_call_seconds_bucket{provider="openai",le="0.025"} 2\n'));
  assert.ok(text.includes('troupe_model_call_seconds_bucket{provider="openai",le="+Inf"} 3\n'));
  assert.ok(text.includes('troupe_model_call_seconds_sum{provider="openai"} 1.53\n'));
});

Deno.test("Metrics tell how things are, and never name a conversation", async () => {
  const metrics = new GatewayMetrics(() => null);
  metrics.ended({ kind: "turn", turnId: "t1", sessionKey: "feishu:ou_9" }, { outcome: "done" }, 5);
  metrics.ended({ kind: "tool_call", tool: "exec" }, { outcome: "ok" }, 5);
  metrics.toolRefused("exec");
  metrics.ended({ kind: "delivery", channel: "feishu" }, { outcome: "sent" }, 5);
  metrics.happened({
    type: "actor_restarted",
    actor: "/router/feishu_ou_9",
    restarts: 1,
    error: "",
  });
  metrics.happened({ type: "dead_letter", actor: "/router/feishu_ou_9", reason: "full" });
  const text = await textOf(metrics);
  assert.doesNotMatch(text, /ou_9|t1/);
  for (
    const line of [
      'troupe_turns_total{outcome="done"} 1',
      'troupe_tool_calls_total{tool="exec",outcome="refused"} 1',
      'troupe_deliveries_total{channel="feishu",outcome="sent"} 1',
      'troupe_actor_restarts_total{part="router/*"} 1',
      'troupe_dead_letters_total{reason="full"} 1',
      "troupe_up 1",
      'troupe_permits{state="limit"} 3',
      'troupe_queue{state="accepted"} 0',
      'troupe_channel_up{channel="probe"} 1',
      'troupe_channel_restarts_total{channel="probe"} 0',
      "process_resident_memory_bytes 5",
    ]
  ) assert.ok(text.split("\n").includes(line), `${line}\n${text}`);
});

Deno.test("A metric keeps a bounded number of series, and loses no count", () => {
  const counter = new Counter({ name: "n", help: "h", labels: ["tool"] });
  for (let tool = 0; tool < 1_000; tool++) counter.add([`tool_${tool}`]);
  const samples = counter.samples();
  assert.equal(samples.length, 201);
  assert.deepEqual(samples.at(-1), { labels: ["other"], value: 800 });
});

Deno.test("A histogram's counts rise to the number of what it saw", () => {
  fc.assert(fc.property(fc.array(fc.double({ min: 0, max: 20, noNaN: true })), (values) => {
    const histogram = new Histogram({ name: "n", help: "h", labels: [] }, [1, 5, 10]);
    for (const value of values) histogram.observe([], value);
    const [{ counts } = { counts: [0, 0, 0, 0] }] = histogram.distributions();
    const expected = [1, 5, 10, Infinity].map((bound) => values.filter((v) => v <= bound).length);
    assert.deepEqual(counts, expected);
  }));
});

Deno.test("Labels are written so that nothing breaks out of them", () => {
  const counter = new Counter({ name: "n", help: "h", labels: ["model"] });
  counter.add(['a"} 9\nevil{x="\\']);
  assert.equal(
    exposition([counter]),
    '# HELP n h\n# TYPE n counter\nn{model="a\\"} 9\\nevil{x=\\"\\\\"} 1\n',
  );
});
