/**
 * What `failed` says.
 * @module
 */

import type { StrandedMessage } from "../../actors/gateway/control_requests.ts";

/** One line for each message, and what can be done about them. */
export function strandedText(messages: readonly StrandedMessage[], limit: number): string {
  if (messages.length === 0) return "No message has failed\n";
  const idWidth = Math.max(...messages.map(({ id }) => id.length));
  const lines = messages.map((message) => strandedLine(message, idWidth));
  const more = messages.length === limit ? [`(the newest ${limit}; --limit shows more)`] : [];
  return [...lines, ...more, "Take one up again with retry <id>, or let go of it with drop <id>"]
    .map((line) => `${line}\n`).join("");
}

function strandedLine(message: StrandedMessage, idWidth: number): string {
  const { id, direction, state, channel, chatId, sessionKey, atMs, reason } = message;
  const when = new Date(atMs).toISOString().slice(0, 16).replace("T", " ");
  const way = direction === "in" ? "from" : "to";
  const session = sessionKey === `${channel}:${chatId}` ? "" : ` (session ${sessionKey})`;
  const why = reason === null ? "" : `: ${reason.replace(/\s+/g, " ")}`;
  return `${id.padEnd(idWidth)}  ${when}  ${state}  ${way} ${channel}:${chatId}${session}${why}`;
}
