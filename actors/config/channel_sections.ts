/**
 * The sections of single channels: which ones are switched on, and whether they are complete.
 * @module
 */

import { z } from "zod";
import type { ChannelManifest, ChannelSection } from "./channel_manifest.ts";
import { isObject, type JsonValue } from "../kernel/json.ts";
import { unknownKeySentence } from "./canonical.ts";
import { castValue } from "./cast.ts";
import type { Interpolator } from "./interpolate.ts";
import { type KeyPath, showPath } from "./key_path.ts";
import type { Report } from "./report.ts";
import { channelsSchema } from "./schema/channels.ts";
import { shapeOf } from "./shape.ts";
import { nearestName } from "./spelling.ts";
import { pluginManifest } from "./plugin_channel.ts";
import { own } from "./tree.ts";
import { validate } from "./validate.ts";

/** Section `channels`, with the parts that nobody will use put aside. */
export interface DividedChannels {
  /** The common keys and the sections of enabled channels; what is no object stays what it is. */
  readonly used: JsonValue | undefined;
  readonly enabled: readonly ChannelManifest[];
  /** The sections of other channels, as they stand in the file. */
  readonly others: Readonly<Record<string, JsonValue>>;
  /** Where warnings do not matter. */
  readonly ignored: readonly KeyPath[];
}

/**
 * Puts aside the sections of channels that are off or not known.
 *
 * @param channels Section `channels` under camelCase keys.
 * @param written The same section as it stands in the file.
 */
export function divideChannels(
  channels: JsonValue | undefined,
  written: JsonValue | undefined,
  manifests: readonly ChannelManifest[],
  { interpolator, report }: { readonly interpolator: Interpolator; readonly report: Report },
): DividedChannels {
  if (!isObject(channels)) return { used: channels, enabled: [], others: {}, ignored: [] };
  const common = commonKeys();
  const used: [string, JsonValue][] = [];
  const enabled: ChannelManifest[] = [];
  const others: [string, JsonValue][] = [];
  const ignored: KeyPath[] = [];
  for (const [name, section] of Object.entries(channels)) {
    const path = ["channels", name];
    const manifest = manifests.find((candidate) => candidate.name === name) ??
      (typeof own(section, "module") === "string" ? pluginManifest(name) : undefined);
    if (common.includes(name) && manifest === undefined) used.push([name, section]);
    else if (manifest === undefined && !isObject(section)) {
      report.warn(path, unknownKeySentence(path, [...common, ...manifests.map(nameOf)]));
    } else if (manifest !== undefined && isSwitchedOn(section, path, interpolator, report)) {
      used.push([name, section]);
      enabled.push(manifest);
    } else {
      others.push([name, own(written, name) ?? section]);
      if (manifest !== undefined) ignored.push(path);
      else if (isOnWord(own(section, "enabled"))) warnUnknownChannel(name, manifests, report);
    }
  }
  const divided = { used: Object.fromEntries(used), others: Object.fromEntries(others) };
  return { ...divided, enabled, ignored };
}

/** The checked sections of the enabled channels, by name; what is wrong goes to the report. */
export function readSections(
  channels: JsonValue | undefined,
  enabled: readonly ChannelManifest[],
  report: Report,
): Readonly<Record<string, ChannelSection>> {
  const sections: [string, ChannelSection][] = [];
  for (const manifest of enabled) {
    const { name } = manifest;
    const path = ["channels", name];
    const section = validate(own(channels, name) ?? {}, manifest.schema(z), path, report);
    if (section === null || report.hasFault(path)) continue;
    for (const sentence of manifest.missing(section)) report.refuseIncomplete(path, sentence);
    sections.push([name, section]);
  }
  return Object.fromEntries(sections);
}

function isSwitchedOn(
  section: JsonValue,
  path: KeyPath,
  interpolator: Interpolator,
  report: Report,
): boolean {
  // Not an object: switched on, so that the schema refuses it.
  if (!isObject(section)) return true;
  const key = [...path, "enabled"];
  const written = own(section, "enabled") ?? false;
  const value = interpolator.value(written, { kind: "boolean" }, key);
  if (value === undefined) return false;
  const isOn = castValue(value, { kind: "boolean" });
  if (typeof isOn === "boolean") return isOn;
  report.refuse(key, {
    code: "config_value_invalid",
    what: "is neither true nor false",
    remedy: "write true or false",
  });
  return false;
}

function isOnWord(value: JsonValue | undefined): boolean {
  return value !== undefined && castValue(value, { kind: "boolean" }) === true;
}

function warnUnknownChannel(
  name: string,
  manifests: readonly ChannelManifest[],
  report: Report,
): void {
  const path = ["channels", name];
  const names = manifests.map(nameOf);
  const nearest = nearestName(name, names);
  const advice = nearest === null
    ? `there are ${names.toSorted().join(", ")}`
    : `did you mean channels.${nearest}?`;
  report.warn(path, `${showPath(path)} is enabled, but there is no such channel: ${advice}`);
}

function commonKeys(): readonly string[] {
  const shape = shapeOf(channelsSchema);
  return shape.kind === "object" ? [...shape.fields.keys()] : [];
}

function nameOf(manifest: ChannelManifest): string {
  return manifest.name;
}
