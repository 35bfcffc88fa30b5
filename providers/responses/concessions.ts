/**
 * What some models or servers refuse in a request, and what a request is without it.
 * @module
 */

import { isList, isObject, type JsonObject, type JsonValue } from "../../actors/kernel/json.ts";
import type { Fault } from "../failures.ts";

/**
 * temperature, include, reasoning: the fields; summary: of the reasoning, which some accounts may
 * have but not read; replay: encrypted reasoning of earlier answers, which holds for one account.
 */
export type Concession = "temperature" | "summary" | "replay" | "include" | "reasoning";

const REFUSAL = /unsupported|not supported|unknown|unrecognized|not permitted|verified|invalid/;
const WORDS: readonly { readonly concession: Concession; readonly words: RegExp }[] = [
  { concession: "temperature", words: /\btemperature\b/ },
  { concession: "summary", words: /\bsummar(?:y|ies)\b/ },
  { concession: "replay", words: /encrypted content|invalid_encrypted_content/ },
  { concession: "include", words: /\binclude\b|encrypted[ _]content/ },
  { concession: "reasoning", words: /\breasoning\b/ },
];

/** The concession that would answer `fault`, if it changes anything in `body`. */
export function concessionFor(fault: Fault, body: JsonObject): Concession | undefined {
  if (fault.status !== 400 && fault.status !== 422) return undefined;
  const text = `${fault.tokens.join(" ")} ${fault.text}`.toLowerCase();
  if (!REFUSAL.test(text)) return undefined;
  return WORDS.find(({ concession, words }) => words.test(text) && isMade(body, concession))
    ?.concession;
}

/** The body without what was refused. */
export function withConcessions(body: JsonObject, made: ReadonlySet<Concession>): JsonObject {
  const rest: Record<string, JsonValue> = { ...body };
  for (const field of ["temperature", "include", "reasoning"] as const) {
    if (made.has(field)) delete rest[field];
  }
  const { reasoning, input } = rest;
  if (made.has("summary") && isObject(reasoning)) {
    const { summary: _, ...others } = reasoning;
    rest["reasoning"] = others;
  }
  if (made.has("replay") && isList(input)) rest["input"] = input.filter((item) => !isThought(item));
  return rest;
}

function isMade({ reasoning, input, ...body }: JsonObject, concession: Concession): boolean {
  switch (concession) {
    case "temperature":
    case "include":
      return concession in body;
    case "reasoning":
      return reasoning !== undefined;
    case "summary":
      return isObject(reasoning) && "summary" in reasoning;
    case "replay":
      return isList(input) && input.some(isThought);
  }
}

function isThought(item: JsonValue): boolean {
  return isObject(item) && item["type"] === "reasoning";
}
