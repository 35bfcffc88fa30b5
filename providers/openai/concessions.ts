/**
 * What some servers refuse in a request that others need. When a refusal names one of these, the
 * request is repeated without it, and so are all later ones for that model.
 * @module
 */

import type { Fault } from "../failures.ts";

/**
 * stream_options: asks for usage; max_tokens: `max_completion_tokens` instead; temperature: left
 * out; reasoning_content: the other way round than the vendor's entry says.
 */
export type Concession = "stream_options" | "max_tokens" | "temperature" | "reasoning_content";

const REFUSALS: readonly { readonly concession: Concession; readonly words: RegExp }[] = [
  { concession: "stream_options", words: /stream_options|include_usage/ },
  { concession: "max_tokens", words: /max_completion_tokens/ },
  { concession: "temperature", words: /unsupported.*temperature|temperature.*(?:un|not )support/ },
  { concession: "reasoning_content", words: /reasoning_content/ },
];

/** The concession that would answer `fault`, if it has not been made already. */
export function concessionFor(
  fault: Fault,
  made: ReadonlySet<Concession>,
): Concession | undefined {
  if (fault.status !== 400 && fault.status !== 422) return undefined;
  const text = fault.text.toLowerCase();
  return REFUSALS.find(({ concession, words }) => !made.has(concession) && words.test(text))
    ?.concession;
}
