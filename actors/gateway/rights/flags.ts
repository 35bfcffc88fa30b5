/**
 * Needs as flags of `deno run`.
 * @module
 */

import { sep } from "node:path";
import { GatewayError } from "../../kernel/errors.ts";
import { CACHED_ONLY } from "../../kernel/adapters/module_cache.ts";
import type { Need, RightName } from "./need.ts";
import type { PartNeeds } from "./rights_table.ts";

const RIGHTS: readonly RightName[] = ["env", "read", "write", "net", "run", "sys"];

/** What is allowed for each right: `*` alone is everything. */
export type Rights = Readonly<Record<RightName, readonly string[]>>;

/** The least that covers all parts; a path covers what is below it. */
export function rightsOf(parts: readonly PartNeeds[]): Rights {
  const needs = parts.flatMap(({ needs }) => needs);
  const of = (right: RightName) => leastOf(right, needs);
  return {
    env: of("env"),
    read: of("read"),
    write: of("write"),
    net: of("net"),
    run: of("run"),
    sys: of("sys"),
  };
}

/** A path that Deno would split: at each comma, and since 2.9 there is no way to write one. */
export class UnnameablePathError extends GatewayError {
  override readonly name = "UnnameablePathError";
  readonly code = "path_unnameable";
  readonly recovery = "give_up";
  /** What a command ends with. */
  readonly exitCode = 2;

  constructor(path: string) {
    super(
      `Cannot write exact flags: the comma in "${path}" fits into no flag of Deno; ` +
        "move the folder (TROUPE_HOME, agents.defaults.workspace), or start with -A " +
        "(service install --all-rights)",
    );
  }
}

/**
 * The flags for them, with those that every process of ours runs with.
 *
 * @throws {UnnameablePathError}
 */
export function flagsOf(rights: Rights): string[] {
  const unnameable = [...rights.read, ...rights.write].find((path) => path.includes(","));
  if (unnameable !== undefined) throw new UnnameablePathError(unnameable);
  const allowed = RIGHTS.flatMap((right) => flagOf(right, rights[right]));
  return ["--no-prompt", ...CACHED_ONLY, "--ignore-env", ...allowed];
}

/** The flag for some values; none for no value. */
export function flagOf(right: RightName, values: readonly string[]): string[] {
  if (values.length === 0) return [];
  if (values.includes("*")) return [`--allow-${right}`];
  return [`--allow-${right}=${values.join(",")}`];
}

function leastOf(right: RightName, needs: readonly Need[]): string[] {
  const values = [...new Set(needs.filter((need) => need.right === right).map((n) => n.value))];
  if (values.includes("*")) return ["*"];
  if (right !== "read" && right !== "write") return values;
  return values.filter((value) => !values.some((other) => other !== value && isIn(value, other)));
}

function isIn(path: string, folder: string): boolean {
  return path.startsWith(folder.endsWith(sep) ? folder : `${folder}${sep}`);
}
