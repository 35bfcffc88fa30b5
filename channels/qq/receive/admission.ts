/**
 * Decides what to do with a received message, from the message alone: no I/O, so a stranger's
 * message costs nothing.
 * @module
 */

import { isAllowed } from "../../allow_list.ts";
import type { QqMessage } from "../wire.ts";
import { wordsOf } from "./message.ts";

/** What became of a message. `ignored` is not for us; a `stranger` may not speak to the bot. */
export type Admission =
  | { readonly verdict: "ignored"; readonly reason: "from_a_bot" | "nothing_said" }
  | { readonly verdict: "stranger"; readonly senderId: string }
  | { readonly verdict: "admitted" };

/** Judges one message. Of groups the platform only tells what speaks to the bot. */
export function admit(message: QqMessage, allowFrom: readonly string[]): Admission {
  if (message.isBot) return { verdict: "ignored", reason: "from_a_bot" };
  if (wordsOf(message) === "" && message.attachments.length === 0) {
    return { verdict: "ignored", reason: "nothing_said" };
  }
  const { senderId } = message;
  return isAllowed(senderId, allowFrom)
    ? { verdict: "admitted" }
    : { verdict: "stranger", senderId };
}
