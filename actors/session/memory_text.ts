/**
 * What `/dream`, `/dream-log` and `/dream-restore` say.
 * @module
 */

import { proposedText } from "../memory/proposed_text.ts";
import { localMinute } from "../kernel/local_time.ts";
import type {
  DreamOutcome,
  MemoryVersion,
  VersionAnswer,
  VersionList,
  VersionRestored,
} from "../memory/protocol.ts";
import { counted } from "./wording.ts";

/** Digits of a version's id that people are shown. */
const ID_CHARS = 8;
/** Versions that a list shows. */
export const LISTED_VERSIONS = 10;
/** Of a diff; a chat is no place for more. */
const DIFF_CHARS_MAX = 6_000;

/** `/dream` was heard. */
export const DREAM_STARTED =
  "Dream has started: I put what I remember in order, and tell you when it is done.";

/** Where the memory cannot be reached. */
export const NO_MEMORY = "There is no memory to look after here.";

/** How a run that somebody asked for ended. */
export function dreamEndedText(outcome: DreamOutcome, durationMs: number): string {
  const seconds = `${(durationMs / 1_000).toFixed(1)} s`;
  switch (outcome.state) {
    case "nothing_new":
      return "Dream has nothing to process: there are no new summaries of conversations.";
    case "failed": {
      const before = outcome.entries === 0 ? "" : ` ${outcome.entries} were taken up before.`;
      return `Dream failed after ${seconds}: ${outcome.reason}. The summaries that are left wait ` +
        `for the next run.${before}`;
    }
    case "done":
      return [
        `Dream is done after ${seconds}: ${counted(outcome.entries, "summary", "summaries")} ` +
        `taken up, ${outcome.versions.length === 0 ? "nothing" : "memory"} changed.`,
        ...(outcome.versions.length === 0 ? [] : ["/dream-log shows what changed."]),
        ...(outcome.left === 0 ? [] : [`${outcome.left} wait for the next run.`]),
        ...(outcome.proposals.length === 0 ? [] : [proposedText(outcome.proposals)]),
      ].join("\n");
  }
}

/** One version, and what it changed. */
export function versionText(answer: VersionAnswer, id: string, timezone: string): string {
  switch (answer.state) {
    case "off":
      return `There are no versions of the memory: ${answer.reason}.`;
    case "unknown":
      return id === ""
        ? "There is no version of the memory yet: Dream has not run yet, or changed nothing."
        : `There is no version "${id}". /dream-restore lists the versions there are.`;
    case "shown": {
      const { version, files, diff } = answer.shown;
      const changed = files.length === 0 ? "no files" : files.join(", ");
      return [
        "## Memory version",
        `${shortId(version)} · ${localMinute(version.atMs, timezone)} · ${version.subject}`,
        `Changed: ${changed}`,
        ...(diff === "" ? ["It has nothing before it to compare with."] : [
          `To undo it: /dream-restore ${shortId(version)}`,
          "",
          fenced(diff),
        ]),
      ].join("\n");
    }
  }
}

/** The newest versions. */
export function versionsText(list: VersionList, timezone: string): string {
  if (list.state === "off") return `There are no versions of the memory: ${list.reason}.`;
  if (list.versions.length === 0) return "There is no version of the memory yet.";
  const [first] = list.versions;
  return [
    "Versions of the memory, newest first:",
    ...list.versions.map((version) =>
      `${shortId(version)} ${localMinute(version.atMs, timezone)} - ${version.subject}`
    ),
    "",
    `/dream-log <id> shows what a version changed, /dream-restore <id> takes that change back, ` +
    `for instance /dream-restore ${first === undefined ? "<id>" : shortId(first)}.`,
  ].join("\n");
}

/** What became of taking a version back. */
export function restoredText(restored: VersionRestored, id: string): string {
  switch (restored.state) {
    case "off":
      return `There are no versions of the memory: ${restored.reason}.`;
    case "unknown":
      return `Cannot take back "${id}": there is no such version, or it is the first and has ` +
        "nothing before it. /dream-restore lists the versions there are.";
    case "unchanged":
      return `Nothing to do: what "${id}" changed is not there any more.`;
    case "conflict":
      return `Cannot take back "${id}": later changes touch the same lines of ` +
        `${restored.files.join(", ")}. Nothing was written; take the later changes back first, ` +
        "or edit the file by hand.";
    case "restored": {
      const short = restored.version.slice(0, ID_CHARS);
      return `Took back "${id}" in ${restored.files.join(", ")}; later changes are kept. ` +
        `The new version is ${short}: /dream-log ${short} shows it, /dream-restore ${short} ` +
        "takes it back again.";
    }
  }
}

function shortId({ id }: MemoryVersion): string {
  return id.slice(0, ID_CHARS);
}

function fenced(diff: string): string {
  const text = diff.length <= DIFF_CHARS_MAX
    ? diff.trimEnd()
    : `${diff.slice(0, DIFF_CHARS_MAX).toWellFormed()}\n[${diff.length - DIFF_CHARS_MAX} more]`;
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}diff\n${text}\n${fence}`;
}
