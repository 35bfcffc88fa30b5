/**
 * Which files are remembered: summaries and facts of every scope, and all conversations.
 * @module
 */

import { MemoryScope, SCOPES_PATH } from "../../scope.ts";
import type { RecallSource } from "../passages.ts";
import type { RecallFiles } from "./recall_files.ts";

const SESSIONS_FOLDER = "sessions";
const EXTENSION = ".jsonl";

/** The scope of a folder. */
export function scopeAt(folder: string): MemoryScope {
  if (folder === MemoryScope.global.folder) return MemoryScope.global;
  return MemoryScope.found(folder.slice(SCOPES_PATH.length + 1));
}

/** The files of a scope. SOUL.md is the assistant's character, nothing that it was told. */
export function sourcesOfScope(scope: MemoryScope): readonly RecallSource[] {
  const common = { scope: scope.folder, sessionKey: null };
  return [
    { ...common, kind: "facts", path: scope.pathOf("MEMORY") },
    { ...common, kind: "facts", path: scope.pathOf("USER") },
    { ...common, kind: "history", path: scope.historyPath },
  ];
}

/** The source at a path of a session's file; null where that is none. */
export function sessionSource(path: string): RecallSource | null {
  const isSession = path.startsWith(`${SESSIONS_FOLDER}/`) && path.endsWith(EXTENSION);
  return isSession ? { kind: "session", path, scope: null, sessionKey: null } : null;
}

/** All of them, what is small and dear first. */
export function* allSources(files: RecallFiles): Generator<RecallSource, void, void> {
  yield* sourcesOfScope(MemoryScope.global);
  for (const name of files.names(SCOPES_PATH, "folders")) {
    yield* sourcesOfScope(MemoryScope.found(name));
  }
  for (const name of files.names(SESSIONS_FOLDER, "files")) {
    const source = sessionSource(`${SESSIONS_FOLDER}/${name}`);
    if (source !== null) yield source;
  }
}
