/**
 * The inside of a tool host: takes calls, runs them side by side, answers each.
 * @module
 */

import { asError } from "../../kernel/errors.ts";
import { invariant, unreachable } from "../../kernel/invariant.ts";
import { ToolError } from "../tool.ts";
import type { HostInside, HostWorld } from "./host_inside.ts";
import type { FromHost, HostCall, HostSetup, ToHost } from "./host_protocol.ts";

/** What a host needs of the process it lives in. */
export interface HostRuntimeOptions {
  readonly open: (setup: HostSetup, world: HostWorld) => Promise<HostInside>;
  readonly world: HostWorld;
  readonly reply: (line: string) => void;
}

/** Runs the calls of one host. */
export class HostRuntime {
  readonly #options: HostRuntimeOptions;
  readonly #running = new Map<number, AbortController>();
  #setup: HostSetup | undefined;
  #inside: Promise<HostInside> | undefined;

  constructor(options: HostRuntimeOptions) {
    this.#options = options;
  }

  /**
   * Takes one line of the gateway.
   *
   * @throws whatever is wrong with it: the gateway alone writes here, so that ends the host
   */
  take(line: string): void {
    // Its own gateway wrote the line; schemas for it would cost a sixth of the start.
    const message: ToHost = JSON.parse(line);
    switch (message.type) {
      case "set_up":
        this.#setup = message.setup;
        this.#inside = this.#options.open(message.setup, this.#options.world);
        this.#inside.catch(() => {}); // each call tells it
        return;
      case "call":
        return void this.#answer(message.id, message.call);
      case "abort":
        return this.#running.get(message.id)?.abort();
      default:
        return unreachable(message);
    }
  }

  async #answer(id: number, call: HostCall): Promise<void> {
    const controller = new AbortController();
    this.#running.set(id, controller);
    try {
      this.#reply(await this.#run(id, call, controller.signal));
    } catch (thrown) {
      const error = asError(thrown);
      const code = error instanceof ToolError ? error.code : "tool_failed";
      this.#reply({ type: "failed", id, code, message: error.message });
    } finally {
      this.#running.delete(id);
    }
  }

  async #run(id: number, call: HostCall, signal: AbortSignal): Promise<FromHost> {
    invariant(this.#setup !== undefined, "a host is set up before it is called");
    const { workspace } = this.#setup;
    const inside = await this.#inside;
    const tool = await inside?.find(call.tool);
    invariant(inside !== undefined && tool !== undefined, `the host has a tool "${call.tool}"`);
    const reads = new Map(call.reads);
    const { origin, resultCharsMax } = call;
    const files = inside.filesFor?.(origin) ?? inside.context.files;
    const scene = { workspace, origin, reads, signal, resultCharsMax };
    const context = { ...inside.context, files, ...scene };
    const result = await tool.call(call.args, context);
    const before = new Map(call.reads);
    const changed = [...reads].filter(([path, mark]) => before.get(path) !== mark);
    return { type: "done", id, result, reads: changed };
  }

  #reply(message: FromHost): void {
    this.#options.reply(JSON.stringify(message));
  }
}
