/**
 * What the commands about conversations say.
 * @module
 */

import { localMinute } from "../../actors/kernel/local_time.ts";
import { hitPlace, hitText } from "../../actors/memory/recall/hit_text.ts";
import type { RecallAnswer } from "../../actors/memory/recall/protocol.ts";
import type { ReplayReport } from "../../actors/session/replay/replay_session.ts";
import type { FoundSession, SessionsPage } from "../../actors/session/session_catalog.ts";
import type { StoredMessage } from "../../actors/session/session_file.ts";
import { imagePlace } from "../../actors/session/message_line.ts";
import { printableLines } from "./printable.ts";

const LINE_CHARS_MAX = 200;

/** A conversation in figures. */
export interface SessionFacts {
  readonly key: string;
  readonly file: string;
  /** ISO 8601; null where the file does not tell. */
  readonly createdAt: string | null;
  readonly updatedAt: string | null;
  readonly messages: number;
  readonly byRole: Readonly<Record<string, number>>;
  /** Leading messages that were summed up and are not shown to the model. */
  readonly summedUp: number;
  readonly damagedLines: number;
}

/** One line for each. */
export function listText({ sessions, total }: SessionsPage, offset: number): string {
  if (total === 0) return "There are no conversations yet\n";
  const width = Math.max(0, ...sessions.map(({ key }) => key.length));
  const lines = sessions.map(({ key, updatedAtMs, bytes }) =>
    `${key.padEnd(width)}  ${isoMinute(updatedAtMs)}  ${Math.ceil(bytes / 1024)} KiB`
  );
  const next = offset + sessions.length;
  if (next < total) lines.push(`(${next} of ${total}; --offset ${next} shows more)`);
  return printableLines(lines);
}

/** What a conversation is. */
export function describeSession({ key, file, content }: FoundSession): SessionFacts {
  const { metadata, messages, damaged } = content;
  const byRole = Object.groupBy(messages, ({ message }) => message.role);
  return {
    key,
    file,
    createdAt: iso(metadata?.createdAtMs ?? null),
    updatedAt: iso(messages.at(-1)?.timestampMs ?? metadata?.updatedAtMs ?? null),
    messages: messages.length,
    byRole: Object.fromEntries(
      Object.entries(byRole).map(([role, ofRole]) => [role, ofRole.length]),
    ),
    summedUp: Math.min(metadata?.lastConsolidated ?? 0, messages.length),
    damagedLines: damaged.length,
  };
}

/** The same for people, with the last messages. */
export function showText(
  facts: SessionFacts,
  last: readonly StoredMessage[],
  timezone: string,
): string {
  const first = facts.messages - last.length + 1;
  const width = String(facts.messages).length;
  const roles = Object.entries(facts.byRole).map(([role, count]) => `${count} ${role}`).join(", ");
  return printableLines([
    `${facts.key} (sessions/${facts.file})`,
    `Begun: ${facts.createdAt ?? "unknown"}   Last: ${facts.updatedAt ?? "unknown"}`,
    `Messages: ${facts.messages}${roles === "" ? "" : ` (${roles})`}, ${facts.summedUp} summed up`,
    ...(facts.damagedLines > 0 ? [`Lines that cannot be read: ${facts.damagedLines}`] : []),
    ...last.map((stored, index) =>
      `${String(first + index).padStart(width)}  ${messageLine(stored, timezone)}`
    ),
  ]);
}

/** That a conversation was copied, and how to go on with the copy. */
export function forkedText(origin: string, line: string, key: string): string {
  const lines = [`Copied ${origin} up to line ${line} as ${key}; what tools did stays as it is`];
  if (key.startsWith("cli:")) lines.push(`Go on with: troupe agent --session ${key}`);
  return printableLines(lines);
}

/** Why a line is none to go on from. */
export function noReplyText(key: string, line: string, nearest: number | null): string {
  const instead = nearest === null
    ? "there is no reply before it"
    : `the reply before is ${nearest}`;
  return `Cannot go on with "${key}" from line ${line}: it is no reply; ${instead} ` +
    "(sessions show tells the numbers)";
}

