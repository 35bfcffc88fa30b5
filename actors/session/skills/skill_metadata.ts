/**
 * What a skill's front matter means. Skills come from other agents as well, so what is not as it
 * should be counts as not there.
 * @module
 */

import { z } from "zod";
import type { SkillMetadata, SkillNeeds } from "./skill.ts";
import { cleanLine } from "./skill_wording.ts";

/** The agents whose part of `metadata` is read: the first that is there. */
const METADATA_KEYS = ["troupe", "nanobot", "openclaw"] as const;

/** What a name of a program or variable may be: it becomes a word of a command. */
const PROGRAM_NAME = /^[A-Za-z0-9][A-Za-z0-9._+-]{0,63}$/;
const VARIABLE_NAME = /^[A-Za-z_][A-Za-z0-9_]{0,63}$/;
const NAMES_MAX = 16;

/** Node's names for systems, and people's, as Deno has them. */
const SYSTEMS: ReadonlyMap<string, string> = new Map([
  ["win32", "windows"],
  ["macos", "darwin"],
]);

/** A list of texts, also if it is a single one; anything else is none. */
const textList: z.ZodType<readonly string[]> = z.preprocess(
  (value) => typeof value === "string" ? [value] : value,
  z.array(z.unknown()).transform((items) => items.filter((item) => typeof item === "string")),
).catch([]);

const mapping = z.record(z.string(), z.unknown());

const needsSchema = z.object({
  requires: z.object({ bins: textList, anyBins: textList, env: textList, tools: textList })
    .catch({ bins: [], anyBins: [], env: [], tools: [] }),
  os: textList,
  always: z.boolean().catch(false),
});

const headSchema = z.object({
  name: z.string().nullable().catch(null),
  description: z.string().nullable().catch(null),
  always: z.boolean().catch(false),
  metadata: z.unknown().optional(),
});

/** Reads a head; null is one without a word. */
export function skillMetadata(head: Readonly<Record<string, unknown>> | null): SkillMetadata {
  const { name, description, always, metadata } = headSchema.parse({ ...head });
  const ofAgent = needsSchema.parse(partOf(metadata));
  const line = cleanLine(description ?? "");
  return {
    name: name === null ? null : cleanLine(name),
    description: line === "" ? null : line,
    isAlways: always || ofAgent.always,
    needs: needsOf(ofAgent),
  };
}

function needsOf({ requires, os }: z.infer<typeof needsSchema>): SkillNeeds {
  return {
    bins: named(requires.bins, PROGRAM_NAME),
    anyBins: named(requires.anyBins, PROGRAM_NAME),
    env: named(requires.env, VARIABLE_NAME),
    tools: named(requires.tools, PROGRAM_NAME),
    os: named(os, PROGRAM_NAME).map((name) =>
      SYSTEMS.get(name.toLowerCase()) ?? name.toLowerCase()
    ),
  };
}

function named(names: readonly string[], pattern: RegExp): readonly string[] {
  return [...new Set(names)].filter((name) => pattern.test(name)).slice(0, NAMES_MAX);
}

/** `metadata` is a mapping, or the text of one in JSON. */
function partOf(metadata: unknown): Record<string, unknown> {
  const whole = mapping.safeParse(typeof metadata === "string" ? jsonOf(metadata) : metadata);
  if (!whole.success) return {};
  const key = METADATA_KEYS.find((name) => Object.hasOwn(whole.data, name));
  const part = key === undefined ? undefined : mapping.safeParse(whole.data[key]);
  return part?.success === true ? part.data : {};
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null; // as good as none
  }
}
