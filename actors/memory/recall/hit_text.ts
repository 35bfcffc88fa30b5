/**
 * What recall found, put into words for the model and for people.
 * @module
 */

import { localMinute } from "../../kernel/local_time.ts";
import type { RecallHit } from "./protocol.ts";

/** `[2026-04-30 14:03, feishu:oc_1, the person] text`, on one line. */
export function hitText(hit: RecallHit, timezone: string): string {
  const { atMs, text, isForeign } = hit;
  const when = atMs === null ? [] : [localMinute(atMs, timezone)];
  const foreign = isForeign ? ["quotes what others wrote"] : [];
  return `[${[...when, ...whence(hit), ...foreign].join(", ")}] ${text}`;
}

/** Path and line. */
export function hitPlace({ path, line }: RecallHit): string {
  return `${path}:${line}`;
}

function whence({ kind, path, sessionKey, role }: RecallHit): readonly string[] {
  if (kind === "facts") return [path];
  const where = sessionKey === null ? [] : [sessionKey.replaceAll(/\s+/g, " ")];
  if (kind === "history") return ["summary", ...where];
  return [...where, role === "assistant" ? "you" : "the person"];
}