/** Characters of a difference that are shown. */
const DIFFERENCE_CHARS_MAX = 2_000;

/** What a replay came to. */
export function replayText(
  key: string,
  report: Exclude<ReplayReport, { readonly state: "gone" }>,
): string {
  const { turns, steps, lines, linesBefore, linesAfter } = report;
  const made = `${turns} turns (${steps} steps, ${lines} lines)`;
  const outside = [
    ...(linesBefore > 0 ? [`Of the ${linesBefore} lines before, no record is kept any more`] : []),
    ...(linesAfter > 0 ? [`The last ${linesAfter} lines are in no record`] : []),
  ];
  if (report.state === "identical") {
    return printableLines([`Replayed ${made} of ${key}: the transcript is identical`, ...outside]);
  }
  const { divergence: { what, turnId, recorded, replayed } } = report;
  return printableLines([
    `Replayed ${key}, and it is different in turn ${turnId}: ${what}`,
    `Recorded: ${cutTo(recorded, DIFFERENCE_CHARS_MAX)}`,
    `Replayed: ${cutTo(replayed, DIFFERENCE_CHARS_MAX)}`,
    ...outside,
  ]);
}

/** Why a conversation cannot be replayed. */
export function goneText(key: string, reason: string): string {
  return `Cannot replay "${key}": ${reason}`;
}

/** What a search found. */
export function foundText(
  { hits, hasMore, isPartial }: RecallAnswer,
  { timezone, offset }: { readonly timezone: string; readonly offset: number },
): string {
  const lines = hits.map((hit) => `${hitText(hit, timezone)} (${hitPlace(hit)})`);
  if (hits.length === 0) lines.push("Nothing was found");
  if (hasMore) lines.push(`(--offset ${offset + hits.length} shows more)`);
  if (isPartial) lines.push("(Older files are still being looked through: try again in a while)");
  return printableLines(lines);
}

/** One message, for scripts. */
export interface ShownMessage {
  /** Its number, as `sessions fork` takes it. */
  readonly line: number;
  readonly role: string;
  /** ISO 8601; null where the file does not tell. */
  readonly at: string | null;
  readonly text: string;
  /** Names of the tools that it calls. */
  readonly tools: readonly string[];
}

/** The last messages, for scripts. */
export function lastMessages(
  messages: readonly StoredMessage[],
  limit: number,
): readonly ShownMessage[] {
  const shown = messages.map((stored, index) => ({
    line: index + 1,
    role: stored.message.role,
    at: iso(stored.timestampMs),
    text: textOf(stored),
    tools: toolsOf(stored),
  }));
  return shown.slice(-limit);
}

function textOf({ message: { content } }: StoredMessage): string {
  if (typeof content === "string") return content;
  return (content ?? [])
    .map((block) => block.type === "text" ? block.text : imagePlace(block)).join(" ");
}

function toolsOf({ message }: StoredMessage): readonly string[] {
  const calls = message.role === "assistant" ? message.tool_calls ?? [] : [];
  return calls.map((call) => call.function.name);
}

function messageLine(stored: StoredMessage, timezone: string): string {
  const { message, timestampMs } = stored;
  const when = timestampMs === null ? "" : `${localMinute(timestampMs, timezone)} `;
  const asked = toolsOf(stored).map((name) => `[${name}]`).join(" ");
  const flat = `${textOf(stored)} ${asked}`.replaceAll(/\s+/g, " ").trim();
  return `${when}${message.role}: ${cutTo(flat, LINE_CHARS_MAX)}`;
}

function cutTo(text: string, charsMax: number): string {
  return text.length > charsMax ? `${text.slice(0, charsMax).toWellFormed()} …` : text;
}

function iso(epochMs: number | null): string | null {
  return epochMs === null ? null : new Date(epochMs).toISOString();
}

function isoMinute(epochMs: number): string {
  return new Date(epochMs).toISOString().slice(0, 16).replace("T", " ");
}
