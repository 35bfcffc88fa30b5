/**
 * The older form of the history, `memory/HISTORY.md`, as entries.
 * @module
 */

import { getLogger } from "@logtape/logtape";
import type { Clock } from "../kernel/clock.ts";
import { asError } from "../kernel/errors.ts";
import { localMinute } from "../kernel/local_time.ts";
import { historyLine } from "./history_file.ts";
import type { MemoryFiles } from "./ports.ts";
import type { HistoryEntry } from "./protocol.ts";
import { MemoryScope } from "./scope.ts";

const logger = getLogger(["troupe", "memory", "history_migration"]);

const LEGACY_HISTORY = "memory/HISTORY.md";

/** A line that begins with a date in brackets, whatever else is in there. */
const DATED = /^\[\d{4}-\d{2}-\d{2}[^\]]*\]/;
/** The one form that is taken as the entry's time. */
const EXACT = /^\[(\d{4}-\d{2}-\d{2} \d{2}:\d{2})\]\s*/;
/** A dump of messages: its lines are dated as well, and belong to it. */
const RAW = /^(?:\[\d{4}-\d{2}-\d{2}[^\]]*\]\s*)?\[RAW\]/;
const RAW_LINE = /^\[\d{4}-\d{2}-\d{2}[^\]]*\]\s+[A-Z][A-Z_]*(?:\s|:|\[)/;

/** Where a history is taken over. */
export interface TakeOver {
  readonly files: MemoryFiles;
  readonly clock: Clock;
  /** IANA name. */
  readonly timezone: string;
}

/**
 * Takes the older history over where there is one and no newer, and puts it aside. What fails is
 * tried again at the next start.
 */
export async function takeOverHistory(options: TakeOver): Promise<void> {
  try {
    await takeOver(options);
  } catch (thrown) {
    const { message } = asError(thrown);
    logger.error("Cannot take over {path}: {reason}", { path: LEGACY_HISTORY, reason: message });
  }
}

async function takeOver({ files, clock, timezone }: TakeOver): Promise<void> {
  const { historyPath, cursorPath, dreamCursorPath } = MemoryScope.global;
  const legacy = await files.read(LEGACY_HISTORY);
  if (legacy === null || (await files.read(historyPath) ?? "").trim() !== "") return;
  const modifiedMs = await files.modifiedAtMs(LEGACY_HISTORY) ?? clock.now();
  const entries = migrateHistory(legacy, localMinute(modifiedMs, timezone));
  if (entries.length > 0) {
    await files.replace(cursorPath, String(entries.length));
    // What was told before is old: it is not digested again.
    await files.replace(dreamCursorPath, String(entries.length));
    await files.replace(historyPath, entries.map(historyLine).join(""));
  }
  await files.rename(LEGACY_HISTORY, await freeName(`${LEGACY_HISTORY}.bak`, files));
  logger.info("Took {count} entries over from {path}", {
    count: entries.length,
    path: LEGACY_HISTORY,
  });
}

async function freeName(name: string, files: MemoryFiles): Promise<string> {
  let free = name;
  for (let number = 2; await files.modifiedAtMs(free) !== null; number++) {
    free = `${name}.${number}`;
  }
  return free;
}

/**
 * Splits the text into entries, numbered from 1. A new one begins after an empty line, or with a
 * line that begins with a date in brackets.
 *
 * @param fallbackTime what entries without an exact time of their own get
 */
export function migrateHistory(text: string, fallbackTime: string): readonly HistoryEntry[] {
  return blocksOf(text).map((block, index) => {
    const time = EXACT.exec(block);
    const content = time === null ? block : block.slice(time[0].length);
    return {
      cursor: index + 1,
      timestamp: time?.[1] ?? fallbackTime,
      content: content.trim(),
    };
  });
}

function blocksOf(text: string): readonly string[] {
  const blocks: string[] = [];
  let lines: string[] = [];
  const end = () => {
    if (lines.length > 0) blocks.push(lines.join("\n"));
    lines = [];
  };
  for (const line of text.replaceAll("\r\n", "\n").split("\n")) {
    if (line.trim() === "") {
      end();
      continue;
    }
    const isInRaw = RAW.test(lines[0] ?? "") && RAW_LINE.test(line);
    if (DATED.test(line) && !isInRaw) end();
    lines.push(line);
  }
  end();
  return blocks;
}
