/**
 * Beliefs of the code, checked while it runs.
 * @module
 */

import { InvariantError } from "./errors.ts";

/**
 * Throws when `condition` does not hold; the supervisor then restarts the actor.
 *
 * @throws {InvariantError} naming the `belief`
 */
export function invariant(condition: boolean, belief: string): asserts condition {
  if (!condition) throw new InvariantError(`Invariant broken: ${belief}`);
}

/** Ends an exhaustive `switch`: a case that was forgotten fails the type check here. */
export function unreachable(value: never): never {
  throw new InvariantError(`Invariant broken: no case for ${label(value)}`);
}

/** Names a value by its `type`; the rest may be private. */
function label(value: unknown): string {
  const isTyped = typeof value === "object" && value !== null && "type" in value;
  return isTyped ? `"${String(value.type)}"` : `a ${typeof value}`;
}
