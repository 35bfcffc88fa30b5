/**
 * Traces for OpenTelemetry, which Deno itself collects and sends where `OTEL_DENO` says so.
 * @module
 */

import type { Activity, ActivityEnd } from "../../../session/watch.ts";
import type { Span, Tracer } from "../watching.ts";

/** The tracer; undefined where nobody asked for traces, and then nothing of it is loaded. */
export async function openTelemetry(): Promise<Tracer | undefined> {
  if (!isOn()) return undefined;
  const { context, ROOT_CONTEXT, SpanStatusCode, trace } = await import("@opentelemetry/api");
  const tracer = trace.getTracer("troupe");
  // Messages go from turn to turn, and take along what was active where they were told: what a
  // span belongs to is therefore looked up by its turn.
  const turns = new Map<string, typeof ROOT_CONTEXT>();
  return {
    begin: (activity, turn): Span => {
      const attributes = { ...attributesOf(activity), ...(turn !== undefined && { trace: turn }) };
      const within = turns.get(turn ?? "") ?? ROOT_CONTEXT;
      const span = tracer.startSpan(nameOf(activity), { attributes }, within);
      const inside = trace.setSpan(within, span);
      if (activity.kind === "turn") turns.set(activity.turnId, inside);
      return {
        run: (work) => context.with(inside, work),
        end: (end) => {
          span.setAttributes(endAttributes(end));
          if (isFailure(end)) span.setStatus({ code: SpanStatusCode.ERROR, message: end.outcome });
          span.end();
          if (activity.kind === "turn") turns.delete(activity.turnId);
        },
      };
    },
  };
}

function isOn(): boolean {
  const { state } = Deno.permissions.querySync({ name: "env", variable: "OTEL_DENO" });
  return state === "granted" && /^(true|1)$/i.test(Deno.env.get("OTEL_DENO") ?? "");
}

function nameOf(activity: Activity): string {
  switch (activity.kind) {
    case "turn":
      return "turn";
    case "model_call":
      return `chat ${activity.model}`;
    case "tool_call":
      return `execute_tool ${activity.tool}`;
    case "delivery":
      return `deliver ${activity.channel}`;
  }
}

/** By the names of OpenTelemetry's conventions for generative models, where there are some. */
function attributesOf(activity: Activity): Record<string, string> {
  switch (activity.kind) {
    case "turn":
      return {};
    case "model_call":
      return {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": activity.provider,
        "gen_ai.request.model": activity.model,
      };
    case "tool_call":
      return { "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": activity.tool };
    case "delivery":
      return { "troupe.channel": activity.channel };
  }
}

function endAttributes(
  { outcome, usage, by, retries = 0 }: ActivityEnd,
): Record<string, string | number> {
  return {
    "troupe.outcome": outcome,
    ...(usage !== undefined && usage !== null && {
      "gen_ai.usage.input_tokens": usage.promptTokens,
      "gen_ai.usage.output_tokens": usage.completionTokens,
    }),
    ...(by !== undefined && { "gen_ai.response.model": by.model }),
    ...(retries > 0 && { "troupe.retries": retries }),
  };
}

/** What was stopped on purpose has not failed. */
const WELL = new Set(["done", "answered", "ok", "sent", "stopped", "aborted", "paused", "empty"]);

function isFailure({ outcome }: ActivityEnd): boolean {
  return !WELL.has(outcome);
}
