/**
 * Puts the values of environment variables in the place of `${NAME}` in settings.
 * @module
 */

import { isList, isObject, type JsonObject, type JsonValue } from "../kernel/json.ts";
import { castValue } from "./cast.ts";
import type { KeyPath } from "./key_path.ts";
import type { Report } from "./report.ts";
import type { ObjectShape, Shape } from "./shape.ts";
import { own } from "./tree.ts";

/** `$${NAME}` stands for the text `${NAME}`; its placeholder is the first group. */
const PLACEHOLDER = /\$(\$\{[A-Za-z_][A-Za-z0-9_]*\})|\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g;

/** Keys that switch the object off that they stand in. */
const SWITCHES: readonly string[] = ["enabled", "enable"];

/** A variable that a setting names. */
export interface Interpolation {
  readonly key: KeyPath;
  readonly variable: string;
}

/** Interpolates one reading's settings, and notes which variable went where. */
export class Interpolator {
  readonly #env: Readonly<Record<string, string>>;
  readonly #report: Report;
  readonly interpolations: Interpolation[] = [];

  constructor(env: Readonly<Record<string, string>>, report: Report) {
    this.#env = env;
    this.#report = report;
  }

  /**
   * The settings without placeholders; keys stay as they are. A variable that is not set refuses
   * the configuration, save in a part that is switched off, where the value is left out.
   */
  settings(settings: JsonObject, shape: ObjectShape): JsonObject {
    return this.#object(settings, shape, [], false);
  }

  /** One value; undefined when a variable is not set. */
  value(value: JsonValue, shape: Shape, path: KeyPath, isOff = false): JsonValue | undefined {
    if (typeof value === "string") return this.#text(value, path, isOff);
    if (isList(value)) {
      const itemShape: Shape = shape.kind === "list" ? shape.item : { kind: "any" };
      return value
        .map((item, index) => this.value(item, itemShape, [...path, index], isOff))
        .filter((item) => item !== undefined);
    }
    return isObject(value) ? this.#object(value, shape, path, isOff) : value;
  }

  #object(object: JsonObject, shape: Shape, path: KeyPath, isOutside: boolean): JsonObject {
    const isOff = isOutside || this.#isSwitchedOff(object, shape);
    const interpolated: [string, JsonValue][] = [];
    for (const [key, value] of Object.entries(object)) {
      const expected = shape.kind === "object" ? shape.fields.get(key) ?? shape.rest : null;
      const result = this.value(value, expected ?? { kind: "any" }, [...path, key], isOff);
      if (result !== undefined) interpolated.push([key, result]);
    }
    return Object.fromEntries(interpolated);
  }

  #isSwitchedOff(object: JsonObject, shape: Shape): boolean {
    if (shape.kind !== "object") return false;
    return SWITCHES.some((key) => {
      const value = own(object, key);
      if (value === undefined || shape.fields.get(key)?.kind !== "boolean") return false;
      const text = typeof value === "string" ? this.#substitute(value, () => {}) : value;
      return castValue(text, { kind: "boolean" }) === false;
    });
  }

  #text(text: string, path: KeyPath, isOff: boolean): string | undefined {
    let isComplete = true;
    const result = this.#substitute(text, (variable, isSet) => {
      if (isSet) {
        this.interpolations.push({ key: path, variable });
        return;
      }
      isComplete = false;
      if (isOff) return;
      this.#report.refuse(path, {
        code: "config_variable_missing",
        what: `names the environment variable ${variable}, which is not set`,
        remedy: "set it, or write the value itself",
      });
    });
    return isComplete ? result : undefined;
  }

  #substitute(text: string, onVariable: (name: string, isSet: boolean) => void): string {
    return text.replace(PLACEHOLDER, (whole: string, literal?: string, name?: string) => {
      if (literal !== undefined) return literal;
      if (name === undefined) return whole;
      const isSet = Object.hasOwn(this.#env, name);
      onVariable(name, isSet);
      return isSet ? this.#env[name] ?? "" : whole;
    });
  }
}
