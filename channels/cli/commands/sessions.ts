/**
 * `sessions`: the conversations there are.
 * @module
 */

import { join } from "node:path";
import type { LoadedConfig } from "../../../actors/config/load_config.ts";
import { connectControl } from "../../../actors/gateway/adapters/control_socket.ts";
import { systemWorld } from "../../../actors/gateway/adapters/system_world.ts";
import { askDoor } from "../../../actors/gateway/control_client.ts";
import { eraseIdle, replayIdle, searchIdle } from "../../../actors/gateway/session_desk.ts";
import {
  eraseSessionRequest,
  type OwnerSearch,
  replaySessionRequest,
  searchSessionsRequest,
} from "../../../actors/gateway/session_requests.ts";
import { parseMoment } from "../../../actors/memory/recall/moment.ts";
import type { RecallAnswer } from "../../../actors/memory/recall/protocol.ts";
import { DiskSessionShelf } from "../../../actors/session/adapters/session_shelf.ts";
import {
  findSession,
  type FoundSession,
  listSessions,
} from "../../../actors/session/session_catalog.ts";
import type { SessionErased } from "../../../actors/session/session_erasure.ts";
import { forkKeys, forkSession } from "../../../actors/session/session_fork.ts";
import { sessionMarkdown } from "../../../actors/session/session_markdown.ts";
import { sessionFileName } from "../../../actors/session/session_name.ts";
import type { Terminal } from "../adapters/terminal.ts";
import { loadAndPrepare, type LoadFlags } from "../load.ts";
import {
  describeSession,
  forkedText,
  foundText,
  goneText,
  lastMessages,
  listText,
  noReplyText,
  replayText,
  showText,
} from "../session_text.ts";

/** Most that one search gives. */
const SEARCH_LIMIT_MAX = 100;

/** Flags of all of them. */
export interface SessionsFlags extends LoadFlags {
  readonly json?: boolean | undefined;
}

/** Flags of `sessions list`. */
export interface ListFlags extends SessionsFlags {
  readonly limit: number;
  readonly offset: number;
}

/** Flags of `sessions search`. */
export interface SearchFlags extends ListFlags {
  readonly since?: string | undefined;
  readonly until?: string | undefined;
}

/** Flags of `sessions export`. */
export interface ExportFlags extends LoadFlags {
  readonly md?: boolean | undefined;
}

/** Flags of `sessions fork`. */
export interface ForkFlags extends SessionsFlags {
  readonly as?: string | undefined;
}

/** Lists them, the latest first; 0 whether there are any or not. */
export async function listCommand(flags: ListFlags, terminal: Terminal): Promise<number> {
  const loaded = await loadAndPrepare(flags, terminal, { logs: false });
  const page = listSessions(shelfOf(loaded), flags);
  if (flags.json === true) terminal.write(`${JSON.stringify(page, null, 2)}\n`);
  else terminal.write(listText(page, flags.offset));
  return 0;
}

/** Shows one; 1 when there is none. */
export async function showCommand(
  key: string,
  flags: SessionsFlags & { readonly limit: number },
  terminal: Terminal,
): Promise<number> {
  const loaded = await loadAndPrepare(flags, terminal, { logs: false });
  const found = findSession(shelfOf(loaded), key);
  if (found === null) return missing(key, terminal);
  const about = describeSession(found);
  const { timezone } = loaded.config.agents.defaults;
  const { messages } = found.content;
  if (flags.json === true) {
    const last = lastMessages(messages, flags.limit);
    terminal.write(`${JSON.stringify({ ...about, last }, null, 2)}\n`);
  } else terminal.write(showText(about, messages.slice(-flags.limit), timezone));
  return 0;
}

/** Finds what was said; 1 when nothing is found, 2 when a flag cannot be read. */
export async function searchCommand(
  words: readonly string[],
  flags: SearchFlags,
  terminal: Terminal,
): Promise<number> {
  const loaded = await loadAndPrepare(flags, terminal, { logs: false });
  const { timezone } = loaded.config.agents.defaults;
  const search = searchOf(words, flags, timezone);
  if (typeof search === "string") {
    terminal.writeError(`Error: ${search}\n`);
    return 2;
  }
  const answer = await askOrDo(loaded, {
    ask: (peer, clock) => askDoor(peer, searchSessionsRequest, search, clock),
    offline: (ground) => {
      const { memoryScope: setting } = loaded.config.agents.defaults;
      return searchIdle(search, ground, { setting, timezone });
    },
  });
  printFound(answer, flags, { timezone, terminal });
  return answer.hits.length === 0 ? 1 : 0;
}

/** Prints one; 1 when there is none. */
export async function exportCommand(
  key: string,
  flags: ExportFlags,
  terminal: Terminal,
): Promise<number> {
  const loaded = await loadAndPrepare(flags, terminal, { logs: false });
  const found = findSession(shelfOf(loaded), key);
  if (found === null) return missing(key, terminal);
  terminal.write(exported(found, flags, loaded));
  return 0;
}

