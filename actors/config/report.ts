/**
 * Collects what is wrong and what is odd while a configuration is read, so that a person learns
 * everything at once.
 * @module
 */

import { ConfigError, type ConfigFailure, type ConfigFault } from "./errors.ts";
import { isWithin, type KeyPath, quote, showPath } from "./key_path.ts";

/** What is wrong with a value, and what would help. */
export interface Problem {
  readonly code: ConfigFailure;
  /** Goes on after the key: `is not a whole number`. */
  readonly what: string;
  /** An imperative: `set it to a number`. */
  readonly remedy: string;
}

/** Faults and warnings of one reading. */
export class Report {
  readonly #file: string;
  readonly #faults: ConfigFault[] = [];
  readonly #faultPaths: KeyPath[] = [];
  readonly #warnings: { readonly path: KeyPath; readonly sentence: string }[] = [];
  readonly #origins = new Map<string, string>();

  /** @param file Absolute path of the configuration file, named in every fault. */
  constructor(file: string) {
    this.#file = file;
  }

  /** Remembers what else a key is known as: the variable or the older key that it came from. */
  nameOrigin(path: KeyPath, origin: string): void {
    this.#origins.set(showPath(path), origin);
  }

  /** Notes that the value of a key cannot be used. */
  refuse(path: KeyPath, { code, what, remedy }: Problem): void {
    const key = showPath(path);
    const origin = this.#originOf(path);
    const named = origin === undefined ? key : `${key} (from ${origin})`;
    this.#faultPaths.push(path);
    this.#faults.push({
      code,
      key,
      line: `Cannot load ${quote(this.#file)}: ${named} ${what}; ${remedy}`,
    });
  }

  /** Notes what a part still needs; `sentence` names the key and what to do. */
  refuseIncomplete(path: KeyPath, sentence: string): void {
    this.#faultPaths.push(path);
    this.#faults.push({
      code: "config_channel_incomplete",
      key: showPath(path),
      line: `Cannot load ${quote(this.#file)}: ${sentence}`,
    });
  }

  /** Notes that a variable of the environment cannot be used. */
  refuseVariable(name: string, what: string, remedy: string): void {
    this.#faultPaths.push([]);
    this.#faults.push({
      code: "config_environment_invalid",
      key: name,
      line: `Cannot use the environment variable ${name}: it ${what}; ${remedy}`,
    });
  }

  /** Notes something that does not hinder. */
  warn(path: KeyPath, sentence: string): void {
    this.#warnings.push({ path, sentence });
  }

  /** Whether something at or below `path` was refused. */
  hasFault(path: KeyPath): boolean {
    return this.#faultPaths.some((faulty) => isWithin(faulty, path));
  }

  /** The warnings, without those about the parts under `ignored`, and each only once. */
  warnings(ignored: readonly KeyPath[]): readonly string[] {
    const kept = this.#warnings.filter(({ path }) =>
      !ignored.some((start) => isWithin(path, start))
    );
    return [...new Set(kept.map(({ sentence }) => sentence))];
  }

  /** @throws {ConfigError} when anything was refused */
  throwIfRefused(): void {
    const [first, ...rest] = this.#faults;
    if (first !== undefined) throw new ConfigError([first, ...rest]);
  }

  #originOf(path: KeyPath): string | undefined {
    for (let length = path.length; length > 0; length--) {
      const origin = this.#origins.get(showPath(path.slice(0, length)));
      if (origin !== undefined) return origin;
    }
    return undefined;
  }
}
