/**
 * What can keep the memory from doing its work.
 * @module
 */

import { GatewayError } from "../kernel/errors.ts";

/** Why the memory failed. */
export type MemoryFailure =
  /** A file cannot be read or written. */
  | "memory_file_failed"
  /** The versions cannot be read or written. */
  | "memory_versions_failed"
  /** A run of Dream took too long, or was stopped. */
  | "memory_dream_failed"
  /** What is remembered cannot be searched. */
  | "memory_recall_failed";

/** The memory's files or versions cannot be used just now; nothing of the request was kept. */
export class MemoryError extends GatewayError {
  override readonly name = "MemoryError";
  readonly code: MemoryFailure;
  readonly recovery = "retry";

  constructor(code: MemoryFailure, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
