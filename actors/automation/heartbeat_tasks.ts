/**
 * What HEARTBEAT.md asks for, and when nobody is to be disturbed. Read here, so that a file without
 * tasks costs no question to a model.
 * @module
 */

import { localMinute } from "../kernel/local_time.ts";

/** Tasks of one look; more belong into fewer lines. */
const TASKS_MAX = 50;

/**
 * The tasks that stand under "Active tasks", or anywhere in a file without that heading; headings,
 * comments, what is ticked off and what is completed are none.
 */
export function activeTasks(text: string): readonly string[] {
  const lines = text.replaceAll(/<!--[\s\S]*?(?:-->|$)/g, "").split(/\r?\n/);
  const headings = lines.map((line) => /^#{1,6}\s+(.*?)\s*#*$/.exec(line)?.[1]?.toLowerCase());
  const isSectioned = headings.includes("active tasks");
  const items: { text: string; readonly isDone: boolean }[] = [];
  let isActive = !isSectioned;
  let open: (typeof items)[number] | undefined;
  for (const [index, line] of lines.entries()) {
    const heading = headings[index];
    if (heading !== undefined) {
      isActive = isSectioned ? heading === "active tasks" : !heading.startsWith("completed");
    }
    if (heading !== undefined || !isActive || line.trim() === "") open = undefined;
    else if (open !== undefined && /^\s/.test(line)) open.text += ` ${line.trim()}`;
    else {
      const text = line.trim().replace(/^[-*+]\s+(?:\[ \]\s*)?/, "");
      open = { text, isDone: /^\[[xX]\]/.test(text) };
      items.push(open);
    }
  }
  return items.filter(({ text, isDone }) => text !== "" && !isDone).map(({ text }) => text)
    .slice(0, TASKS_MAX);
}

/** Whether the time of day lies in `22:00-08:00`, where that zone's people are. */
export function isQuiet(quietHours: string | null, nowMs: number, timezone: string): boolean {
  const [, from, to] = /^(\d\d:\d\d)-(\d\d:\d\d)$/.exec(quietHours ?? "") ?? [];
  if (from === undefined || to === undefined) return false;
  const now = localMinute(nowMs, timezone).slice(11);
  return from <= to ? now >= from && now < to : now >= from || now < to;
}
