/**
 * What comes from inside: which part of the gateway speaks through a message, told by its id. The
 * id is also what makes each happen once.
 * @module
 */

import { type NewInbound, SYSTEM_CHANNEL } from "./journal_rows.ts";

/** The parts of the gateway that hand messages in. */
export type SystemSource = "cron" | "heartbeat" | "subagent" | "goal";

const SOURCES: readonly SystemSource[] = ["cron", "heartbeat", "subagent", "goal"];

/** Begins the id of a word that is told. */
const TOLD = "heartbeat:told:";

/** The id of a due run of a job. */
export function cronInputId(jobId: string, dueMs: number): string {
  return `cron:${jobId}:${dueMs}`;
}

/** The id of a look at the heartbeat's tasks. */
export function heartbeatInputId(dueMs: number): string {
  return `heartbeat:${dueMs}`;
}

/** The id of what came of such a look, as the word that a person is told. */
export function heartbeatWordId(inputId: string): string {
  return `${TOLD}${inputId}`;
}

/**
 * Whether a message is a word that is ready to be said in its conversation, and no model asked: so
 * it stands where whoever answers it is understood.
 */
export function isReadyWord(inbound: Pick<NewInbound, "channel" | "platformId">): boolean {
  return inbound.channel === SYSTEM_CHANNEL && inbound.platformId.startsWith(TOLD);
}

/** The id of a subagent's result. */
export function subagentInputId(taskId: string): string {
  return `subagent:${taskId}`;
}

/** The id of a turn for a goal. */
export function goalInputId(goalId: string, turn: number): string {
  return `goal:${goalId}:${turn}`;
}

/** Who speaks through a message; undefined for a person, and for what nobody here knows. */
export function systemSource(
  { channel, platformId }: Pick<NewInbound, "channel" | "platformId">,
): SystemSource | undefined {
  if (channel !== SYSTEM_CHANNEL) return undefined;
  const prefix = platformId.split(":", 1)[0];
  return SOURCES.find((source) => source === prefix);
}
