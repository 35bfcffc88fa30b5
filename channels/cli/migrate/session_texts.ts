/**
 * Conversations between nanobot's folder and ours: the same lines under other names of files.
 * @module
 */

import { createHash } from "node:crypto";
import { isList } from "../../../actors/kernel/json.ts";
import { localIso } from "../../../actors/kernel/local_time.ts";
import {
  encodeMetadataLine,
  parseMessageLine,
  parseSessionFile,
  type SessionMetadata,
  SET_ASIDE,
} from "../../../actors/session/session_file.ts";
import { nanobotSessionKey, sessionKeyOf } from "../../../actors/session/session_name.ts";
import type { SourceTree } from "./adapters/source_tree.ts";
import { joinLines, objectOf } from "./lines.ts";
import { type PlanDraft, type PlannedFile, SourceFileError } from "./plan.ts";

const FOLDER_ENDING = ".jsonl";

/** How the names of files come about. */
export interface SessionNames {
  /** Whose the source is: where a file does not tell its key, its name does. */
  readonly source: "nanobot" | "troupe";
  /** Names of the target's file, each of which some version looks for; none where none can be. */
  readonly filesOf: (key: string) => readonly string[];
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
  const key = metadata?.key ?? ownKey ?? nanobotSessionKey(name);
  const [file, ...others] = names.filesOf(key);
  if (file === undefined) {
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
  const there = draft.files.find(({ to }) => to === planned.to);
  if (there !== undefined) return await planNewer(planned, there, draft);
  const copies = others.map((name) => ({ to: `sessions/${name}`, copyOf: planned.to }));
  draft.files.push(planned, ...copies.map((copy) => ({ ...planned, ...copy })));
}

/** Of two files of one conversation the one that was written last: another version left the other. */
async function planNewer(
  planned: PlannedFile,
  there: PlannedFile,
  draft: PlanDraft,
): Promise<void> {
  if (await digestOf(planned.content()) === await digestOf(there.content())) return;
  const isNewer = (planned.modifiedAtMs ?? 0) > (there.modifiedAtMs ?? 0);
  if (isNewer) draft.files[draft.files.indexOf(there)] = planned;
  const why = `a newer file is the conversation ${planned.to} too`;
  draft.leave("sessions", (isNewer ? there : planned).from, ["taken", why]);
}

async function digestOf(pieces: AsyncIterable<string>): Promise<string> {
  const hash = createHash("sha256");
  for await (const piece of pieces) hash.update(piece);
  return hash.digest("hex");
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
