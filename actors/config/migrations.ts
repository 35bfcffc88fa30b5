/**
 * Keys of earlier versions, moved to where they stand now.
 * @module
 */

import { isObject, type JsonObject, type JsonValue } from "../kernel/json.ts";
import type { Report } from "./report.ts";
import { foldName } from "./spelling.ts";
import { mergeObjects, own, withKey, withoutKey } from "./tree.ts";

type Keys = readonly [string, ...string[]];

const MOVED: readonly { readonly from: Keys; readonly to: Keys }[] = [
  {
    from: ["tools", "exec", "restrictToWorkspace"],
    to: ["tools", "restrictToWorkspace"],
  },
  { from: ["tools", "myEnabled"], to: ["tools", "my", "enable"] },
  { from: ["tools", "mySet"], to: ["tools", "my", "allowSet"] },
  { from: ["mcp", "servers"], to: ["tools", "mcpServers"] },
];

const RETIRED: readonly { readonly key: Keys; readonly advice: string }[] = [
  {
    key: ["agents", "defaults", "memoryWindow"],
    advice: "agents.defaults.contextWindowTokens bounds what the model sees now",
  },
];

/** The settings with all earlier keys in their present place, or gone; a warning for each. */
export function migrate(settings: JsonObject, report: Report): JsonObject {
  let current = settings;
  for (const { from, to } of MOVED) {
    const value = find(current, from);
    if (value === undefined) continue;
    const present = find(current, to);
    current = place(remove(current, from), to, combine(value, present));
    const [oldName, newName] = [from.join("."), to.join(".")];
    const isIgnored = present !== undefined && !(isObject(value) && isObject(present));
    report.warn(
      from,
      isIgnored
        ? `${oldName} is the old name of ${newName} and is ignored, as both are there: remove it`
        : `${oldName} is the old name of ${newName}: rename it`,
    );
    if (present === undefined) report.nameOrigin(to, oldName);
  }
  for (const { key, advice } of RETIRED) {
    if (find(current, key) === undefined) continue;
    current = remove(current, key);
    report.warn(key, `${key.join(".")} is no longer used and is ignored: ${advice}`);
  }
  return current;
}

/** The present value wins; of two maps, both count. */
function combine(old: JsonValue, present: JsonValue | undefined): JsonValue {
  if (present === undefined) return old;
  return isObject(old) && isObject(present) ? mergeObjects(old, present) : present;
}

/** The first spelling that is there; camelCase is looked for first. */
function writtenKey(object: JsonObject, camel: string): string | undefined {
  if (Object.hasOwn(object, camel)) return camel;
  return Object.keys(object).find((key) => foldName(key) === foldName(camel));
}

function find(value: JsonValue | undefined, path: Keys): JsonValue | undefined {
  const [camel, ...rest] = path;
  if (!isObject(value)) return undefined;
  const key = writtenKey(value, camel);
  const found = key === undefined ? undefined : own(value, key);
  return isKeys(rest) ? find(found, rest) : found;
}

/** Without all spellings of the key, and without the objects that are empty then. */
function remove(object: JsonObject, [camel, ...rest]: Keys): JsonObject {
  let current = object;
  for (const key of Object.keys(object).filter((key) => foldName(key) === foldName(camel))) {
    const child = own(object, key);
    const left = isKeys(rest) && isObject(child) ? remove(child, rest) : {};
    const isGone = !isKeys(rest) || (isObject(child) && Object.keys(left).length === 0);
    if (isGone) current = withoutKey(current, key);
    else if (isObject(child)) current = withKey(current, key, left);
  }
  return current;
}

/** With the value set; an object on the way that is none stays, to be refused later. */
function place(
  object: JsonObject,
  [camel, ...rest]: Keys,
  value: JsonValue,
): JsonObject {
  const key = writtenKey(object, camel) ?? camel;
  if (!isKeys(rest)) return withKey(object, key, value);
  const child = own(object, key) ?? {};
  return isObject(child) ? withKey(object, key, place(child, rest, value)) : object;
}

function isKeys(keys: readonly string[]): keys is Keys {
  return keys.length > 0;
}
