/**
 * What the journal has recorded of a session, read for a replay.
 * @module
 */

import type { Journal } from "../../journal/journal.ts";
import type { RecordedStep } from "../record/recorded_step.ts";
import { recordedStep } from "../record/recorded_step_schema.ts";
import { textKey } from "../record/life_record.ts";

/** Rows that one look reads. */
const PAGE_ROWS = 200;

/** A step in the order of its session. */
export interface ScriptEntry {
  readonly turnId: string;
  /** Epoch milliseconds. */
  readonly atMs: number;
  readonly step: RecordedStep;
}

/** All that is there of a session. */
export interface Recording {
  readonly entries: readonly ScriptEntry[];
  /** Texts that steps name, by their digests. */
  readonly texts: ReadonlyMap<string, string>;
}

/** Where recordings are. */
export type RecordedRows = Pick<Journal, "records">;

/**
 * Reads the recording of a session, from behind the last step that cannot be read: another version
 * may have recorded that.
 *
 * @throws {JournalError}; {SyntaxError} where it is damaged
 */
export async function readRecording(key: string, journal: RecordedRows): Promise<Recording> {
  let entries: ScriptEntry[] = [];
  for (let after = 0;;) {
    const page = await journal.records(key, after, PAGE_ROWS);
    for (const { turnId, atMs, text } of page) {
      const { data: step } = recordedStep.safeParse(JSON.parse(text));
      if (step === undefined) entries = [];
      else entries.push({ turnId, atMs, step });
    }
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE_ROWS) break;
    after = last.place;
  }
  return { entries, texts: await readTexts(entries, journal) };
}

async function readTexts(
  entries: readonly ScriptEntry[],
  journal: RecordedRows,
): Promise<Map<string, string>> {
  const digests = new Set(entries.flatMap(({ step }) => namesIn(step)));
  const texts = new Map<string, string>();
  for (const digest of digests) {
    const [row] = await journal.records(textKey(digest), 0, 1);
    if (row !== undefined) texts.set(digest, row.text);
  }
  return texts;
}

/** Digests of the texts that a step names. */
export function namesIn({ settings, metadata, asks = [] }: RecordedStep): string[] {
  const own = [settings, metadata].filter((name) => name !== undefined);
  return [...own, ...asks.flatMap(({ system, tools }) => [system, tools])];
}
