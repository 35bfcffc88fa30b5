/**
 * Conversations as their owner looks after them: at the control door of a gateway that runs, or
 * under its locks while none does.
 * @module
 */

import { join } from "node:path";
import type { Locations } from "../config/locations.ts";
import type { Journal } from "../journal/journal.ts";
import type { ActorRef } from "../kernel/ref.ts";
import { RecallKeeper } from "../memory/recall/adapters/recall_keeper.ts";
import type { RecallAnswer } from "../memory/recall/protocol.ts";
import { recallFolder, recallIndexPath } from "../memory/recall/recall_actor.ts";
import type { MemoryScopeSetting } from "../memory/scope.ts";
import { DiskSessionFiles } from "../session/adapters/disk_files.ts";
import type { ReplayReport } from "../session/replay/replay_session.ts";
import { eraseSession, type SessionErased } from "../session/session_erasure.ts";
import { sessionFileName } from "../session/session_name.ts";
import { untoldSubagents } from "../session/subagents/untold.ts";
import { realFolder, realFolderOr } from "./adapters/local_folders.ts";
import { answers, type ControlHandler } from "./control_handler.ts";
import { type LockTaker, takeLocks, takeStateLock } from "./locks.ts";
import type { WiredRecall } from "./recall_wiring.ts";
import type { RouterMessage } from "./router.ts";
import {
  eraseSessionRequest,
  type OwnerSearch,
  replaySessionRequest,
  searchSessionsRequest,
  untoldSubagentsRequest,
} from "./session_requests.ts";
import { openJournal, withIdleJournal } from "./state_journal.ts";
import type { World } from "./world.ts";

/** A conversation that rests is put to sleep first. */
const ERASE_MS = 20_000;

/** How the gateway answers about conversations. */
export function sessionHandlers(
  { recall, router, journal, replayed }: {
    readonly recall: Pick<WiredRecall, "search">;
    readonly router: ActorRef<RouterMessage>;
    readonly journal: Pick<Journal, "waiting" | "interrupted">;
    readonly replayed: ReplayGround;
  },
): ControlHandler[] {
  return [
    answers(searchSessionsRequest, (search) => recall.search({ ...search, scope: null })),
    answers(untoldSubagentsRequest, async ({ key }) => ({
      count: await untoldSubagents(key, journal),
    })),
    answers(eraseSessionRequest, async ({ key: sessionKey }, { signal }) => {
      const state = await router.ask<SessionErased>(
        (replyTo) => ({ type: "erase_session", sessionKey, replyTo }),
        { timeoutMs: ERASE_MS, signal },
      );
      return { state };
    }),
    answers(replaySessionRequest, ({ key }) => replayIn(key, replayed)),
  ];
}

/** Where conversations are replayed. */
export interface ReplayGround {
  readonly workspace: string;
  readonly journal: Pick<Journal, "records" | "unfiledLines">;
  readonly defer: World["defer"];
}

/** Replays a conversation. @throws {JournalError} */
export async function replayIn(
  key: string,
  { workspace, journal, defer }: ReplayGround,
): Promise<ReplayReport> {
  const { replaySession } = await import("../session/replay/replay_session.ts");
  const files = new DiskSessionFiles(join(realFolderOr(workspace), "sessions"));
  const read = () => files.read(sessionFileName(key));
  return await replaySession({ key, read, journal, defer });
}

/**
 * Replays a conversation while no gateway runs.
 *
 * @throws {LockedError} {StartError} {JournalError}
 */
export async function replayIdle(
  key: string,
  { locations: { stateFolder, workspace }, world, command }: IdleGround,
): Promise<ReplayReport> {
  const { defer } = world;
  const report = await withIdleJournal(
    stateFolder,
    { world, command },
    (journal) => replayIn(key, { workspace, journal, defer }),
  );
  return report ?? { state: "gone", reason: "there is no journal yet" };
}

/** A place where no gateway runs. */
export interface IdleGround {
  readonly locations: Pick<Locations, "stateFolder" | "workspace">;
  readonly world: World;
  /** What this process was started as, for others to read. */
  readonly command: string;
}

/** How memory is kept there. */
export interface IdleMemory {
  readonly setting: MemoryScopeSetting;
  /** IANA name. */
  readonly timezone: string;
}

/**
 * Looks for words while no gateway runs; reads first what the index does not have yet.
 *
 * @throws {LockedError} {StartError}
 */
export async function searchIdle(
  search: OwnerSearch,
  { locations: { stateFolder, workspace }, world, command }: IdleGround,
  memory: IdleMemory,
): Promise<RecallAnswer> {
  using _lock = await takeStateLock(stateFolder, takerOf({ world, command }));
  using keeper = new RecallKeeper({
    workspace: realFolderOr(workspace),
    indexPath: recallIndexPath(recallFolder(stateFolder)),
    ...memory,
  });
  while (keeper.step());
  return keeper.search({ ...search, scope: null }, world.clock.now());
}

/**
 * Deletes a conversation while no gateway runs. The index forgets it when it is next opened.
 *
 * @throws {LockedError} {StartError} {JournalError}
 */
export async function eraseIdle(
  key: string,
  { locations, world, command }: IdleGround,
): Promise<SessionErased> {
  using _locks = await takeLocks(locations, takerOf({ world, command }));
  await using journal = openJournal(locations.stateFolder, world);
  const files = new DiskSessionFiles(join(realFolder(locations.workspace), "sessions"));
  return await eraseSession(key, { files, journal });
}

function takerOf({ world: { clock }, command }: Omit<IdleGround, "locations">): LockTaker {
  return { clock, command };
}
