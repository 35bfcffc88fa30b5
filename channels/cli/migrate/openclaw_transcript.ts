/**
 * OpenClaw's transcripts as our conversations. A transcript is a tree: what was said on branches
 * that were left is not carried, and neither is what is no message.
 * @module
 */

import { own } from "../../../actors/config/tree.ts";
import { isList, isObject, type JsonObject, type JsonValue } from "../../../actors/kernel/json.ts";
import { encodeMetadataLine } from "../../../actors/session/session_file.ts";
import type { SourceTree } from "./adapters/source_tree.ts";
import { objectOf } from "./lines.ts";

/** What a transcript holds. */
export interface Transcript {
  readonly messages: number;
  /** Lines that cannot be read. */
  readonly damaged: number;
  /** The lines as we write them; each call reads the file anew. */
  readonly lines: () => AsyncIterable<string>;
}

/** Whose transcript it is. */
export interface TranscriptOwner {
  /** Ours. */
  readonly key: string;
  /** Epoch milliseconds; null where nothing tells. */
  readonly updatedAtMs: number | null;
}

interface Entry {
  readonly id: string | null;
  readonly parentId: string | null;
  readonly isMessage: boolean;
  /** Of a compaction. */
  readonly summary:
    | { readonly text: string; readonly firstKept: string; readonly at: string }
    | null;
}

/** Looks through a transcript. @throws {SourceFileError} */
export async function readTranscript(
  tree: SourceTree,
  path: string,
  owner: TranscriptOwner,
): Promise<Transcript> {
  const entries: Entry[] = [];
  let leaf: string | null = null;
  let createdAtMs: number | null = null;
  let damaged = 0;
  for await (const line of tree.lines(path)) {
    const fields = objectOf(line);
    if (fields === null) damaged++;
    else if (fields["type"] === "session") createdAtMs = instantOf(fields["timestamp"]);
    else if (fields["type"] === "leaf") leaf = textOf(fields["targetId"]);
    entries.push(fields === null ? NO_ENTRY : entryOf(fields));
  }
  const active = activeIn(entries, leaf);
  const spoken = [...active].filter((index) => entries[index]?.isMessage === true);
  const { summary, lastConsolidated } = summaryIn(entries, active);
  const head = encodeMetadataLine({
    key: owner.key,
    createdAtMs: createdAtMs ?? owner.updatedAtMs,
    updatedAtMs: owner.updatedAtMs ?? createdAtMs,
    metadata: summary === null
      ? {}
      : { _last_summary: { text: summary.text, last_active: summary.at } },
    lastConsolidated,
  });
  const lines = async function* (): AsyncGenerator<string> {
    yield head;
    let index = 0;
    for await (const line of tree.lines(path)) {
      const fields = active.has(index++) ? objectOf(line) : null;
      const message = fields === null ? null : messageOf(fields);
      if (message !== null) yield JSON.stringify(message);
    }
  };
  return { messages: spoken.length, damaged, lines };
}

const NO_ENTRY: Entry = { id: null, parentId: null, isMessage: false, summary: null };

function entryOf(fields: JsonObject): Entry {
  if (fields["type"] === "leaf" || fields["appendMode"] === "side") return NO_ENTRY;
  const isCompaction = fields["type"] === "compaction";
  const text = textOf(fields["summary"]);
  const firstKept = textOf(fields["firstKeptEntryId"]);
  return {
    id: textOf(fields["id"]),
    parentId: textOf(fields["parentId"]),
    isMessage: messageOf(fields) !== null,
    summary: isCompaction && text !== null && firstKept !== null
      ? { text, firstKept, at: textOf(fields["timestamp"]) ?? "" }
      : null,
  };
}

