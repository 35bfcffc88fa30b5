/**
 * Subagents in tests: the tool that starts them, and a model that tells them from their session.
 * @module
 */

import type { GateMessage, SessionServices, SubagentRules } from "../../actors/session/ports.ts";
import { ToolRegistry } from "../../actors/tools/registry.ts";
import { spawnTool } from "../../actors/tools/spawn.ts";
import type { Tool } from "../../actors/tools/tool.ts";
import type { ChatRequest } from "../../providers/provider.ts";
import { ManualClock } from "./manual_clock.ts";
import { Probe } from "./probe.ts";
import type { ScriptedAnswer, ScriptedCall } from "./scripted_provider.ts";

/** The system prompt of the test's subagents. */
const HELPER = "You are a helper.";

/** What a test's subagents may do; `change` sets what matters. */
export function helperRules(change: Partial<SubagentRules> = {}): SubagentRules {
  return {
    iterationsMax: 5,
    timeoutMs: 60_000,
    tokensMax: null,
    showsProgress: false,
    systemPrompt: () => Promise.resolve(HELPER),
    ...change,
  };
}

/** Services with subagents, the real `spawn`, and tools of the test. */
export function withHelpers(
  clock: ManualClock = new ManualClock(),
  { tools = [], rules = {} }: {
    readonly tools?: readonly Tool[];
    readonly rules?: Partial<SubagentRules>;
  } = {},
): Pick<SessionServices, "subagents" | "tools"> {
  const { timeoutMs } = helperRules(rules);
  return {
    subagents: helperRules(rules),
    tools: new ToolRegistry(clock, [spawnTool(2 * timeoutMs), ...tools]),
  };
}

/** Whether a request is a subagent's. */
export function isHelper({ messages: [system] }: ChatRequest): boolean {
  return system?.content === HELPER;
}

/** The last line of the first thing that a subagent was told: its task. */
export function taskIn({ messages }: ChatRequest): string {
  return lines(messages[1]?.content).at(-1) ?? "";
}

/** All that was said last, as text. */
export function lastSaid({ messages }: ChatRequest): string {
  return lines(messages.at(-1)?.content).join("\n");
}

/** An answer that starts subagents. */
export function spawning(...tasks: readonly string[]): ScriptedAnswer {
  const calls = tasks.map((task): ScriptedCall => ({ name: "spawn", args: { task, label: task } }));
  return { calls };
}

function lines(content: unknown): string[] {
  return (typeof content === "string" ? content : JSON.stringify(content ?? "")).split("\n");
}

/** Places that are given at once. */
export function openPlaces(): Probe<GateMessage> {
  return new Probe<GateMessage>({
    onMessage: (message) => {
      if (message.type !== "request_permit") return;
      message.holder.tell({ type: "permit_granted", requestId: message.requestId });
    },
  });
}
