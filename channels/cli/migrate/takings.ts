/**
 * Settings of another assistant, and which of them were taken: the others stay behind.
 * @module
 */

import { own } from "../../../actors/config/tree.ts";
import { isObject, type JsonObject, type JsonValue } from "../../../actors/kernel/json.ts";

/** Levels that a key which stays behind is named with. */
const LEVELS_MAX = 4;

/** Reads settings by their paths, and remembers which. */
export class Takings {
  readonly #root: JsonObject;
  readonly #taken = new Set<string>();

  constructor(root: JsonObject) {
    this.#root = root;
  }

  /** The value at a path; undefined where there is none. */
  take(...path: readonly string[]): JsonValue | undefined {
    const value = path.reduce<JsonValue | undefined>(own, this.#root);
    if (value !== undefined) this.#taken.add(JSON.stringify(path));
    return value;
  }

  /** The same for a text that is not blank. */
  text(...path: readonly string[]): string | undefined {
    const value = this.take(...path);
    return typeof value === "string" && value.trim() !== "" ? value : undefined;
  }

  /** The keys of an object, which counts as taken no more than they are. */
  keys(...path: readonly string[]): readonly string[] {
    const value = path.reduce<JsonValue | undefined>(own, this.#root);
    return isObject(value) ? Object.keys(value) : [];
  }

  /** What was not taken, by the shortest paths that say so. */
  rest(): readonly string[] {
    return this.#restIn(this.#root, []);
  }

  #restIn(value: JsonObject, path: readonly string[]): readonly string[] {
    return Object.entries(value).flatMap(([key, item]) => {
      const here = [...path, key];
      if (this.#taken.has(JSON.stringify(here))) return [];
      const start = JSON.stringify(here).slice(0, -1);
      const isTouched = [...this.#taken].some((taken) => taken.startsWith(`${start},`));
      if (!isTouched || !isObject(item) || here.length >= LEVELS_MAX) {
        return isTouched ? [] : [here.join(".")];
      }
      return this.#restIn(item, here);
    });
  }
}

/** A text, or a reference to a variable; undefined for other secrets, which stay where they are. */
export function secretOf(value: JsonValue | undefined): string | undefined {
  if (typeof value === "string") return value.trim() === "" ? undefined : value;
  const id = own(value, "id");
  return own(value, "source") === "env" && typeof id === "string" ? `\${${id}}` : undefined;
}
