/**
 * A workspace as nanobot leaves it, and its files read by the rules that nanobot reads them by.
 * @module
 */

import { dirname, join } from "node:path";
import { z } from "zod";
import type { JsonObject } from "../../actors/kernel/json.ts";

const object: z.ZodType<JsonObject> = z.record(z.string(), z.json());

/** Writes files below a folder; what is no text becomes JSON lines. */
export async function writeFiles(
  folder: string,
  files: Readonly<Record<string, string | readonly JsonObject[]>>,
): Promise<void> {
  for (const [path, content] of Object.entries(files)) {
    const place = join(folder, path);
    await Deno.mkdir(dirname(place), { recursive: true });
    await Deno.writeTextFile(place, textOf(content));
  }
}

/** A file's text. */
export function textOf(content: string | readonly JsonObject[]): string {
  if (typeof content === "string") return content;
  return content.map((line) => `${JSON.stringify(line)}\n`).join("");
}

/** A session as nanobot has it after loading. */
export interface LoadedSession {
  readonly key: unknown;
  readonly metadata: unknown;
  readonly messages: readonly JsonObject[];
  /** What its model would be shown. */
  readonly history: readonly JsonObject[];
}

const metadataLine = z.object({
  key: z.string(),
  metadata: object,
  last_consolidated: z.number().int().min(0),
  created_at: z.string().refine(isTime),
  updated_at: z.string().refine(isTime),
});

const messageLine = z.looseObject({
  role: z.enum(["user", "assistant", "tool"]),
  content: z.union([z.string(), z.array(z.json()), z.null()]),
  timestamp: z.string().refine(isTime),
});

/** Loads a session; throws where nanobot would have to repair something. */
export function loadSession(text: string): LoadedSession {
  let head: z.infer<typeof metadataLine> | undefined;
  const messages: JsonObject[] = [];
  for (const line of text.split("\n").filter((line) => line.trim() !== "")) {
    const fields = object.parse(JSON.parse(line));
    if (fields["_type"] === "metadata") head = metadataLine.parse(fields);
    else messages.push(object.parse(messageLine.parse(fields)));
  }
  if (head === undefined) throw new TypeError("Cannot load the session: it has no metadata");
  const recent = messages.slice(head.last_consolidated);
  const first = recent.findIndex(({ role }) => role === "user");
  return {
    key: head.key,
    metadata: head.metadata,
    messages,
    history: legal(recent.slice(Math.max(0, first))),
  };
}

/** Without results at the start whose call is not there. */
function legal(messages: readonly JsonObject[]): readonly JsonObject[] {
  const declared = new Set<unknown>();
  let start = 0;
  for (const [index, message] of messages.entries()) {
    const calls = z.array(object).catch([]).parse(message["tool_calls"]);
    for (const { id } of calls) declared.add(id);
    if (message["role"] !== "tool" || declared.has(message["tool_call_id"])) continue;
    start = index + 1;
    declared.clear();
  }
  return messages.slice(start);
}

/** A summary, with the fields that nanobot knows. */
export interface LoadedEntry {
  readonly cursor: number;
  readonly timestamp: string;
  readonly content: string;
}

const historyLine: z.ZodType<LoadedEntry> = z.looseObject({
  cursor: z.int().min(1),
  timestamp: z.string().regex(/^\d{4}-\d\d-\d\d \d\d:\d\d$/),
  content: z.string(),
});

/** The entries of `memory/history.jsonl`; throws for a line that is none. */
export function loadHistory(text: string): LoadedEntry[] {
  return text.split("\n").filter((line) => line.trim() !== "")
    .map((line) => historyLine.parse(JSON.parse(line)));
}

/** An ISO time, with or without a zone. */
function isTime(text: string): boolean {
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/.test(text) && !Number.isNaN(Date.parse(text));
}
