/**
 * Conversations between nanobot's folder and ours: the same lines under other names of files.
 * @module
 */

import { isList } from "../../../actors/kernel/json.ts";
import { localIso } from "../../../actors/kernel/local_time.ts";
import {
  encodeMetadataLine,
  parseMessageLine,
  parseSessionFile,
  type SessionMetadata,
  SET_ASIDE,
} from "../../../actors/session/session_file.ts";
import { legacySessionKey, sessionKeyOf } from "../../../actors/session/session_name.ts";
import type { SourceTree } from "./adapters/source_tree.ts";
import { joinLines, objectOf } from "./lines.ts";
import { type PlanDraft, type PlannedFile, SourceFileError } from "./plan.ts";

const FOLDER_ENDING = ".jsonl";

/** How the names of files come about. */
export interface SessionNames {
  /** Whose the source is: where a file does not tell its key, its name does. */
  readonly source: "nanobot" | "troupe";
  /** Name of the target's file; null where there can be none. */
  readonly fileOf: (key: string) => string | null;
}

/** What was seen of a file before it is carried. */
interface Overview {
  readonly metadata: SessionMetadata | null;
  readonly messages: number;
  readonly damaged: number;
  /** Ids of lines that the model is not shown, as others take them out. */
  readonly hidden: ReadonlySet<string>;
  /** Of the leading messages that were summed up, how many are not carried. */
  readonly hiddenSummed: number;
}

/** Plans all conversations of a folder. */
export async function planSessions(
  tree: SourceTree,
  folder: string,
  { names, draft }: { readonly names: SessionNames; readonly draft: PlanDraft },
): Promise<void> {
  for (const { name, kind } of await tree.list(folder)) {
    if (!name.endsWith(FOLDER_ENDING)) continue;
    const path = `${folder}/${name}`;
    if (kind === "folder") continue;
    try {
      await planSession(tree, { path, name }, { names, draft });
    } catch (error) {
      if (!(error instanceof SourceFileError)) throw error;
      draft.leave("sessions", tree.placeOf(path), ["unreadable", error.message]);
    }
  }
}

async function planSession(
  tree: SourceTree,
  { path, name }: { readonly path: string; readonly name: string },
  { names, draft }: { readonly names: SessionNames; readonly draft: PlanDraft },
): Promise<void> {
  const isForNanobot = names.source === "troupe";
  const overview = await look(tree, path, { isForNanobot });
  const { metadata, messages, damaged } = overview;
  const place = tree.placeOf(path);
  if (metadata === null && messages === 0) {
    if (damaged > 0) draft.leave("sessions", place, ["unreadable", "no line of it can be read"]);
    return;
  }
  if (damaged > 0) {
    const why = `${damaged} damaged lines of it stay behind`;
    draft.leave("sessions", place, ["unreadable", why]);
  }
  const ownKey = isForNanobot ? sessionKeyOf(name) : null;
  const key = metadata?.key ?? ownKey ?? legacySessionKey(name);
  const file = names.fileOf(key);
  if (file === null) {
    draft.leave("sessions", place, ["foreign", "no file there can be called by its key"]);
    return;
  }
  const planned: PlannedFile = {
    part: "sessions",
    from: place,
    to: `sessions/${file}`,
    content: () => joinLines(healthyLines(tree, path, { key, overview, isForNanobot })),
    modifiedAtMs: await tree.modifiedAtMs(path),
  };
  if (draft.files.every(({ to }) => to !== planned.to)) draft.files.push(planned);
  else {draft.leave("sessions", place, [
      "taken",
      `another file is the conversation ${planned.to} too`,
    ]);}
}

async function look(
  tree: SourceTree,
  path: string,
  { isForNanobot }: { readonly isForNanobot: boolean },
): Promise<Overview> {
  let metadata: SessionMetadata | null = null;
  let messages = 0;
  let damaged = 0;
  const hidden = new Set<string>();
  const ids: (string | null)[] = [];
  for await (const line of tree.lines(path)) {
    const read = line === null ? "damaged" : readLine(line);
    if (read === "damaged") damaged++;
    else if (read.kind === "metadata") metadata = read.metadata;
    else {
      messages++;
      ids.push(read.lineId);
      if (read.setAside === null || !isForNanobot) continue; // nanobot knows of no hidden lines
      for (const id of read.setAside) hidden.add(id);
      if (read.lineId !== null) hidden.add(read.lineId);
    }
  }
  const summed = metadata?.lastConsolidated ?? 0;
  const isHidden = (id: string | null) => id !== null && hidden.has(id);
  const hiddenSummed = ids.slice(0, Math.max(0, summed)).filter(isHidden).length;
  return { metadata, messages, damaged, hidden, hiddenSummed };
}

/** One metadata line, as it stood last, and the messages. */
async function* healthyLines(
  tree: SourceTree,
  path: string,
  { key, overview, isForNanobot }: {
    readonly key: string;
    readonly overview: Overview;
    readonly isForNanobot: boolean;
  },
): AsyncGenerator<string> {
  const { metadata, hidden, hiddenSummed } = overview;
  const modifiedAtMs = await tree.modifiedAtMs(path);
  const head = encodeMetadataLine({
    key,
    createdAtMs: metadata?.createdAtMs ?? modifiedAtMs,
    updatedAtMs: metadata?.updatedAtMs ?? modifiedAtMs,
    metadata: metadata?.metadata ?? {},
    lastConsolidated: Math.max(0, (metadata?.lastConsolidated ?? 0) - hiddenSummed),
  });
  yield isForNanobot ? withLocalTimes(head) : head;
  for await (const line of tree.lines(path)) {
    const read = line === null ? "damaged" : readLine(line);
    if (line === null || read === "damaged" || read.kind === "metadata") continue;
    if (read.lineId === null || !hidden.has(read.lineId)) yield line.trim();
  }
}

/** As nanobot writes and compares times: of this machine's zone, without naming it. */
function withLocalTimes(line: string): string {
  const fields = objectOf(line) ?? {};
  const { timeZone } = new Intl.DateTimeFormat().resolvedOptions();
  const local = (name: string) => localIso(Date.parse(String(fields[name])), timeZone).slice(0, 19);
  return JSON.stringify({
    ...fields,
    created_at: local("created_at"),
    updated_at: local("updated_at"),
  });
}

type ReadLine =
  | "damaged"
  | { readonly kind: "metadata"; readonly metadata: SessionMetadata | null }
  | {
    readonly kind: "message";
    readonly lineId: string | null;
    readonly setAside: readonly string[] | null;
  };

function readLine(line: string): ReadLine {
  const fields = objectOf(line);
  if (fields === null) return "damaged";
  if (fields["_type"] === "metadata") {
    return { kind: "metadata", metadata: parseSessionFile(line).metadata };
  }
  const stored = parseMessageLine(line);
  if (stored === null) return "damaged";
  const ids = stored.extras[SET_ASIDE];
  const setAside = isList(ids) ? ids.filter((id) => typeof id === "string") : null;
  return { kind: "message", lineId: stored.lineId, setAside };
}
