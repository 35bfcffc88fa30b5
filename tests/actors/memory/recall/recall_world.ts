/**
 * A workspace with memories, and a keeper that looks through it.
 * @module
 */

import { dirname, join } from "node:path";
import { RecallKeeper } from "../../../../actors/memory/recall/adapters/recall_keeper.ts";
import type { RecallQuery } from "../../../../actors/memory/recall/protocol.ts";
import { MemoryScope, type MemoryScopeSetting } from "../../../../actors/memory/scope.ts";

/** Some time of the day on which everything was said. */
export const THEN_MS: number = Date.parse("2026-04-30T14:03:00Z");
/** When it is looked for. */
export const NOW_MS: number = Date.parse("2026-05-20T08:00:00Z");

/** A line of a conversation. */
export interface SaidLine {
  readonly role?: "user" | "assistant" | "tool" | undefined;
  readonly content: string;
  readonly atMs?: number | undefined;
  readonly turn?: string | undefined;
  /** Name of the memory that it belongs to, where that is not everybody's. */
  readonly scope?: string | undefined;
}

/** A workspace on disk; hold it with `using`. */
export class RecallWorld implements Disposable {
  readonly workspace: string;
  readonly indexPath: string;
  readonly #folder: string = Deno.realPathSync(Deno.makeTempDirSync({ prefix: "troupe-test-" }));

  constructor() {
    this.workspace = join(this.#folder, "workspace");
    this.indexPath = join(this.#folder, "recall.sqlite");
    Deno.mkdirSync(this.workspace);
  }

  [Symbol.dispose](): void {
    Deno.removeSync(this.#folder, { recursive: true });
  }

  /** A keeper over what is there; it has read nothing yet. */
  keeper(setting: MemoryScopeSetting = "global", timezone = "UTC"): RecallKeeper {
    const { workspace, indexPath } = this;
    return new RecallKeeper({ workspace, indexPath, setting, timezone });
  }

  /** A keeper that has read everything. */
  readKeeper(setting: MemoryScopeSetting = "global"): RecallKeeper {
    const keeper = this.keeper(setting);
    readAll(keeper);
    return keeper;
  }

  /** Writes a file below the workspace. */
  write(path: string, text: string): void {
    const place = join(this.workspace, path);
    Deno.mkdirSync(dirname(place), { recursive: true });
    Deno.writeTextFileSync(place, text);
  }

  /** Appends to one. */
  append(path: string, text: string): void {
    Deno.writeTextFileSync(join(this.workspace, path), text, { append: true });
  }

  /** A session's file with these lines. */
  session(key: string, lines: readonly SaidLine[]): string {
    const path = `sessions/${key.replace(":", "_")}.jsonl`;
    this.write(path, `${metadataLine(key)}\n${lines.map(lineOf).join("")}`);
    return path;
  }
}

/** Lets a keeper read all there is. */
export function readAll(keeper: RecallKeeper): void {
  while (keeper.step());
}

/** The texts that a search finds, best first. */
export function textsOf(
  keeper: RecallKeeper,
  text: string,
  query: Partial<RecallQuery> = {},
): readonly string[] {
  const scope = MemoryScope.global.folder;
  return keeper.search({ text, scope, limit: 10, ...query }, NOW_MS).hits.map((hit) => hit.text);
}

/** A line of a session's file. */
export function lineOf(
  { role = "user", content, atMs = THEN_MS, turn = "t", scope }: SaidLine,
  index = 0,
): string {
  const line = {
    ...(scope !== undefined && { memory_scope: scope }),
    role,
    content,
    timestamp: new Date(atMs).toISOString(),
    line_id: `${turn}:${index}`,
  };
  return `${JSON.stringify(line)}\n`;
}

/** An entry of a history file. */
export function historyLine(
  cursor: number,
  content: string,
  timestamp = "2026-03-01 09:30",
): string {
  return `${JSON.stringify({ cursor, timestamp, content })}\n`;
}

function metadataLine(key: string): string {
  const at = "2026-04-01T00:00:00.000Z";
  return JSON.stringify({
    _type: "metadata",
    key,
    created_at: at,
    updated_at: at,
    metadata: {},
    last_consolidated: 0,
  });
}
