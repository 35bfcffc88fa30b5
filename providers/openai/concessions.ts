/**
 * What some servers refuse in a request that others need. When a refusal names one of these, the
 * request is repeated without it, and so are all later ones for that model.
 * @module
 */

import type { Fault } from "../failures.ts";

/**
 * stream_options: asks for usage; limit_field: the other name of the token limit; temperature and
 * effort: left out; reasoning_content: the other way round than the vendor's entry says; tools:
 * the model only talks.
 */
export type Concession =
  | "stream_options"
  | "limit_field"
  | "temperature"
  | "effort"
  | "reasoning_content"
  | "tools";

const REFUSED = String
  .raw`(?:unsupported|unknown|unrecognized|not support|not permitted|forbidden)`;

function refusalOf(field: string): RegExp {
  return new RegExp(`${REFUSED}.*${field}|${field}.*${REFUSED}`);
}

const REFUSALS: readonly { readonly concession: Concession; readonly words: RegExp }[] = [
  { concession: "stream_options", words: /stream_options|include_usage/ },
  { concession: "limit_field", words: /max_completion_tokens|unsupported.*max_tokens/ },
  { concession: "temperature", words: refusalOf("temperature") },
  { concession: "reasoning_content", words: /reasoning_content/ },
  {
    concession: "effort",
    words: refusalOf("(?:reasoning_effort|reasoning effort|enable_thinking)"),
  },
  { concession: "tools", words: /does not support tools|no endpoints found that support tool use/ },
];

/** The concession that would answer `fault`, if it has not been made already. */
export function concessionFor(
  fault: Fault,
  made: ReadonlySet<Concession>,
): Concession | undefined {
  if (fault.status !== 400 && fault.status !== 404 && fault.status !== 422) return undefined;
  const text = fault.text.toLowerCase();
  return REFUSALS.find(({ concession, words }) => !made.has(concession) && words.test(text))
    ?.concession;
}
