/**
 * Laws about the sessions' files.
 * @module
 */

import { parseSessionFile } from "../../../actors/session/session_file.ts";
import { lineIdOf } from "../../../actors/session/session_store.ts";
import { sessionFileName } from "../../../actors/session/session_name.ts";
import type { ChatMessage } from "../../../providers/provider.ts";
import { parseCommand } from "../../../actors/session/command_table.ts";
import type { FinishedWorld } from "../world.ts";
import type { Law } from "./law.ts";

/**
 * A file holds what was committed: every line, once, in order. After a failure of the disk the end
 * of it may still be in the journal.
 */
function filesEachLineOnce({ watch, disk, plan, record }: FinishedWorld): string[] {
  const mayWait = plan.outages.some(({ part }) => part === "disk");
  return watch.sessionKeys.flatMap((sessionKey) => {
    const name = sessionFileName(sessionKey);
    const file = parseSessionFile(disk.texts.get(name) ?? "");
    const inFile = file.messages.map(({ lineId }) => lineId ?? "?");
    const inJournal = record.rows.lines.filter((line) => mayWait && line.sessionKey === sessionKey)
      .map(lineIdOf).filter((lineId) => !inFile.includes(lineId));
    const filed = [...inFile, ...inJournal].join(" ");
    const told = watch.story(sessionKey).map(({ lineId }) => lineId).join(" ");
    const breaches = filed === told ? [] : [`${name} has [${filed}] instead of [${told}]`];
    if (file.damaged.length > 0) breaches.push(`${name} has ${file.damaged.length} damaged lines`);
    if (file.metadata?.key !== sessionKey && inFile.length > 0) {
      breaches.push(`${name} has no first line`);
    }
    return breaches;
  });
}

/**
 * Each call has one result, right behind it, in the history itself. One that `/new` has ended stays
 * as it was, and is shown to no model: it may end with calls that were cut off.
 */
function pairsCallsWithResults({ watch }: FinishedWorld): string[] {
  return watch.sessionKeys.flatMap((sessionKey) => {
    const messages = watch.story(sessionKey).flatMap(({ message }) => message ?? []);
    const { wrong, waiting } = pairing(messages);
    if (waiting.length > 0 && !watch.mustBeginAnew(sessionKey)) {
      wrong.push(`calls without results at the end: ${waiting.join(", ")}`);
    }
    return wrong.map((what) => `${sessionKey} has ${what}`);
  });
}

/** Each message that a turn took stands once in a history, unless that began anew since. */
function recordsEachMessageOnce({ watch }: FinishedWorld): string[] {
  const seqs = watch.allLines().flatMap(({ line }) => line.inboundSeq ?? []);
  const counts = Map.groupBy(seqs, (seq) => seq);
  return [...watch.inbounds.values()].flatMap(({ row }) => {
    const times = counts.get(row.seq)?.length ?? 0;
    const most = parseCommand(row.content) === null ? 1 : 0;
    const least = row.state === "stopped" ? 0 : most;
    return times >= least && times <= most
      ? []
      : [`inbound ${row.seq} (${row.state}) is recorded ${times} times`];
  });
}

/** No call runs twice, whatever dies. */
function runsNoToolTwice({ record }: FinishedWorld): string[] {
  return [...record.effects]
    .filter(([, times]) => times > 1)
    .map(([effect, times]) => `${effect} happened ${times} times`);
}

/** What is wrong in a history, and the calls at its end that have no results. */
function pairing(messages: readonly ChatMessage[]): { wrong: string[]; waiting: string[] } {
  const wrong: string[] = [];
  let waiting: string[] = [];
  for (const message of messages) {
    if (message.role === "tool") {
      const index = waiting.indexOf(message.tool_call_id);
      if (index < 0) wrong.push(`a result that nothing asked for: ${message.tool_call_id}`);
      else waiting.splice(index, 1);
      continue;
    }
    if (waiting.length > 0) wrong.push(`calls without results: ${waiting.join(", ")}`);
    waiting = message.role === "assistant" ? (message.tool_calls ?? []).map(({ id }) => id) : [];
  }
  return { wrong, waiting };
}

/** By their names. */
export const historyLaws: Readonly<Record<string, Law>> = {
  filesEachLineOnce,
  pairsCallsWithResults,
  recordsEachMessageOnce,
  runsNoToolTwice,
};
