/**
 * Laws about the end of a run: nothing is left running, waiting or owed.
 * @module
 */

import { InvariantError } from "../../../actors/kernel/errors.ts";
import type { FinishedWorld } from "../world.ts";
import type { Law } from "./law.ts";

/** All comes to rest once nothing goes wrong any more, and the gateway stops in good order. */
function comesToRest({ record }: FinishedWorld): string[] {
  if (record.end !== "at_rest") return ["something goes on for ever"];
  if (record.report === undefined) return ["the gateway does not say how it is"];
  return record.hasStopped ? [] : ["the gateway does not stop"];
}

/** At rest no timer runs, no session is awake, no permit is out, no row is in an outbox. */
function leavesNothingBehind({ record }: FinishedWorld): string[] {
  const left = Object.entries(record.report ?? {}).filter(([, count]) => count > 0);
  const breaches = left.map(([what, count]) => `${what} is ${count} at rest`);
  if (record.timersAfterStop > 0) breaches.push(`${record.timersAfterStop} timers outlive a stop`);
  return breaches;
}

/** What was noticed while it happened: too many turns, queue jumpers, malformed requests. */
function wasNeverBroken({ record, watch, platforms }: FinishedWorld): string[] {
  const shown = [...platforms.values()].flatMap(({ breaches }) => breaches);
  return [...record.breaches, ...watch.breaches, ...shown];
}

/** Lines that stand in their files are not kept in the journal as well. */
function forgetsWhatIsFiled({ faults, record }: FinishedWorld): string[] {
  const mayStay = faults.failsEver("disk") || faults.failsEver("journal");
  const { length } = record.rows.lines;
  return length === 0 || mayStay ? [] : [`${length} lines are still in the journal`];
}

/** What ended long ago is gone, but for what needs a person, and so are the ids of messages. */
function forgetsWhatIsOld({ plan, record: { rows } }: FinishedWorld): string[] {
  if (plan.retention === undefined) return [];
  const inbounds = rows.inbounds.filter(({ state }) => state === "done" || state === "stopped");
  const outbounds = rows.outbounds.filter(({ state }) => state === "sent");
  return [
    ...inbounds.map(({ seq }) => `inbound ${seq} is still there`),
    ...outbounds.map(({ key }) => `outbound ${key} is still there`),
    ...rows.seen.map(({ platformId }) => `${platformId} is still known`),
  ];
}

/** No actor fails because it believed something that is not so. */
function makesNoMistake({ record }: FinishedWorld): string[] {
  return record.deadLetters
    .filter(({ error }) => isMistake(error))
    .map(({ actor, error }) => `${actor} failed: ${error}`);
}

/** Messages are lost only with an actor that failed or stopped. */
function losesNoMessageToFullMailboxes({ record }: FinishedWorld): string[] {
  return record.deadLetters
    .filter(({ reason }) => reason === "full" || reason === "dropped_oldest")
    .map(({ actor, reason }) => `a message to ${actor} was not taken: ${reason}`);
}

function isMistake(error: Error | undefined): boolean {
  return error instanceof InvariantError || error instanceof TypeError ||
    error instanceof RangeError;
}

/** By their names. */
export const endLaws: Readonly<Record<string, Law>> = {
  comesToRest,
  leavesNothingBehind,
  wasNeverBroken,
  forgetsWhatIsFiled,
  forgetsWhatIsOld,
  makesNoMistake,
  losesNoMessageToFullMailboxes,
};
