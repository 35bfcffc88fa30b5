/**
 * Where the configuration reader sees the world through.
 * @module
 */

import { GatewayError } from "../kernel/errors.ts";

/** The bytes of a file are no text. */
export class NotTextError extends GatewayError {
  override readonly name = "NotTextError";
  readonly code = "not_text";
  readonly recovery = "give_up";
  /** What a command ends with. */
  readonly exitCode = 2;
  /** Counted from 1. */
  readonly line: number;

  constructor(path: string, line: number) {
    super(`Cannot read "${path}": line ${line} is not UTF-8; save the file as UTF-8`);
    this.line = line;
  }
}

/** The file, the environment and the places that a configuration is made from. */
export interface ConfigSource {
  /**
   * The file's text, or null when there is no such file. Rejects when it cannot be read.
   *
   * @throws {NotTextError} when it is not UTF-8
   */
  readTextFile(path: string): Promise<string | null>;
  readonly env: Readonly<Record<string, string>>;
  /** Absolute path that `~` stands for. */
  readonly homeDir: string;
  /** Absolute path that relative paths of flags and variables start from. */
  readonly cwd: string;
}
