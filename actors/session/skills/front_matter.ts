/**
 * The YAML at the head of a `SKILL.md`, which anybody may have written.
 * @module
 */

import { asError } from "../../kernel/errors.ts";

/** A head is a few lines; a longer one is no head, and would cost at every change. */
const HEAD_CHARS_MAX = 16_000;
/** Nested deeper, or opened oftener, text takes the parser seconds. */
const NESTING_MAX = 32;
const OPENED_MAX = 400;
/** `- - - -`, `a: b: c:` and the like. */
const NESTED_IN_LINE = new RegExp(`(?:[-?:][ \\t]+[\\w"']*){${NESTING_MAX}}`);
/** Repetitions by name; each may repeat others. */
const ALIASES_MAX = 20;

/** A text in its two parts. */
export interface FrontMatter {
  /** What the head says; null where there is none, or none that can be read. */
  readonly head: Readonly<Record<string, unknown>> | null;
  /** Why a head that is there cannot be read. */
  readonly problem: string | null;
  /** All after the head, or all. */
  readonly body: string;
}

/** Takes a text apart; the parser is loaded with the first head. */
export async function readFrontMatter(text: string): Promise<FrontMatter> {
  const plain = text.replace(/^\uFEFF/, "").replaceAll("\r\n", "\n");
  if (!/^---[ \t]*\n/.test(plain)) return { head: null, problem: null, body: plain };
  const start = plain.indexOf("\n") + 1;
  const end = /^---[ \t]*(?:\n|$)/m.exec(plain.slice(start, start + HEAD_CHARS_MAX));
  if (end === null) {
    const problem = `its front matter has no end within ${HEAD_CHARS_MAX} characters`;
    return { head: null, problem, body: "" };
  }
  const body = plain.slice(start + end.index + end[0].length);
  return { ...await parsed(plain.slice(start, start + end.index)), body };
}

async function parsed(yaml: string): Promise<Omit<FrontMatter, "body">> {
  if (isNestedTooDeep(yaml)) return { head: null, problem: "its front matter is nested too deep" };
  const { parse } = await import("yaml");
  try {
    const head: unknown = parse(yaml, {
      maxAliasCount: ALIASES_MAX,
      prettyErrors: false,
      logLevel: "error",
      uniqueKeys: false,
    });
    if (isMapping(head)) return { head, problem: null };
    return { head: null, problem: "its front matter is no list of `key: value`" };
  } catch (error) {
    const plain = plainPairs(yaml);
    if (plain !== null) return { head: plain, problem: null };
    const [line = ""] = asError(error).message.split("\n");
    return { head: null, problem: `its front matter is no YAML (${line})` };
  }
}

/** `description: Use when: …` is no YAML, but often written; null where there is more than pairs. */
function plainPairs(yaml: string): Record<string, unknown> | null {
  const pairs: [string, string][] = [];
  for (const line of yaml.split("\n")) {
    if (/^\s*(?:#.*)?$/.test(line)) continue;
    const [, key, value] = /^([A-Za-z][\w-]*):[ \t]+(?![[{&*!|>])(.*)$/.exec(line) ?? [];
    if (key === undefined || value === undefined) return null;
    pairs.push([key, value]);
  }
  return Object.fromEntries(pairs);
}

function isNestedTooDeep(yaml: string): boolean {
  let depth = 0;
  let opened = 0;
  for (const letter of yaml) {
    if (letter === "[" || letter === "{") {
      depth++;
      opened++;
    } else if (letter === "]" || letter === "}") depth = Math.max(0, depth - 1);
    if (depth > NESTING_MAX || opened > OPENED_MAX) return true;
  }
  return yaml.split("\n").some((line) => NESTED_IN_LINE.test(line));
}

function isMapping(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value) &&
    !(value instanceof Date) && !(value instanceof Map);
}
