/**
 * What `top` shows.
 * @module
 */

import stringWidth from "string-width";
import type { Top, TopActor, TopChannel, TopTurn } from "../../actors/gateway/watch/top.ts";
import { printable } from "./printable.ts";

/** How much of it there is room for. */
export interface TopRoom {
  readonly columns: number;
  /** @default all of it is shown */
  readonly rows?: number | undefined;
}

/** Rows that turns and actors get at most where there is no end of rows. */
const LISTED_MAX = 20;

/** One look as lines, cut to the room that there is. */
export function topLines(top: Top, { columns, rows }: TopRoom): string[] {
  const { permits, queue, channels, turns, actors } = top;
  const limit = permits.limit > 0 ? String(permits.limit) : "no limit";
  const waiting = queue === null
    ? "the journal cannot be read"
    : `${queue.accepted} waiting, ${queue.running} running, ${queue.outbound} to be sent`;
  const head = [
    `Gateway ${top.status}, up ${duration(top.uptimeS)}, ` +
    `${(top.residentBytes / 1e6).toFixed(0)} MB, ${top.actorCount} actors, ` +
    `${top.sessionsAwake} sessions awake, ${top.deadLetters} dead letters`,
    `Turns ${permits.held} of ${limit}, ${permits.waiting} in line; messages: ${waiting}`,
    "",
    `${"CHANNEL".padEnd(20)} ${"STATE".padEnd(14)} OUTBOX RESTARTS`,
    ...channels.map(channelLine),
    "",
    `${"TURN FOR".padEnd(10)} ${"SESSION".padEnd(32)} AT`,
  ];
  const actorHead = ["", `${"MAILBOX".padEnd(10)} ${"RESTARTS".padEnd(9)} ACTOR`];
  const free = Math.max(2, (rows ?? Infinity) - head.length - actorHead.length);
  const turnsMax = Math.min(LISTED_MAX, Math.ceil(free / 2));
  const turnLines = turns.length === 0 ? ["-"] : turns.slice(0, turnsMax).map(turnLine);
  const actorLines = actors.slice(0, Math.min(LISTED_MAX, free - turnLines.length)).map(actorLine);
  return [...head, ...turnLines, ...actorHead, ...actorLines].map((line) => cut(line, columns));
}

function channelLine({ name, state, outbox, restarts }: TopChannel): string {
  return `${name.padEnd(20)} ${state.padEnd(14)} ${String(outbox).padStart(6)} ` +
    String(restarts).padStart(8);
}

function turnLine({ session, forMs, at }: TopTurn): string {
  const place = at.length === 0 ? "-" : at.join(", ");
  return `${duration(forMs / 1_000).padEnd(10)} ${session.padEnd(32)} ${place}`;
}

function actorLine({ name, state, waiting, restarts }: TopActor): string {
  const note = state === "running" ? "" : ` (${state})`;
  return `${String(waiting).padEnd(10)} ${String(restarts).padEnd(9)} ${name}${note}`;
}

function duration(seconds: number): string {
  if (seconds < 60) return `${seconds.toFixed(seconds < 10 ? 1 : 0)}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes}m ${Math.floor(seconds % 60)}s`;
  return `${Math.floor(minutes / 60)}h ${minutes % 60}m`;
}

const SEGMENTER = new Intl.Segmenter();

/** A line holds what somebody outside named: no control characters, and no more than fits. */
function cut(line: string, columns: number): string {
  const text = printable(line).replaceAll("\n", " ");
  if (stringWidth(text) <= columns) return text;
  let shown = "";
  let width = 1; // the sign at its end
  for (const { segment } of SEGMENTER.segment(text)) {
    width += stringWidth(segment);
    if (width > columns) break;
    shown += segment;
  }
  return `${shown}…`;
}
