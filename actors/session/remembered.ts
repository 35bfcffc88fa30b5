/**
 * What a message brings to mind: passages of other conversations and older times, which stand
 * beside the message for this one turn and are never stored.
 * @module
 */

import { estimateTextTokens } from "../../providers/tokens.ts";
import { type Inbound, SYSTEM_CHANNEL } from "../journal/journal.ts";
import { hitText } from "../memory/recall/hit_text.ts";
import type { RecallHit, VisibleSpan } from "../memory/recall/protocol.ts";
import { markUntrusted } from "../tools/untrusted.ts";
import type { Conversation } from "./conversation.ts";
import { placeOf } from "./incoming.ts";
import type { SessionServices } from "./ports.ts";

/** Tokens that they may take up in a request. */
export const REMEMBERED_TOKENS_MAX = 800;
/** Characters of a passage by which it is known again in what the model sees already. */
const PROBE_CHARS = 60;

/** The passages as text for the runtime context; "" for none. */
export async function remembered(
  inbound: Inbound,
  conversation: Conversation,
  { remind, systemPrompt, settings }: Pick<
    SessionServices,
    "remind" | "systemPrompt" | "settings"
  >,
): Promise<string> {
  if (remind === undefined || inbound.channel === SYSTEM_CHANNEL) return "";
  const hits = await remind(inbound, visibleOf(conversation));
  if (hits.length === 0) return "";
  const prompt = flat(await systemPrompt(placeOf(inbound).channel, inbound));
  const lines: string[] = [];
  let tokensLeft = REMEMBERED_TOKENS_MAX;
  for (const hit of hits) {
    if (prompt.includes(probeOf(hit))) continue;
    const line = `- ${hitText(hit, settings.timezone)}`;
    tokensLeft -= estimateTextTokens(line);
    if (tokensLeft < 0) break;
    lines.push(line);
  }
  if (lines.length === 0) return "";
  return `Remembered, as it has words of this message (it need not matter):\n${
    markUntrusted(lines.join("\n"), "memory")
  }`;
}

/** All messages since the last summary are shown again. */
function visibleOf({ key, messages, lastConsolidated }: Conversation): VisibleSpan {
  const first = messages[lastConsolidated];
  // An empty conversation shows nothing: all of its past, if there is any, may come to mind.
  if (first === undefined) return { sessionKey: key, sinceMs: Infinity };
  return { sessionKey: key, sinceMs: first.timestampMs };
}

function probeOf({ text }: RecallHit): string {
  return flat(text.replace(/^… /, "")).slice(0, PROBE_CHARS);
}

function flat(text: string): string {
  return text.replaceAll(/\s+/g, " ");
}
