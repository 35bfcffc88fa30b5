/**
 * What models and copies of Anthropic's API refuse in a request, and what it is without that. New
 * models drop old fields; this keeps them working before their entry is there.
 * @module
 */

import { isObject, type JsonObject } from "../../actors/kernel/json.ts";
import type { Fault } from "../failures.ts";
import type { ChatRequest } from "../provider.ts";
import type { Traits } from "../trait_kinds.ts";

/** budget: the model decides how much to think; the others are left out. */
export type Concession = "budget" | "temperature" | "cache_control" | "thinking";

const REFUSAL =
  /unsupported|not supported|deprecated|not permitted|unknown|unrecognized|unexpected|only/;

/** The concession that would answer `fault`, if it changes anything in `body`. */
export function concessionFor(fault: Fault, body: JsonObject): Concession | undefined {
  if (fault.status !== 400 && fault.status !== 422) return undefined;
  const text = fault.text.toLowerCase();
  if (!REFUSAL.test(text)) return undefined;
  const { thinking } = body;
  if (text.includes("adaptive") && isObject(thinking) && thinking["type"] === "enabled") {
    return "budget";
  }
  if (text.includes("temperature") && "temperature" in body) return "temperature";
  if (text.includes("cache_control") && JSON.stringify(body).includes("cache_control")) {
    return "cache_control";
  }
  return /thinking|budget_tokens/.test(text) && thinking !== undefined ? "thinking" : undefined;
}

/** The request and its traits without what was refused. */
export function withConcessions(
  request: ChatRequest,
  traits: Traits,
  made: ReadonlySet<Concession>,
): { readonly request: ChatRequest; readonly traits: Traits } {
  return {
    request: made.has("thinking") ? { ...request, reasoningEffort: null } : request,
    traits: {
      ...traits,
      ...(made.has("budget") && { thinkingForm: "adaptive" }),
      ...(made.has("temperature") && { temperature: "never" }),
      ...(made.has("cache_control") && { cachesPrompts: false }),
    },
  };
}
