/**
 * What of a file's lines is remembered as a passage, and whose it is.
 * @module
 */

import { z } from "zod";
import { isRecord } from "../../kernel/worker_envelope.ts";
import { MemoryScope, type MemoryScopeSetting, sessionMemoryScope } from "../scope.ts";
import type { RecallHit, RecallKind } from "./protocol.ts";

/** A line that can be found. */
export interface Passage {
  readonly text: string;
  readonly role: RecallHit["role"];
  readonly sessionKey: string | null;
  /** Epoch milliseconds; null where the line does not tell. */
  readonly atMs: number | null;
  /** A whole stretch of conversation, as nobody could sum it up. @default false */
  readonly isRaw?: boolean;
}

/** A file that recall reads. */
export interface RecallSource {
  readonly kind: RecallKind;
  /** Below the workspace. */
  readonly path: string;
  /** Folder of its scope; null where each line has its own. */
  readonly scope: string | null;
  /** The session that the file's name stands for; null where it is none, or does not tell. */
  readonly sessionKey: string | null;
}

/** Whose the lines of a turn are; what is behind it cannot tell any more. */
export interface TurnOwner {
  readonly turnId: string | null;
  /** null: several people's, or nobody knows: it is recalled for nobody. */
  readonly scope: string | null;
}

/** How lines are read. */
export interface ReadingRules {
  readonly setting: MemoryScopeSetting;
  /** Epoch milliseconds of `YYYY-MM-DD HH:MM` where the assistant lives; null where it is none. */
  readonly parseMinute: (text: string) => number | null;
}

/** Archives of conversations as they were begin so. */
const RAW_MARK = "[RAW] ";
/** Where a message begins in such an archive. */
const ARCHIVED_LINE = /^(?=\[(?:\d{4}-\d{2}-\d{2}T\d{2}:\d{2}|\?)\] (?:USER|ASSISTANT|TOOL)\b)/mu;
const TOOL_LINE = /^\[[^\]\n]*\] TOOL\b/u;
const ARCHIVED_CALL = /\[calls? [^\n]*\]/gu;

/** What strangers wrote stands behind such a mark, the text of an attached file too. */
const FOREIGN_MARK = /⟦Untrusted content|^\[File: /mu;

const scopeName = z.templateLiteral([z.enum(["person", "chat", "session"]), ":", z.string()]);

/** A line of a file as a passage; null where it holds nothing to find. */
export function passageOf(
  line: string,
  { kind, sessionKey }: RecallSource,
  { parseMinute }: Pick<ReadingRules, "parseMinute">,
): Passage | null {
  if (kind === "facts") {
    const text = line.trim();
    return text === "" ? null : { text, role: "", sessionKey: null, atMs: null };
  }
  const fields = parseObject(line);
  if (fields === null) return null;
  return kind === "history" ? historyPassage(fields, parseMinute) : saidPassage(fields, sessionKey);
}

/** Whether it holds words of strangers. */
export function isForeign({ text }: Pick<Passage, "text">): boolean {
  return FOREIGN_MARK.test(text);
}

/** The key that a session's file tells, in its metadata line; null in any other line. */
export function keyOfMetadata(line: string): string | null {
  const fields = line.includes('"_type"') ? parseObject(line) : null;
  const key = fields?.["_type"] === "metadata" ? fields["key"] : null;
  return typeof key === "string" ? key : null;
}

/**
 * Whose a line of a conversation is: its sender's, or that of who began its turn. A turn of several
 * people is nobody's from the second one's line on.
 */
export function ownerOf(
  line: string,
  sessionKey: string,
  before: TurnOwner,
  setting: MemoryScopeSetting,
): TurnOwner {
  if (setting === "global") return { turnId: null, scope: MemoryScope.global.folder };
  const fields = parseObject(line);
  if (fields === null) return before;
  const turnId = turnOf(fields);
  const isSameTurn = turnId !== null && turnId === before.turnId;
  if (fields["role"] !== "user") {
    if (isSameTurn) return before;
    return { turnId, scope: turnId === null ? before.scope : null };
  }
  const scope = scopeOfLine(fields, sessionKey, setting);
  const isMixed = isSameTurn && before.scope !== scope;
  return { turnId, scope: isMixed ? null : scope };
}

/**
 * The line says it; one that was written under another setting tells at most its chat. null where
 * it tells nothing that decides.
 */
function scopeOfLine(
  fields: Readonly<Record<string, unknown>>,
  sessionKey: string,
  setting: MemoryScopeSetting,
): string | null {
  const named = scopeName.safeParse(fields["memory_scope"]).data;
  const isOfSetting = named !== undefined && (setting === "person" || !named.startsWith("person:"));
  if (isOfSetting) return MemoryScope.named(named).folder;
  if (setting === "person" || !sessionKey.includes(":")) return null;
  return sessionMemoryScope(setting, sessionKey).folder;
}

function turnOf({ line_id: lineId }: Readonly<Record<string, unknown>>): string | null {
  if (typeof lineId !== "string") return null;
  const end = lineId.lastIndexOf(":");
  return end === -1 ? null : lineId.slice(0, end);
}

function historyPassage(
  { content, timestamp, session_key: sessionKey }: Readonly<Record<string, unknown>>,
  parseMinute: ReadingRules["parseMinute"],
): Passage | null {
  if (typeof content !== "string") return null;
  const text = isRawArchive(content) ? saidInArchive(content) : content;
  if (text.trim() === "") return null;
  return {
    text,
    isRaw: isRawArchive(content),
    role: "",
    sessionKey: typeof sessionKey === "string" ? sessionKey : null,
    atMs: typeof timestamp === "string" ? parseMinute(timestamp) : null,
  };
}

function isRawArchive(content: string): boolean {
  return content.startsWith(RAW_MARK);
}

/** Without what tools were asked and gave, as in conversations; what recall gave was an echo. */
function saidInArchive(content: string): string {
  return content.split(ARCHIVED_LINE).filter((part) => !TOOL_LINE.test(part)).join("")
    .replaceAll(ARCHIVED_CALL, "");
}

/** What a tool gave is left out: it is foreign, long, and can be had again. */
function saidPassage(
  fields: Readonly<Record<string, unknown>>,
  sessionKey: string | null,
): Passage | null {
  const { role, content, timestamp } = fields;
  if ((role !== "user" && role !== "assistant") || Array.isArray(fields["set_aside"])) return null;
  const text = textOf(content).trim();
  if (text === "") return null;
  const atMs = typeof timestamp === "string" ? Date.parse(timestamp) : NaN;
  return { text, role, sessionKey, atMs: Number.isNaN(atMs) ? null : atMs };
}

function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content.map((block: unknown) => isRecord(block) ? block["text"] : null)
    .filter((text) => typeof text === "string").join("\n");
}

function parseObject(line: string): Readonly<Record<string, unknown>> | null {
  if (!line.startsWith("{")) return null;
  try {
    const value: unknown = JSON.parse(line);
    return isRecord(value) ? value : null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}
