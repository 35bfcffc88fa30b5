/**
 * A right that a part of the gateway needs.
 * @module
 */

/** Rights that Deno knows and the gateway uses; `ffi` is never needed. */
export type RightName = "read" | "write" | "net" | "env" | "run" | "sys";

/** Something that must be allowed. */
export interface Need {
  readonly right: RightName;
  /** A path, `host:port`, `unix:path`, a variable, a program or a fact; `*` is everything. */
  readonly value: string;
}
