/**
 * How a subagent gets on. Its run writes it, its session reads it.
 * @module
 */

import type { ToolMessage } from "../../../providers/provider.ts";
import type { UsageEntry } from "../../journal/journal.ts";
import type { JsonObject } from "../../kernel/json.ts";
import type { SubagentTask } from "./subagent_row.ts";

/** waiting: for its place; thinking: the model is asked; using_tools: what it asked for runs. */
export type SubagentPhase = "waiting" | "thinking" | "using_tools" | "done";

/** A tool call that is over. */
interface ToolEvent {
  readonly name: string;
  readonly status: "ok" | "error";
  /** The beginning of its result, on one line. */
  readonly detail: string;
}

/** Calls that are remembered. */
const EVENTS_MAX = 5;
const DETAIL_CHARS_MAX = 120;

/** Of one subagent. */
export class SubagentStatus {
  readonly task: SubagentTask;
  readonly startedAtMs: number;
  phase: SubagentPhase = "waiting";
  /** Rounds of tools that it began. */
  rounds = 0;
  #inputTokens = 0;
  #outputTokens = 0;
  #events: readonly ToolEvent[] = [];

  constructor(task: SubagentTask, startedAtMs: number) {
    this.task = task;
    this.startedAtMs = startedAtMs;
  }

  /** In and out, so far. */
  get tokens(): number {
    return this.#inputTokens + this.#outputTokens;
  }

  /** Model calls are over. */
  used(entries: readonly UsageEntry[]): void {
    for (const { inputTokens, outputTokens } of entries) {
      this.#inputTokens += inputTokens;
      this.#outputTokens += outputTokens;
    }
  }

  /** A tool call is over. */
  ran({ name, content }: ToolMessage): void {
    const text = typeof content === "string" ? content : "(pictures)";
    const status = text.startsWith("Error:") ? "error" : "ok";
    const detail = text.replaceAll(/\s+/g, " ").slice(0, DETAIL_CHARS_MAX).toWellFormed();
    this.#events = [...this.#events, { name, status, detail } as const].slice(-EVENTS_MAX);
  }

  /** The newest calls, one a line. */
  newestCalls(count: number): string {
    return this.#events.slice(-count)
      .map(({ name, status, detail }) => `- ${name} (${status}): ${detail}`).join("\n");
  }

  /** For the model to look at. */
  describe(nowMs: number): JsonObject {
    const { task: { id, label, task }, phase, rounds, startedAtMs } = this;
    return {
      ...{ id, label, task, phase, rounds },
      elapsed_seconds: Math.round((nowMs - startedAtMs) / 1_000),
      usage: { input_tokens: this.#inputTokens, output_tokens: this.#outputTokens },
      tools: this.#events.map((event) => ({ ...event })),
    };
  }
}
