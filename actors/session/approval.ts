/**
 * Asking first: what an owner is asked before a tool call runs, and what counts as an answer.
 * @module
 */

import type { Choice } from "../../channels/channel.ts";
import type { JsonObject } from "../kernel/json.ts";
import type { Inbound } from "../journal/journal.ts";

/** Which calls need an owner's yes, and who gives it. */
export interface ApprovalPort {
  /** How long an owner has to answer. */
  readonly timeoutMs: number;
  /** Whether some calls of a tool are asked about: such a tool runs alone. */
  mayAsk(tool: string): boolean;
  /** Whether this call is asked about. */
  mustAsk(tool: string, args: JsonObject): Promise<boolean>;
  /** Whether anybody can answer where `home`, which began the turn, was written. */
  canAsk(home: Inbound): boolean;
  /** Whether the sender of `answer` may decide on what came of `home`. */
  mayDecide(answer: Inbound, home: Inbound): boolean;
  /** The arguments as people may see them. */
  shown(args: JsonObject): JsonObject;
}

/** Longest question; what does not fit could hide what is agreed to. */
const QUESTION_CHARS_MAX = 12_000;

const YES: ReadonlySet<string> = new Set(
  ["/approve", "yes", "y", "ok", "approve", "allow", "是", "是的", "好", "好的", "可以", "行"]
    .concat(["同意", "批准", "允许"]),
);
const NO: ReadonlySet<string> = new Set(
  ["/deny", "no", "n", "deny", "refuse", "否", "不", "不行", "不要", "不可以", "拒绝", "不同意"],
);
/** What may be invisible, or turn the direction of writing, and so show something else. */
const HIDDEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cn}]/gu;

/** What somebody decided, and on which question; null: on the open one. */
export interface Answer {
  readonly word: "yes" | "no";
  readonly question: string | null;
}

/** A command that names its question, as a button does: a late press must not decide on another. */
const NAMED = /^(\/[a-z]+)\s+([\w.-]+)$/i;

/** The answers to a question, as buttons. */
export function choicesFor(question: string): readonly Choice[] {
  return [
    { label: "Approve", says: `/approve ${question}` },
    { label: "Deny", says: `/deny ${question}` },
  ];
}

/** What an answer says; null when it is no answer. */
export function answerIn(content: string): Answer | null {
  const [, command, question] = NAMED.exec(content.trim()) ?? [];
  const words = (command ?? content).normalize("NFKC").trim().replace(/[.!。]+$/u, "");
  const word = words.toLowerCase();
  if (YES.has(word)) return { word: "yes", question: question ?? null };
  return NO.has(word) ? { word: "no", question: question ?? null } : null;
}

/**
 * The question about a call, with all of its arguments; null when they are too long to be shown.
 *
 * @param args without secrets
 */
export function questionText(tool: string, args: JsonObject, timeoutMs: number): string | null {
  const json = JSON.stringify(args, null, 2)
    .replace(HIDDEN, (hidden) => hidden === "\n" ? hidden : escaped(hidden));
  if (json.length > QUESTION_CHARS_MAX) return null;
  const longest = Math.max(2, ...[...json.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const fence = "`".repeat(longest + 1);
  return `May I use **${tool.replaceAll(/[^\w-]/g, "?")}** like this?\n\n` +
    `${fence}json\n${json}\n${fence}\n\n` +
    `Answer yes or no (是 / 否), or /approve or /deny, within ${durationText(timeoutMs)}. ` +
    "Without an answer I leave it.";
}

/** To people: nobody answered in time. */
export function timedOutText(tool: string, timeoutMs: number): string {
  return `No answer came within ${durationText(timeoutMs)}, so I did not use ${tool}.`;
}

/** To people: their question has no meaning any more. */
export function voidText(tool: string): string {
  return `My question about ${tool} is void: I was stopped before there was an answer. ` +
    "It was not run; if it is still needed I will ask again.";
}

/** To people: what their answer did. */
export const APPROVED_TEXT = "Approved: I go on.";

/** To people: what their answer did. */
export const DENIED_TEXT = "Denied: I leave it.";

/** To people: an answer without a question. */
export const NOTHING_TO_DECIDE = "Nothing waits for your decision here.";

/** To people: an answer to a question that is not open, or not theirs to answer. */
export const QUESTION_OVER = "That question is not open any more, or not yours to decide.";

/** To the model: a call that did not run, and why. */
export function notAllowed(tool: string, reason: string): string {
  return `Error: ${tool} was not allowed: ${reason}. It did not run. Do not try to reach the same ` +
    "by other means; go on without it, or tell the person what you would need.";
}

function escaped(character: string): string {
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}

function durationText(durationMs: number): string {
  const seconds = Math.round(durationMs / 1_000);
  if (seconds < 120) return `${seconds} s`;
  return `${Math.round(seconds / 60)} minutes`;
}