/** The lines from the first to the last one by way of their parents, in order. */
function activeIn(entries: readonly Entry[], leaf: string | null): ReadonlySet<number> {
  const places = new Map<string, number>();
  for (const [index, { id }] of entries.entries()) if (id !== null) places.set(id, index);
  if (places.size === 0) return new Set(entries.keys()); // the first versions had no tree
  const last = entries.findLastIndex(({ id }) => id !== null);
  const chain = new Set<number>();
  let index = (leaf === null ? undefined : places.get(leaf)) ?? last;
  while (index >= 0 && !chain.has(index)) {
    chain.add(index);
    const { id, parentId } = entries[index] ?? NO_ENTRY;
    if (id !== null && parentId === null) break;
    // Behind a damaged line the one before it in the file goes on.
    index = (parentId === null ? undefined : places.get(parentId)) ?? index - 1;
  }
  return new Set([...chain].toSorted((one, other) => one - other));
}

function summaryIn(
  entries: readonly Entry[],
  active: ReadonlySet<number>,
): { readonly summary: Entry["summary"]; readonly lastConsolidated: number } {
  let summary: Entry["summary"] = null;
  for (const index of active) summary = entries[index]?.summary ?? summary;
  const found = summary;
  if (found === null) return { summary: null, lastConsolidated: 0 };
  let lastConsolidated = 0;
  for (const index of active) {
    if (entries[index]?.id === found.firstKept) return { summary, lastConsolidated };
    if (entries[index]?.isMessage === true) lastConsolidated++;
  }
  return { summary: null, lastConsolidated: 0 }; // what it keeps is gone: better all than nothing
}

/** A message as we write it; null where a line holds none, or an empty one. */
function messageOf(fields: JsonObject): JsonObject | null {
  const message = fields["message"];
  if (fields["type"] !== "message" || !isObject(message)) return null;
  const blocks = blocksOf(message["content"]);
  const content = blocks.map(wordsOf).filter((words) => words !== "").join("\n");
  const timestamp = new Date(
    instantOf(fields["timestamp"]) ?? instantOf(message["timestamp"]) ?? 0,
  ).toISOString();
  switch (message["role"]) {
    case "user":
      return content.trim() === "" ? null : { role: "user", content, timestamp };
    case "assistant": {
      const calls = blocks.filter(({ type }) => type === "toolCall").map(callOf);
      const thoughts = blocks.map(({ thinking }) => textOf(thinking) ?? "").join("");
      if (content.trim() === "" && calls.length === 0) return null;
      return {
        ...{ role: "assistant", content },
        ...(calls.length > 0 && { tool_calls: calls }),
        ...(thoughts !== "" && { reasoning_content: thoughts }),
        timestamp,
      };
    }
    case "toolResult": {
      const { toolCallId, toolName } = message;
      const name = textOf(toolName) ?? "tool";
      return { role: "tool", tool_call_id: textOf(toolCallId) ?? "", name, content, timestamp };
    }
    default:
      return null;
  }
}

function blocksOf(content: JsonValue | undefined): readonly JsonObject[] {
  if (typeof content === "string") return [{ type: "text", text: content }];
  return isList(content) ? content.filter(isObject) : [];
}

function wordsOf({ type, text }: JsonObject): string {
  if (type === "text") return textOf(text) ?? "";
  return type === "image" ? "[image]" : "";
}

function callOf(block: JsonObject): JsonObject {
  const { id, name, arguments: given } = block;
  const written = typeof given === "string" ? given : JSON.stringify(own(block, "arguments") ?? {});
  return {
    id: textOf(id) ?? "",
    type: "function",
    function: { name: textOf(name) ?? "tool", arguments: written },
  };
}

function textOf(value: JsonValue | undefined): string | null {
  return typeof value === "string" ? value : null;
}

/** Epoch milliseconds of an ISO time or a number; null for anything else. */
export function instantOf(value: JsonValue | undefined): number | null {
  const ms = typeof value === "string"
    ? Date.parse(value)
    : typeof value === "number"
    ? value
    : NaN;
  return Number.isNaN(new Date(ms).getTime()) ? null : ms;
}