/** Copies one up to a reply; 1 when there is none, or the copy's name is taken, 2 for a bad line. */
export async function forkCommand(
  name: string,
  line: string,
  flags: ForkFlags,
  terminal: Terminal,
): Promise<number> {
  const loaded = await loadAndPrepare(flags, terminal, { logs: false });
  const shelf = shelfOf(loaded);
  const found = findSession(shelf, name);
  if (found === null) return missing(name, terminal);
  if (flags.as?.trim() === "") {
    terminal.writeError("Error: Cannot copy to a conversation without a name; give --as one\n");
    return 2;
  }
  const nowMs = systemWorld().clock.now();
  for (const key of flags.as === undefined ? forkKeys(found.key) : [keyNamed(flags.as)]) {
    const fork = forkSession(found, Number(line), { key, nowMs });
    if (fork.state === "no_reply") {
      terminal.writeError(`Error: ${noReplyText(found.key, line, fork.nearest)}\n`);
      return 2;
    }
    if (!shelf.create(sessionFileName(key), fork.text)) continue;
    if (flags.json === true) terminal.write(`${JSON.stringify({ key, lines: Number(line) })}\n`);
    else terminal.write(forkedText(found.key, line, key));
    return 0;
  }
  const text = `Cannot copy to "${flags.as}": there is such a conversation; choose another --as`;
  terminal.writeError(`Error: ${text}\n`);
  return 1;
}

/** As `agent --session` reads it. */
function keyNamed(name: string): string {
  return name.includes(":") ? name : `cli:${name}`;
}

/** Replays one from its record; 1 when its transcript differs, or the record is gone. */
export async function replayCommand(
  name: string,
  flags: SessionsFlags,
  terminal: Terminal,
): Promise<number> {
  const loaded = await loadAndPrepare(flags, terminal, { logs: false });
  const key = findSession(shelfOf(loaded), name)?.key ?? name;
  const report = await askOrDo(loaded, {
    ask: (peer, clock) => askDoor(peer, replaySessionRequest, { key }, clock),
    offline: (ground) => replayIdle(key, ground),
  });
  if (flags.json === true) terminal.write(`${JSON.stringify({ key, ...report })}\n`);
  else if (report.state === "gone") terminal.writeError(`Error: ${goneText(key, report.reason)}\n`);
  else terminal.write(replayText(key, report));
  return report.state === "identical" ? 0 : 1;
}

/** Deletes one; 1 when there is none, or somebody waits for an answer in it. */
export async function deleteCommand(
  name: string,
  flags: SessionsFlags,
  terminal: Terminal,
): Promise<number> {
  const loaded = await loadAndPrepare(flags, terminal, { logs: false });
  const key = findSession(shelfOf(loaded), name)?.key ?? name;
  const { state } = await askOrDo(loaded, {
    ask: (peer, clock) => askDoor(peer, eraseSessionRequest, { key }, clock),
    offline: async (ground): Promise<{ readonly state: SessionErased }> => ({
      state: await eraseIdle(key, ground),
    }),
  });
  if (flags.json === true) terminal.write(`${JSON.stringify({ key, state })}\n`);
  else if (state === "deleted") terminal.write(`Deleted ${key}\n`);
  if (state === "deleted") return 0;
  if (state === "missing") return missing(key, terminal);
  const text = `Cannot delete "${key}": somebody waits for an answer in it; send /stop there first`;
  terminal.writeError(`Error: ${text}\n`);
  return 1;
}

type Peer = NonNullable<Awaited<ReturnType<typeof connectControl>>>;
type Clock = ReturnType<typeof systemWorld>["clock"];

/** What is asked of a gateway that runs, or done in its place. */
interface Errand<Answer> {
  readonly ask: (peer: Peer, clock: Clock) => Promise<Answer>;
  readonly offline: (ground: Parameters<typeof searchIdle>[1]) => Promise<Answer>;
}

async function askOrDo<Answer>(
  { locations }: LoadedConfig,
  { ask, offline }: Errand<Answer>,
): Promise<Answer> {
  const world = systemWorld();
  const peer = await connectControl(locations.stateFolder);
  if (peer !== null) return await ask(peer, world.clock);
  return await offline({ locations, world, command: "sessions" });
}

/** The search, or what is wrong with its flags. */
function searchOf(
  words: readonly string[],
  { limit, offset, since, until }: SearchFlags,
  timezone: string,
): OwnerSearch | string {
  if (words.join(" ").trim() === "") {
    return "Cannot search for nothing: name words that stand in it";
  }
  const nowMs = systemWorld().clock.now();
  const sinceMs = since && parseMoment(since, { nowMs, timezone, end: "first" });
  const untilMs = until && parseMoment(until, { nowMs, timezone, end: "last" });
  if (sinceMs === null || untilMs === null) {
    const given = sinceMs === null ? `--since "${since}"` : `--until "${until}"`;
    return `Cannot read ${given}: write a date such as 2026-05-01, or 30d`;
  }
  return {
    text: words.join(" "),
    limit: Math.min(limit, SEARCH_LIMIT_MAX),
    offset,
    ...(typeof sinceMs === "number" && { sinceMs }),
    ...(typeof untilMs === "number" && { untilMs }),
  };
}

function printFound(
  answer: RecallAnswer,
  { json, offset }: SearchFlags,
  { timezone, terminal }: { readonly timezone: string; readonly terminal: Terminal },
): void {
  if (json === true) terminal.write(`${JSON.stringify(answer, null, 2)}\n`);
  else terminal.write(foundText(answer, { timezone, offset }));
}

function exported(
  found: FoundSession,
  { md }: ExportFlags,
  { config }: LoadedConfig,
): string {
  if (md === true) return sessionMarkdown(found, config.agents.defaults.timezone);
  return found.text;
}

function shelfOf({ locations }: LoadedConfig): DiskSessionShelf {
  return new DiskSessionShelf(join(locations.workspace, "sessions"));
}

function missing(key: string, terminal: Terminal): number {
  terminal.writeError(`Error: Cannot find a conversation "${key}": see troupe sessions list\n`);
  return 1;
}
