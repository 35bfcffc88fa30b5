/**
 * What of the heartbeat's work reaches a person: only what is worth it, in the conversation of whom
 * it concerns, so that an answer to it is understood.
 * @module
 */

import { type Inbound, SYSTEM_CHANNEL } from "../journal/journal.ts";
import type { HeartbeatPort, SessionServices } from "./ports.ts";
import type { GivenAnswer } from "./step_parts.ts";
import { untilWritten } from "./until_written.ts";

/** Stands before a word that is told: an answer follows a message. */
export const TOLD_LINE: string =
  "[Heartbeat: the person did not write this. What follows came of the standing tasks in " +
  "HEARTBEAT.md, and they were told it.]";

/** An answer of which nobody hears. */
export const NOTHING_SAID: Pick<GivenAnswer, "content" | "preamble"> = {
  content: "",
  preamble: "",
};

/** In which turn something is told. */
export interface TellingScene {
  readonly home: Inbound;
  readonly services: Pick<SessionServices, "heartbeat" | "clock">;
  readonly signal: AbortSignal;
}

/**
 * The answer as it is given in its own conversation: what the heartbeat found is handed on first,
 * where it is worth it; that it failed is not.
 *
 * @throws the signal's reason; {JournalError}
 */
export async function toldElsewhere(
  answer: GivenAnswer,
  { home, services: { heartbeat, clock }, signal }: TellingScene,
): Promise<GivenAnswer> {
  if (heartbeat === undefined || !isOfHeartbeat(home, heartbeat)) return answer;
  const { content, outcome } = answer;
  const isTold = outcome === "done" && content !== "" &&
    await heartbeat.isWorthTelling(home, content, signal);
  const { sessionKey } = home;
  const tell = () => heartbeat.tell(home, content);
  if (isTold) await untilWritten(tell, { clock, signal, sessionKey });
  return { ...answer, ...NOTHING_SAID };
}

/** Whether it is part of the heartbeat's work: tasks, and results of their subagents. */
export function isOfHeartbeat(
  { channel, sessionKey }: Pick<Inbound, "channel" | "sessionKey">,
  heartbeat: HeartbeatPort | undefined,
): boolean {
  return channel === SYSTEM_CHANNEL && sessionKey === heartbeat?.sessionKey;
}
