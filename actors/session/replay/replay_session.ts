/**
 * Runs the turns of a session again, from what was recorded of them: the same prompts, rounds of
 * tools and lines, without the world. What comes of it must be what stands in the session's file.
 * @module
 */

import type { Journal } from "../../journal/journal.ts";
import { parseMessageLine, splitSessionText } from "../session_file.ts";
import { namesIn, readRecording, type Recording } from "./recording.ts";
import { ReplayStage } from "./replay_stage.ts";
import type { Divergence } from "./script.ts";

/** What is replayed. */
export interface ReplayOptions {
  readonly key: string;
  /** Reads the session's file, as it stands; null without one. */
  readonly read: () => Promise<string | null>;
  readonly journal: Pick<Journal, "records" | "unfiledLines">;
  /** Calls back at the event loop's next turn. */
  readonly defer: (callback: () => void) => void;
}

/** What a replay was made of. */
export interface ReplayCounts {
  readonly turns: number;
  readonly steps: number;
  /** Lines of the transcript that it made again. */
  readonly lines: number;
  /** Lines before them of which no recording is there. */
  readonly linesBefore: number;
  /** Lines behind them that are not recorded, such as those that came meanwhile. */
  readonly linesAfter: number;
}

/** What came of it. */
export type ReplayReport =
  | ({ readonly state: "identical" } & ReplayCounts)
  | ({ readonly state: "different"; readonly divergence: Divergence } & ReplayCounts)
  /** Half a sentence for people. */
  | { readonly state: "gone"; readonly reason: string };

/**
 * Replays a session.
 *
 * @throws {JournalError}
 */
export async function replaySession(options: ReplayOptions): Promise<ReplayReport> {
  const { key, journal } = options;
  const recording = await readRecording(key, journal);
  const lines = await transcriptOf(options);
  const start = startOf(recording, lines);
  if (typeof start === "string") return { state: "gone", reason: start };
  const { entry, line } = start;
  const stage = new ReplayStage({
    ...options,
    recording,
    from: entry,
    before: lines.slice(0, line),
  });
  const replayed = await stage.run();
  const steps = recording.entries.slice(entry);
  const counts = {
    turns: new Set(steps.filter(({ step }) => step.kind !== "aside").map((s) => s.turnId)).size,
    steps: steps.length,
    lines: replayed.lines.length - line,
    linesBefore: line,
    linesAfter: Math.max(0, lines.length - replayed.lines.length),
  };
  const divergence = replayed.divergence ?? differenceOf(lines, replayed.lines);
  if (divergence === undefined) return { state: "identical", ...counts };
  return { state: "different", divergence, ...counts };
}

/** All lines of messages, also those that are not in the file yet. */
async function transcriptOf({ key, read, journal }: ReplayOptions): Promise<readonly string[]> {
  const unfiled = await journal.unfiledLines(key); // first: a line leaves the journal for the file
  const { lines } = splitSessionText(await read() ?? "");
  if (unfiled.length === 0) return lines;
  const there = new Set(lines.map((line) => parseMessageLine(line)?.lineId));
  const missing = unfiled.filter(({ turnId, line }) => !there.has(`${turnId}:${line}`));
  return [...lines, ...missing.map((line) => line.text)];
}

/** Where it can begin: the first turn whose lines and texts are there; or why it cannot. */
function startOf(
  { entries, texts }: Recording,
  lines: readonly string[],
): { readonly entry: number; readonly line: number } | string {
  if (entries.length === 0) {
    return "nothing is recorded of it: recordings are kept as long as gateway.retention.finishedDays" +
      " says, and /new forgets them";
  }
  const places = new Map<string, number>();
  for (const [place, line] of lines.entries()) {
    const lineId = parseMessageLine(line)?.lineId ?? null;
    if (lineId !== null) places.set(lineId, place);
  }
  const lastMissing = entries.findLastIndex(({ step }) =>
    namesIn(step).some((name) => !texts.has(name))
  );
  for (let entry = lastMissing + 1; entry < entries.length; entry++) {
    const { turnId, step } = entries[entry] ?? { turnId: "", step: { kind: "rest" as const } };
    const line = step.kind === "begin" ? places.get(`${turnId}:0`) : undefined;
    if (line !== undefined) return { entry, line };
  }
  return "no turn is recorded whose beginning still stands in its file";
}

function differenceOf(
  lines: readonly string[],
  replayed: readonly string[],
): Divergence | undefined {
  for (const [index, made] of replayed.entries()) {
    const recorded = lines[index] ?? "(no line)";
    if (recorded === made) continue;
    const lineId = parseMessageLine(recorded)?.lineId ?? parseMessageLine(made)?.lineId ?? "";
    const turnId = lineId.replace(/:\d+$/, "");
    return { turnId, what: `line ${index + 1}`, recorded, replayed: made };
  }
  return undefined;
}
