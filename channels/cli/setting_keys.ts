/**
 * All keys of the configuration, for completion.
 * @module
 */

import { configShape } from "../../actors/config/config_shape.ts";
import type { Shape } from "../../actors/config/shape.ts";
import { channelManifests } from "../registry.ts";

/** Sections and settings with a name of their own, sections first. */
export function settingKeys(): readonly string[] {
  return keysBelow(configShape(channelManifests), "");
}

function keysBelow(shape: Shape, path: string): readonly string[] {
  if (shape.kind !== "object") return [];
  return [...shape.fields].flatMap(([name, field]) => {
    const key = path === "" ? name : `${path}.${name}`;
    return [key, ...keysBelow(field, key)];
  });
}
