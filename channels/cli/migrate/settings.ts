/**
 * Settings on their way into a configuration file that may hold some already: what is there stays,
 * and what could not be loaded afterwards is left out.
 * @module
 */

import { ConfigError, type ConfigFault } from "../../../actors/config/errors.ts";
import type { ConfigSource } from "../../../actors/config/source.ts";
import { foldName } from "../../../actors/config/spelling.ts";
import { isObject, type JsonObject, type JsonValue } from "../../../actors/kernel/json.ts";
import { draftConfig } from "../onboarding/config_draft.ts";
import { changeSettings, type SettingChange } from "../section_file.ts";
import type { LeftBehind } from "./plan.ts";

/** Rounds in which faulty settings are taken out; each takes all that is known to be faulty. */
const ROUNDS_MAX = 20;

/** A configuration with further settings. */
export interface MergedSettings {
  /** null when there is nothing to change. */
  readonly text: string | null;
  /** Keys with their path. */
  readonly added: readonly string[];
  readonly there: readonly string[];
  readonly left: readonly LeftBehind[];
  readonly notes: readonly string[];
}

/** Settings as single changes: objects are gone through, lists are one value. */
export function leavesOf(settings: JsonObject, path: readonly string[] = []): SettingChange[] {
  return Object.entries(settings).flatMap(([key, value]) => {
    const own = [...path, key];
    return isObject(value) && Object.keys(value).length > 0
      ? leavesOf(value, own)
      : [{ path: own, value }];
  });
}

/** The value at a path, in whatever spelling. */
export function valueAt(settings: JsonObject, path: readonly string[]): JsonValue | undefined {
  let value: JsonValue | undefined = settings;
  for (const part of path) {
    if (!isObject(value)) return undefined;
    const keys: string[] = Object.keys(value);
    const key = keys.find((one) => one === part) ??
      keys.find((one) => foldName(one) === foldName(part));
    value = key === undefined ? undefined : value[key];
  }
  return value;
}

/**
 * The target's file with the settings that it lacks.
 *
 * @throws {ConfigError} when the target alone could not be loaded
 */
export async function mergeSettings(
  source: ConfigSource,
  target: {
    readonly configFile: string;
    readonly text: string | null;
    readonly present: JsonObject;
  },
  settings: JsonObject,
): Promise<MergedSettings> {
  const { configFile, text, present } = target;
  const there: string[] = [];
  const left: LeftBehind[] = [];
  const changes: SettingChange[] = [];
  for (const change of leavesOf(settings)) {
    const what = change.path.join(".");
    const found = presentAt(present, change.path);
    if (found === undefined) changes.push(change);
    else if (JSON.stringify(found) === JSON.stringify(change.value)) there.push(what);
    else {
      const why = "another value is set there already, and stays";
      left.push({ part: "config", what, reason: "taken", why });
    }
  }
  const checked = await withoutFaulty(source, { configFile, text }, changes);
  const { kept } = checked;
  return {
    text: kept.length === 0 ? null : changeSettings(text, configFile, kept),
    added: kept.map(({ path }) => path.join(".")),
    there,
    left: [...left, ...checked.left],
    notes: checked.notes,
  };
}

/** What stands at a path, or hinders that something is put there. */
function presentAt(present: JsonObject, path: readonly string[]): JsonValue | undefined {
  for (let length = 1; length <= path.length; length++) {
    const value = valueAt(present, path.slice(0, length));
    if (value === undefined) return undefined;
    if (!isObject(value) || length === path.length) return value;
  }
  return undefined;
}

interface Checked {
  readonly kept: readonly SettingChange[];
  readonly left: readonly LeftBehind[];
  readonly notes: readonly string[];
}

async function withoutFaulty(
  source: ConfigSource,
  target: { readonly configFile: string; readonly text: string | null },
  changes: readonly SettingChange[],
): Promise<Checked> {
  let kept = changes;
  const left: LeftBehind[] = [];
  const notes = new Set<string>();
  for (let round = 0; round < ROUNDS_MAX && kept.length > 0; round++) {
    try {
      await draftConfig(source, target, kept);
      break;
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      const faulty = error.faults.filter(({ code }) => code !== "config_variable_missing");
      for (const fault of error.faults) {
        if (!faulty.includes(fault)) notes.add(reasonOf(fault, target.configFile));
      }
      if (faulty.length === 0) break; // the variable may be set where the gateway runs
      const rest = faulty.reduce((all, fault) => repaired(all, fault), kept);
      if (JSON.stringify(rest) === JSON.stringify(kept)) throw error;
      for (const fault of faulty) {
        const { code, key } = fault;
        const isOff = code === "config_channel_incomplete";
        const why = `${isOff ? "switched off: " : ""}${reasonOf(fault, target.configFile)}`;
        left.push({ part: "config", what: key, reason: "foreign", why });
      }
      kept = rest;
    }
  }
  return { kept, left, notes: [...notes] };
}

/** The changes without what a fault is about; a channel that lacks something is switched off. */
function repaired(changes: readonly SettingChange[], fault: ConfigFault): readonly SettingChange[] {
  const key = fault.key.split(/[.[\]]+/).filter((part) => part !== "").map(foldName);
  const [, channel = ""] = key;
  if (fault.code === "config_channel_incomplete") {
    return changes.map((change) => {
      const { path } = change;
      const isSwitch = path.length === 3 && path[0] === "channels" && path[2] === "enabled" &&
        foldName(path[1] ?? "") === channel;
      return isSwitch ? { ...change, value: false } : change;
    });
  }
  return changes.filter(({ path }) => {
    const own = path.map(foldName);
    const length = Math.min(own.length, key.length);
    return own.slice(0, length).join(".") !== key.slice(0, length).join(".");
  });
}

/** The sentence of a fault without the file's name. */
function reasonOf({ line }: ConfigFault, configFile: string): string {
  return line.replace(`Cannot load ${JSON.stringify(configFile)}: `, "");
}
