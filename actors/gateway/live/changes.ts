/**
 * What an edited configuration changes, and the configuration that holds once all of it is applied
 * that can be without a restart.
 * @module
 */

import type { Config } from "../../config/schema.ts";
import { own } from "../../config/tree.ts";
import { asJson, type JsonValue } from "../../kernel/json.ts";
import { effectOf, EFFECTS } from "./settings_table.ts";

/** Keys that differ between two configurations. */
export interface ConfigChanges {
  /** Those that can count without a restart. */
  readonly applied: readonly string[];
  /** Names of channels whose section came, went or changed. */
  readonly channels: readonly string[];
  /** Those that count with the next start. */
  readonly waiting: readonly string[];
}

/** Compares the configuration that holds with the one in the file. */
export function changesBetween(running: Config, next: Config): ConfigChanges {
  const [before, after] = [asJson({ ...running }), asJson({ ...next })];
  const changed = Object.keys(EFFECTS).filter((key) =>
    isDifferent(valueAt(before, key), valueAt(after, key))
  );
  const names = new Set([
    ...Object.keys(running.channels.enabled),
    ...Object.keys(next.channels.enabled),
  ]);
  return {
    applied: changed.filter((key) => effectOf(key) !== "start"),
    channels: [...names].filter((name) =>
      isDifferent(
        asJson({ ...running.channels.enabled[name] }),
        asJson({ ...next.channels.enabled[name] }),
      )
    ),
    waiting: changed.filter((key) => effectOf(key) === "start"),
  };
}

/** The edited configuration, with the values of today where a change waits for the next start. */
export function withoutWaiting(running: Config, next: Config): Config {
  const { channels, ...core } = next;
  const { channels: _channels, ...before } = running;
  return { ...keepWaiting(core, before, ""), channels };
}

function keepWaiting<T extends object>(next: T, running: T, path: string): T {
  const kept = { ...next };
  for (const key in next) {
    if (!Object.hasOwn(next, key) || !Object.hasOwn(running, key)) continue;
    const at = path === "" ? key : `${path}.${key}`;
    const [value, before] = [next[key], running[key]];
    if (EFFECTS[at] !== undefined) {
      if (effectOf(at) === "start") kept[key] = before;
    } else if (isSection(value) && isSection(before)) kept[key] = keepWaiting(value, before, at);
    else kept[key] = before;
  }
  return kept;
}

function isSection(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function valueAt(settings: JsonValue, key: string): JsonValue | undefined {
  return key.split(".").reduce<JsonValue | undefined>(own, settings);
}

function isDifferent(one: JsonValue | undefined, other: JsonValue | undefined): boolean {
  return JSON.stringify(one) !== JSON.stringify(other);
}
