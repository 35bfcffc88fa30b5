/**
 * The tools of a gateway: which there are, and how one call runs.
 * @module
 */

import type { ToolDefinition } from "../../providers/provider.ts";
import type { Clock } from "../kernel/clock.ts";
import { asError } from "../kernel/errors.ts";
import { invariant } from "../kernel/invariant.ts";
import type { JsonObject } from "../kernel/json.ts";
import type { Tool, ToolConcurrency, ToolContext, ToolResult, ToolRunner } from "./tool.ts";

/** Holds tools by name. */
export class ToolRegistry implements ToolRunner {
  readonly #clock: Clock;
  readonly #tools = new Map<string, Tool>();
  readonly #hidden = new Set<string>();
  /** Names of the tools of each group that comes and goes. */
  readonly #groups = new Map<string, readonly string[]>();
  /** Names of those that it was made with. */
  readonly #first: ReadonlySet<string>;
  #settle: ((signal: AbortSignal) => Promise<void>) | undefined;
  #definitions: readonly ToolDefinition[] | undefined;

  constructor(clock: Clock, tools: readonly Tool[]) {
    this.#clock = clock;
    this.#first = new Set(tools.map(({ name }) => name));
    for (const tool of tools) this.add(tool);
  }

  /**
   * A registry with other tools in place of those that this one was made with; what was added, or
   * is hidden, is so in it, too. This one stays as it is, for turns that began with it.
   */
  remade(tools: readonly Tool[]): ToolRegistry {
    const made = new ToolRegistry(this.#clock, tools);
    for (const [name, tool] of this.#tools) {
      if (!this.#first.has(name) && !made.#tools.has(name)) made.add(tool);
    }
    for (const [group, names] of this.#groups) {
      made.#groups.set(group, names.filter((name) => !made.#first.has(name)));
    }
    for (const name of this.#hidden) made.hide(name);
    if (this.#settle !== undefined) made.settleWith(this.#settle);
    return made;
  }

  /** Adds a tool; its name must be free. */
  add(tool: Tool): void {
    invariant(!this.#tools.has(tool.name), `no other tool is named "${tool.name}"`);
    this.#tools.set(tool.name, tool);
    this.#definitions = undefined;
  }

  /** Keeps a tool from the model, as it turned out not to work; called all the same, it says why. */
  hide(name: string): void {
    this.#hidden.add(name);
    this.#definitions = undefined;
  }

  /**
   * Puts the tools of a group in place of those it had. A tool whose name is taken is left out.
   *
   * @returns the names that are left out
   */
  replaceGroup(group: string, tools: readonly Tool[]): readonly string[] {
    for (const name of this.#groups.get(group) ?? []) this.#tools.delete(name);
    const free = tools.filter(({ name }) => !this.#tools.has(name));
    for (const tool of free) this.#tools.set(tool.name, tool);
    this.#groups.set(group, free.map(({ name }) => name));
    this.#definitions = undefined;
    return tools.filter((tool) => !free.includes(tool)).map(({ name }) => name);
  }

  /** Has turns wait, before they begin, for tools that are on their way. */
  settleWith(settle: (signal: AbortSignal) => Promise<void>): void {
    this.#settle = settle;
  }

  async settled(signal: AbortSignal): Promise<void> {
    await this.#settle?.(signal);
  }

  definitions(): readonly ToolDefinition[] {
    return this.#definitions ??= [...this.#tools.values()]
      .filter(({ name }) => !this.#hidden.has(name))
      .toSorted((a, b) => rank(a) - rank(b) || (a.name < b.name ? -1 : 1))
      .map(({ name, description, parameters }) => ({ name, description, parameters }));
  }

  concurrency(name: string): ToolConcurrency {
    return this.#tools.get(name)?.concurrency ?? "exclusive";
  }

  async run(name: string, args: JsonObject, context: ToolContext): Promise<ToolResult> {
    const tool = this.#tools.get(name);
    if (tool === undefined) {
      const names = this.definitions().map((definition) => definition.name).join(", ");
      return failure(`Cannot run "${name}": there is no such tool. Available: ${names}`);
    }
    try {
      return await this.#runInTime(tool, args, context);
    } catch (error) {
      context.signal.throwIfAborted();
      return failure(asError(error).message);
    }
  }

  async #runInTime(tool: Tool, args: JsonObject, context: ToolContext): Promise<ToolResult> {
    const deadline = new AbortController();
    const { promise: expired, resolve: expire } = Promise.withResolvers<ToolResult>();
    const timer = this.#clock.setTimer(tool.timeoutMs, () => {
      deadline.abort();
      expire(failure(`"${tool.name}" took longer than ${tool.timeoutMs / 1000} s and was ended`));
    });
    const { promise: aborted, reject } = Promise.withResolvers<never>();
    const abort = () => reject(context.signal.reason);
    context.signal.addEventListener("abort", abort, { once: true });
    try {
      context.signal.throwIfAborted();
      const signal = AbortSignal.any([context.signal, deadline.signal]);
      return await Promise.race([tool.call(args, { ...context, signal }), expired, aborted]);
    } finally {
      timer.cancel();
      context.signal.removeEventListener("abort", abort);
    }
  }
}

/** Built-in tools come first, so that the start of a prompt stays the same. */
function rank(tool: Tool): number {
  return tool.name.startsWith("mcp_") ? 1 : 0;
}

function failure(message: string): ToolResult {
  return { content: message.startsWith("Error") ? message : `Error: ${message}`, isError: true };
}
