/**
 * Settings in the text of a configuration file, mostly one channel's: read as they stand, changed
 * without touching anything else.
 * @module
 */

import {
  applyEdits,
  findNodeAtLocation,
  type FormattingOptions,
  type JSONPath,
  modify,
  type Node,
  parseTree,
} from "jsonc-parser";
import { ConfigError } from "../../actors/config/errors.ts";
import { parseConfigText, repeatedKeys } from "../../actors/config/json_text.ts";
import { quote, showPath } from "../../actors/config/key_path.ts";
import { foldName } from "../../actors/config/spelling.ts";
import { isObject, type JsonObject, type JsonValue } from "../../actors/kernel/json.ts";

/** Which bot's keys: those of a channel's section, or of one of its instances. */
export interface SectionPlace {
  readonly channel: string;
  /** Id of an instance; null for the section itself. */
  readonly instance: string | null;
}

const NEW_FILE = "{}\n";

/**
 * The keys of a bot in camelCase, as they stand in the file; {} when there are none.
 *
 * @param text the whole file; null when there is none
 * @throws {ConfigError} when it is no JSON
 */
export function readSection(text: string | null, file: string, place: SectionPlace): JsonObject {
  const settings = parseConfigText(text ?? NEW_FILE, file);
  const section = objectAt(objectAt(settings, "channels"), place.channel);
  const common = withCamelKeys(section);
  if (place.instance === null) return common;
  const instances = valueOf(section, "instances");
  const own = (Array.isArray(instances) ? instances : []).map(asObject)
    .find((candidate) => valueOf(candidate, "id") === place.instance);
  const { instances: _instances, appId: _appId, appSecret: _appSecret, ...inherited } = common;
  return { ...inherited, ...withCamelKeys(own ?? {}) };
}

/**
 * The file's text with some keys of a bot changed. Keys keep the spelling in which they stand
 * there; new ones are written in camelCase. A line right before a new key may be laid out anew.
 *
 * @throws {ConfigError} when the text is no JSON, or a key to be changed stands there twice
 */
export function changeSection(
  text: string | null,
  file: string,
  { place, changes }: { readonly place: SectionPlace; readonly changes: JsonObject },
): string {
  let changed = text ?? NEW_FILE;
  parseConfigText(changed, file);
  for (const [key, value] of Object.entries(changes)) {
    const root = parseTree(changed);
    const path = [...placeIn(root, place), key];
    const written = writtenPath(root, path);
    checkUnique(changed, file, written);
    const edits = modify(changed, written, value, { formattingOptions: formattingOf(changed) });
    changed = applyEdits(changed, edits);
    if (place.instance !== null) changed = withInstanceId(changed, place);
  }
  return changed;
}

/** One setting, by its path in camelCase, and its value. */
export interface SettingChange {
  readonly path: readonly string[];
  readonly value: JsonValue;
}

/**
 * The file's text with some settings changed, and nothing else. Keys keep the spelling in which
 * they stand there.
 *
 * @param text the whole file; null when there is none
 * @throws {ConfigError} when it is no JSON, or a key to be changed stands there twice
 */
export function changeSettings(
  text: string | null,
  file: string,
  changes: readonly SettingChange[],
): string {
  let changed = text ?? NEW_FILE;
  parseConfigText(changed, file);
  for (const { path, value } of changes) {
    const written = writtenPath(parseTree(changed), [...path]);
    checkUnique(changed, file, written);
    const edits = modify(changed, written, value, { formattingOptions: formattingOf(changed) });
    changed = applyEdits(changed, edits);
  }
  return changed;
}

/** Of a key that stands twice the last one counts, and the first one would be changed. */
function checkUnique(text: string, file: string, written: JSONPath): void {
  const twice = repeatedKeys(text).find((path) => path.every((part, at) => part === written[at]));
  if (twice === undefined) return;
  const key = showPath(twice);
  const line = `Cannot change ${quote(file)}: ${key} is set more than once there; keep one`;
  throw new ConfigError([{ code: "config_malformed", key, line }]);
}

/** Where the bot's keys are, or will be. */
function placeIn(root: Node | undefined, { channel, instance }: SectionPlace): JSONPath {
  const section = ["channels", channel];
  if (instance === null) return section;
  const list = findNodeAtLocation(rootOf(root), writtenPath(root, [...section, "instances"]));
  const index = (list?.children ?? []).findIndex((candidate) =>
    findNodeAtLocation(candidate, ["id"])?.value === instance
  );
  return [...section, "instances", index === -1 ? list?.children?.length ?? 0 : index];
}

/** An instance that was just added has no id yet. */
function withInstanceId(text: string, place: SectionPlace): string {
  const root = parseTree(text);
  if (findNodeAtLocation(rootOf(root), writtenPath(root, placeIn(root, place))) !== undefined) {
    return text;
  }
  const list = writtenPath(root, ["channels", place.channel, "instances"]);
  const last = (findNodeAtLocation(rootOf(root), list)?.children?.length ?? 1) - 1;
  const options = { formattingOptions: formattingOf(text), getInsertionIndex: () => 0 };
  return applyEdits(text, modify(text, [...list, last, "id"], place.instance, options));
}

/** The path in the spelling of the file, as far as it exists there. */
function writtenPath(root: Node | undefined, path: JSONPath): JSONPath {
  const written: JSONPath = [];
  let node: Node | undefined = root;
  for (const part of path) {
    const key = typeof part === "string" ? spellingIn(node, part) : part;
    written.push(key);
    node = node === undefined ? undefined : findNodeAtLocation(node, [key]);
  }
  return written;
}

function spellingIn(node: Node | undefined, key: string): string {
  const keys = (node?.type === "object" ? node.children ?? [] : [])
    .map((property) => String(property.children?.[0]?.value));
  if (keys.includes(key)) return key;
  return keys.find((candidate) => foldName(candidate) === foldName(key)) ?? key;
}

function rootOf(root: Node | undefined): Node {
  return root ?? { type: "object", offset: 0, length: 0 };
}

function formattingOf(text: string): FormattingOptions {
  const indent = /\n([ \t]+)\S/.exec(text)?.[1] ?? "  ";
  const eol = text.includes("\r\n") ? "\r\n" : "\n";
  const insertSpaces = !indent.startsWith("\t");
  return { insertSpaces, tabSize: insertSpaces ? indent.length : 1, eol };
}

function withCamelKeys(section: JsonObject): JsonObject {
  const camel = (key: string) =>
    key.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
  const spelled = Object.entries(section);
  // Where both spellings stand there, camelCase counts: it comes last.
  const ordered = spelled.toSorted(([one], [other]) =>
    Number(one === camel(one)) - Number(other === camel(other))
  );
  return Object.fromEntries(ordered.map(([key, value]) => [camel(key), value]));
}

function valueOf(object: JsonObject, key: string): JsonValue | undefined {
  const written = Object.keys(object).find((candidate) => foldName(candidate) === foldName(key));
  return written === undefined ? undefined : object[written];
}

function objectAt(object: JsonObject, key: string): JsonObject {
  return asObject(valueOf(object, key));
}

function asObject(value: JsonValue | undefined): JsonObject {
  return isObject(value) ? value : {};
}
