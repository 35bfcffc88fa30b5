/**
 * The tools of subagents: those of their session, without what is only for who talks with people.
 * @module
 */

import type { ToolDefinition } from "../../../providers/provider.ts";
import type { JsonObject } from "../../kernel/json.ts";
import {
  type ToolConcurrency,
  type ToolContext,
  ToolError,
  type ToolResult,
  type ToolRunner,
} from "../../tools/tool.ts";

/** Who starts others, speaks to chats, plans, or changes the session. */
const KEPT_FROM_SUBAGENTS: ReadonlySet<string> = new Set([
  "spawn",
  "message",
  "cron",
  "my",
  "goal",
]);

/** Runs the tools of `tools` but those. */
export class SubagentTools implements ToolRunner {
  readonly #tools: ToolRunner;
  #all: readonly ToolDefinition[] | undefined;
  #definitions: readonly ToolDefinition[] = [];

  constructor(tools: ToolRunner) {
    this.#tools = tools;
  }

  definitions(): readonly ToolDefinition[] {
    const all = this.#tools.definitions();
    if (all !== this.#all) {
      this.#all = all;
      this.#definitions = all.filter(({ name }) => !KEPT_FROM_SUBAGENTS.has(name));
    }
    return this.#definitions;
  }

  concurrency(name: string): ToolConcurrency {
    return this.#tools.concurrency(name);
  }

  async run(name: string, parameters: JsonObject, context: ToolContext): Promise<ToolResult> {
    if (!KEPT_FROM_SUBAGENTS.has(name)) return await this.#tools.run(name, parameters, context);
    const names = this.definitions().map((definition) => definition.name).join(", ");
    return {
      content: `Error: ${name} is not there for subagents. Available: ${names}`,
      isError: true,
    };
  }
}

/** The way to the chats, which subagents do not have. */
export function cannotSend(): Promise<never> {
  return Promise.reject(
    new ToolError("not_available", "Cannot send to chats: a subagent only reports its result"),
  );
}
