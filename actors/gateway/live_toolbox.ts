/**
 * The tools of the configuration that holds, with what was added to them from outside.
 * @module
 */

import type { LoadedConfig } from "../config/load_config.ts";
import type { Tool, ToolNeeds } from "../tools/tool.ts";
import { makeToolbox, type Toolbox, type ToolboxGround } from "./toolbox.ts";

/** Ends all hosts that it ever had with the gateway; a host without work ends sooner, by itself. */
export class LiveToolbox implements AsyncDisposable {
  readonly #ground: ToolboxGround;
  readonly #hosts = new Set<AsyncDisposable>();
  readonly #needs = new Map<string, ToolNeeds>();
  #now: Toolbox;

  /** @param others tools that are made elsewhere */
  constructor(loaded: LoadedConfig, ground: ToolboxGround, others: readonly Tool[]) {
    this.#ground = ground;
    this.#now = this.#take(makeToolbox(loaded, ground, others));
  }

  /** Those of the configuration that holds. */
  get now(): Toolbox {
    return this.#now;
  }

  /** Whether there is a tool of that name. */
  has(name: string): boolean {
    return this.#now.registry.definitions().some((definition) => definition.name === name);
  }

  /** What a tool may use; undefined for one that was never known. */
  needsOf(name: string): ToolNeeds | undefined {
    return this.#needs.get(name);
  }

  /** Adds tools that come from outside; their names must be free. */
  add(tools: readonly Tool[]): void {
    for (const tool of tools) this.#now.registry.add(tool);
    this.#know(tools);
  }

  /** Puts tools in place of those that a group had; returns names that are taken. */
  offer(group: string, tools: readonly Tool[]): readonly string[] {
    this.#know(tools.filter(({ name }) => !this.#needs.has(name)));
    return this.#now.registry.replaceGroup(group, tools);
  }

  /** Takes tools away that turn out to be of no use. */
  hide(tools: readonly Tool[]): void {
    for (const { name } of tools) this.#now.registry.hide(name);
  }

  /** Has turns wait for tools that are on their way. */
  settleWith(settle: (signal: AbortSignal) => Promise<void>): void {
    this.#now.registry.settleWith(settle);
  }

  /** Makes them anew; turns under way go on with the former ones. */
  remake(loaded: LoadedConfig, others: readonly Tool[]): void {
    this.#now = this.#take(makeToolbox(loaded, this.#ground, others, this.#now));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#hosts].map((hosts) => hosts[Symbol.asyncDispose]()));
  }

  #take(box: Toolbox): Toolbox {
    this.#hosts.add(box.hosts);
    this.#know(box.tools);
    return box;
  }

  #know(tools: readonly Tool[]): void {
    for (const { name, needs } of tools) this.#needs.set(name, needs);
  }
}
