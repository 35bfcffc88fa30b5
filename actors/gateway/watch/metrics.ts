/**
 * What is counted of a gateway: the one place that says which numbers there are. Labels take few
 * values, and never name a chat or a person.
 * @module
 */

import type { KernelEvent } from "../../kernel/events.ts";
import { costNanos, type PriceList } from "../../../providers/prices.ts";
import type { Activity, ActivityEnd } from "../../session/watch.ts";
import type { HealthReport } from "../health.ts";
import {
  Counter,
  type Gauge,
  Histogram,
  type Metric,
  type MetricName,
  type Sample,
} from "./metric.ts";

/** Seconds: from what a whole turn costs here to what a model may take. */
const BOUNDS_S = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 900];

/** What is told of the process itself. */
export interface ProcessFacts {
  readonly residentBytes: number;
}

/** Counts what happens, and tells it together with how things are. */
export class GatewayMetrics {
  readonly #prices: PriceList;
  readonly #turns = counter("troupe_turns_total", "Turns that ended", "outcome");
  readonly #turnSeconds = seconds("troupe_turn_seconds", "From a turn's begin to its end");
  readonly #calls = counter(
    ...["troupe_model_calls_total", "Calls of models that ended"] as const,
    ...["provider", "model", "outcome"],
  );
  readonly #callSeconds = seconds(
    ...["troupe_model_call_seconds", "Model calls, their retries included", "provider"] as const,
  );
  readonly #retries = counter(
    ...["troupe_model_retries_total", "Calls of models tried again", "provider"] as const,
  );
  readonly #tokens = counter(
    ...["troupe_tokens_total", "Tokens, as providers tell"] as const,
    ...["provider", "model", "kind"],
  );
  readonly #cost = counter(
    ...["troupe_cost_usd_total", "What they cost, where prices are known"] as const,
    ...["provider", "model"],
  );
  readonly #tools = counter("troupe_tool_calls_total", "Tool calls", "tool", "outcome");
  readonly #toolSeconds = seconds("troupe_tool_call_seconds", "Tool calls that ran", "tool");
  readonly #deliveries = counter(
    ...[
      "troupe_deliveries_total",
      "Messages handed to channels, updates of growing ones included",
    ] as const,
    ...["channel", "outcome"],
  );
  readonly #deliverySeconds = seconds("troupe_delivery_seconds", "Deliveries", "channel");
  readonly #restarts = counter("troupe_actor_restarts_total", "Actors started again", "part");
  readonly #deadLetters = counter(
    "troupe_dead_letters_total",
    "Messages that no actor handled",
    "reason",
  );
  readonly #stuck = counter("troupe_stuck_threads_total", "Threads that fell silent");

  constructor(prices: PriceList) {
    this.#prices = prices;
  }

  /** An activity ended. */
  ended(activity: Activity, end: ActivityEnd, durationMs: number): void {
    const durationS = durationMs / 1_000;
    const { outcome } = end;
    switch (activity.kind) {
      case "turn":
        if (outcome === "empty") return; // somebody else had done what it was begun for
        this.#turns.add([outcome]);
        return this.#turnSeconds.observe([], durationS);
      case "model_call":
        return this.#modelCalled(activity, end, durationS);
      case "tool_call":
        this.#tools.add([activity.tool, outcome]);
        return this.#toolSeconds.observe([activity.tool], durationS);
      case "delivery":
        this.#deliveries.add([activity.channel, outcome]);
        return this.#deliverySeconds.observe([activity.channel], durationS);
    }
  }

  /** A tool call was not let run. */
  toolRefused(tool: string): void {
    this.#tools.add([tool, "refused"]);
  }

  /** The runtime tells of its actors. */
  happened(event: KernelEvent): void {
    if (event.type === "actor_restarted") this.#restarts.add([partOf(event.actor)]);
    else if (event.type === "dead_letter") this.#deadLetters.add([event.reason]);
    else if (event.type === "worker_stuck") this.#stuck.add([]);
  }

  /** All numbers, with those of a report that was made just now. */
  all(health: HealthReport, process: ProcessFacts): readonly Metric[] {
    return [
      ...[this.#turns, this.#turnSeconds, this.#calls, this.#callSeconds, this.#retries],
      ...[this.#tokens, this.#cost, this.#tools, this.#toolSeconds, this.#deliveries],
      ...[this.#deliverySeconds, this.#restarts, this.#deadLetters, this.#stuck],
      ...gaugesOf(health, process),
    ];
  }

  #modelCalled(
    { provider, model }: Extract<Activity, { kind: "model_call" }>,
    { outcome, usage, by, retries = 0 }: ActivityEnd,
    durationS: number,
  ): void {
    this.#calls.add([provider, model, outcome]);
    this.#callSeconds.observe([provider], durationS);
    if (retries > 0) this.#retries.add([provider], retries);
    if (usage === undefined || usage === null) return;
    const { provider: answering, model: answered } = by ?? { provider, model };
    const tokens = {
      inputTokens: usage.promptTokens,
      cachedTokens: usage.cachedTokens ?? 0,
      cacheWriteTokens: usage.cacheWriteTokens ?? 0,
      outputTokens: usage.completionTokens,
    };
    this.#tokens.add([answering, answered, "input"], tokens.inputTokens);
    this.#tokens.add([answering, answered, "cached_input"], tokens.cachedTokens);
    this.#tokens.add([answering, answered, "output"], tokens.outputTokens);
    const price = this.#prices(answering, answered);
    if (price === null) return;
    this.#cost.add([answering, answered], costNanos(price, tokens) / 1e9);
  }
}

/** What of its path tells an actor's kind: a session's name says whose it is. */
function partOf(actor: string): string {
  const [, top = "", below] = actor.split("/");
  return below === undefined ? top : `${top}/*`;
}

function counter(name: string, help: string, ...labels: readonly string[]): Counter {
  return new Counter({ name, help, labels });
}

function seconds(name: string, help: string, ...labels: readonly string[]): Histogram {
  return new Histogram({ name, help, labels }, BOUNDS_S);
}

function gaugesOf(health: HealthReport, { residentBytes }: ProcessFacts): Gauge[] {
  const { channels, queue, stranded, turns } = health;
  const perChannel = (value: (channel: HealthReport["channels"][string]) => number) =>
    Object.entries(channels).map(([name, channel]) => ({ labels: [name], value: value(channel) }));
  return [
    gauge("troupe_up", "1 when messages can be accepted", Number(health.status === "ok")),
    gauge("troupe_uptime_seconds", "Since the gateway started", health.uptime_s),
    gauge("troupe_sessions_awake", "Conversations in memory", health.sessions.awake),
    states("troupe_permits", "Turns at once", {
      held: turns.running,
      waiting: turns.waiting,
      limit: turns.limit,
    }),
    states("troupe_queue", "Rows of the journal that have not come to their end", queue ?? {}),
    states("troupe_stranded", "Rows that need a person", stranded ?? {}),
    of("gauge", channelMetric("troupe_outbox", "Messages that wait to be sent"), [
      ...perChannel(({ outbox }) => outbox),
    ]),
    of("gauge", channelMetric("troupe_channel_up", "1 while it is connected"), [
      ...perChannel(({ state }) => Number(state === "ready")),
    ]),
    of("counter", channelMetric("troupe_channel_restarts_total", "Times it was started again"), [
      ...perChannel(({ restarts }) => restarts),
    ]),
    gauge("process_resident_memory_bytes", "Memory of the process", residentBytes),
  ];
}

function channelMetric(name: string, help: string): MetricName {
  return { name, help, labels: ["channel"] };
}

function gauge(name: string, help: string, value: number): Gauge {
  return of("gauge", { name, help, labels: [] }, [{ labels: [], value }]);
}

function states(name: string, help: string, values: Readonly<Record<string, number>>): Gauge {
  const samples = Object.entries(values).map(([state, value]) => ({ labels: [state], value }));
  return of("gauge", { name, help, labels: ["state"] }, samples);
}

function of(type: Gauge["type"], metric: MetricName, samples: readonly Sample[]): Gauge {
  return { type, metric, samples: () => samples };
}
