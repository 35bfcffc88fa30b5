/**
 * Replays the session of a bench.
 * @module
 */

import assert from "node:assert/strict";
import type { Journal } from "../../actors/journal/journal.ts";
import { nextTurn } from "../../actors/kernel/adapters/event_loop.ts";
import { type ReplayReport, replaySession } from "../../actors/session/replay/replay_session.ts";
import { sessionFileName } from "../../actors/session/session_name.ts";
import type { SessionBench } from "./session_bench.ts";

/** Replays it from its records, each of which a test may have changed. */
export function replay(
  { journal, files, sessionKey: key }: SessionBench,
  change: (text: string) => string = (text) => text,
): Promise<ReplayReport> {
  const records: Journal["records"] = async (...window) =>
    (await journal.records(...window)).map((row) => ({ ...row, text: change(row.text) }));
  const unfiledLines: Journal["unfiledLines"] = (name) => journal.unfiledLines(name);
  const read = () => files.read(sessionFileName(key));
  return replaySession({ key, read, journal: { records, unfiledLines }, defer: nextTurn });
}

/** It came out the same, with so many lines. */
export function assertIdentical(report: ReplayReport, lines: number): void {
  assert.equal(report.state, "identical", JSON.stringify(report, null, 2));
  assert.ok(report.state === "identical");
  assert.deepEqual([report.lines, report.linesAfter], [lines, 0]);
}
