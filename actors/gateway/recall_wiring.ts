/**
 * Recall, from the configuration: its actor, what sessions and the `recall` tool reach of it, and
 * how it hears of files that change.
 * @module
 */

import { getLogger } from "@logtape/logtape";
import type { LoadedConfig } from "../config/load_config.ts";
import type { Inbound } from "../journal/journal.ts";
import type { ActorDefinition } from "../kernel/actor.ts";
import type { Clock } from "../kernel/clock.ts";
import { asError } from "../kernel/errors.ts";
import type { ActorRef } from "../kernel/ref.ts";
import { hitPlace, hitText } from "../memory/recall/hit_text.ts";
import { parseMoment } from "../memory/recall/moment.ts";
import type {
  RecallAnswer,
  RecallHit,
  RecallKind,
  RecallMessage,
  RecallQuery,
  VisibleSpan,
} from "../memory/recall/protocol.ts";
import {
  recallActor,
  type RecallActorMessage,
  recallFolder,
  type RecallOptions,
} from "../memory/recall/recall_actor.ts";
import { termsOf } from "../memory/recall/terms.ts";
import type { MemoryOrigin, MemoryScope } from "../memory/scope.ts";
import type { RemindPort, SessionFiles } from "../session/ports.ts";
import { type Recalled, type RecallRequest, recallTool } from "../tools/recall.ts";
import type { Tool } from "../tools/tool.ts";

const logger = getLogger(["troupe", "gateway", "recall_wiring"]);

/** A message goes on without memories that take longer. */
const REMIND_MS = 30;
/** Passages that a message brings to mind, at most. */
const REMINDED_MAX = 5;
const SEARCH_MS = 15_000;

const KINDS: Readonly<Record<RecallRequest["source"], readonly RecallKind[] | undefined>> = {
  all: undefined,
  conversations: ["session"],
  summaries: ["history"],
  facts: ["facts"],
};

/** What recall is made from. */
export interface RecallWiring {
  readonly loaded: LoadedConfig;
  readonly clock: Clock;
  /** Real path. */
  readonly workspace: string;
  readonly scopeOf: (origin: MemoryOrigin) => MemoryScope;
  readonly spawn: (
    definition: ActorDefinition<RecallActorMessage>,
  ) => ActorRef<RecallActorMessage>;
  readonly idleMs?: RecallOptions["idleMs"];
}

/** Recall, as the rest of the gateway sees it. */
export interface WiredRecall {
  readonly remind: RemindPort;
  readonly tool: Tool;
  /** Searches whatever the query allows; for the owner's own commands too. */
  readonly search: (query: RecallQuery) => Promise<RecallAnswer>;
  /** The sessions' files, of whose changes recall hears. */
  readonly watched: (files: SessionFiles) => SessionFiles;
}

/** Starts recall; nothing is read before the first question. */
export function wireRecall(options: RecallWiring): WiredRecall {
  const { loaded: { config, locations }, workspace, spawn, idleMs } = options;
  const { timezone, memoryScope: setting } = config.agents.defaults;
  const indexFolder = recallFolder(locations.stateFolder);
  const ref = spawn(recallActor({ workspace, indexFolder, setting, timezone, idleMs }));
  const search = (query: RecallQuery, signal?: AbortSignal) =>
    ref.ask<RecallAnswer>(
      (replyTo) => ({ type: "search", query, replyTo }),
      { timeoutMs: SEARCH_MS, signal },
    );
  return {
    search,
    remind: (inbound, visible) => remind(inbound, visible, { ...options, ref }),
    tool: recallTool((request, { origin, signal }) => {
      const scope = options.scopeOf(origin).folder;
      return recallFor(request, { ...options, scope, search: (query) => search(query, signal) });
    }),
    watched: (files) => new WatchedFiles(files, ref),
  };
}

/** What a message brings to mind; nothing when that takes too long or fails. */
async function remind(
  inbound: Inbound,
  visible: VisibleSpan,
  { ref, scopeOf }: Pick<RecallWiring, "scopeOf"> & { readonly ref: ActorRef<RecallMessage> },
): Promise<readonly RecallHit[]> {
  const { content: text } = inbound;
  // Greetings and the like start no Worker, and wait for none.
  if (termsOf(text, { keepsStopWords: false }).length === 0) return [];
  const reminder = {
    text,
    scope: scopeOf(inbound).folder,
    visible,
    limit: REMINDED_MAX,
  };
  try {
    const { hits } = await ref.ask<RecallAnswer>(
      (replyTo) => ({ type: "remind", reminder, replyTo }),
      { timeoutMs: REMIND_MS },
    );
    return hits;
  } catch (error) {
    logger.debug("Goes on without memories: {reason}", { reason: asError(error).message });
    return [];
  }
}

interface Search extends Pick<RecallWiring, "loaded" | "clock"> {
  readonly scope: string;
  readonly search: (query: RecallQuery) => Promise<RecallAnswer>;
}

async function recallFor(
  request: RecallRequest,
  { loaded, clock, scope, search }: Search,
): Promise<Recalled> {
  const { timezone } = loaded.config.agents.defaults;
  const { query: text, limit, offset, since, until, source } = request;
  const nowMs = clock.now();
  const sinceMs = since && parseMoment(since, { nowMs, timezone, end: "first" });
  const untilMs = until && parseMoment(until, { nowMs, timezone, end: "last" });
  if (sinceMs === null || untilMs === null) {
    const [name, given] = sinceMs === null ? ["since", since] : ["until", until];
    const problem = `Cannot read ${name} "${given}": write a date such as 2026-05-01, or 30d`;
    return { state: "problem", problem };
  }
  const query: RecallQuery = {
    ...{ text, scope, limit, offset },
    kinds: KINDS[source],
    ...(typeof sinceMs === "number" && { sinceMs }),
    ...(typeof untilMs === "number" && { untilMs }),
  };
  const { hits, hasMore, isPartial } = await search(query);
  const passages = hits.map((hit) => `${hitText(hit, timezone)} (${hitPlace(hit)})`);
  return { state: "found", passages, hasMore, isPartial };
}

/** Session files whose changes are told. */
class WatchedFiles implements SessionFiles {
  readonly #files: SessionFiles;
  readonly #recall: ActorRef<RecallMessage>;

  constructor(files: SessionFiles, recall: ActorRef<RecallMessage>) {
    this.#files = files;
    this.#recall = recall;
  }

  read(name: string): Promise<string | null> {
    return this.#files.read(name);
  }

  async append(name: string, text: string): Promise<void> {
    await this.#files.append(name, text);
    this.#touched(name);
  }

  async replace(name: string, text: string): Promise<void> {
    await this.#files.replace(name, text);
    this.#touched(name);
  }

  async remove(name: string): Promise<void> {
    await this.#files.remove(name);
    this.#touched(name);
  }

  /** What is not taken is found at the next full look. */
  #touched(name: string): void {
    this.#recall.tell({ type: "file_touched", path: `sessions/${name}` });
  }
}
