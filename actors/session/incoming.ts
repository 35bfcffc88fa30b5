/**
 * What waits for a session: which of it a turn takes, and how it is put into words for the model.
 * @module
 */

import type { UserMessage } from "../../providers/provider.ts";
import {
  type Inbound,
  isReadyWord,
  type Journal,
  SYSTEM_CHANNEL,
  type SystemSource,
  systemSource,
} from "../journal/journal.ts";
import { scopeFields } from "./archived_chunk.ts";
import { frameText } from "./client_frame.ts";
import { endsTurn, parseCommand } from "./command_table.ts";
import type { LastSummary } from "./last_summary.ts";
import { workOf } from "./own_work.ts";
import type { SessionServices } from "./ports.ts";
import { loadAttachments, runtimeBlock, storedUserText, userContent } from "./runtime_context.ts";
import { sentFields } from "./sent_files.ts";
import type { Joining } from "./step_parts.ts";
import { isUnderWay, subagentFields } from "./subagents/subagent_row.ts";
import { TOLD_LINE } from "./telling.ts";

/** Rows that one look into the journal reads. */
const PAGE_ROWS = 64;
/** Commands that one look finds; the rest is found by the next one. */
const COMMANDS_MAX = 64;

/** What a line says of itself that no person wrote. */
const INJECTED_EVENTS: Readonly<Record<SystemSource, string>> = {
  cron: "scheduled_job",
  heartbeat: "heartbeat",
  subagent: "subagent_result",
  goal: "goal_turn",
};

/** Where waiting inbounds are read. */
export type WaitingRows = Pick<Journal, "waiting">;

/** An inbound as it is stored, and as the model sees it in its own turn. */
export interface ReadInbound extends Joining {
  readonly shown: UserMessage;
}

/** What stands beside an inbound's words in its own turn. */
export interface BesideInbound {
  /** Of the part of the conversation that is not shown. */
  readonly summary?: LastSummary | null;
  /** Gives what it brings to mind; "" for nothing. */
  readonly remembered?: () => Promise<string>;
}

/** What waits for a session. */
export interface Waiting {
  /** Commands, in order. */
  readonly commands: readonly Inbound[];
  /** There may be more of them. */
  readonly hasMoreCommands: boolean;
  readonly hasMessages: boolean;
}

/** Looks through all that waits. */
export async function lookForWork(journal: WaitingRows, sessionKey: string): Promise<Waiting> {
  const commands: Inbound[] = [];
  let hasMessages = false;
  for await (const inbound of waitingInOrder(journal, sessionKey)) {
    if (!isCommand(inbound)) hasMessages ||= inbound.draft === null;
    else if (commands.length === COMMANDS_MAX) {
      return { commands, hasMessages, hasMoreCommands: true };
    } else commands.push(inbound);
  }
  return { commands, hasMessages, hasMoreCommands: false };
}

/**
 * The first message that can be worked on, and whether others wait behind it.
 *
 * @param withdrawn seqs that are passed over: the journal may not know yet
 */
export async function firstWaiting(
  journal: WaitingRows,
  sessionKey: string,
  withdrawn: ReadonlySet<number>,
): Promise<{ readonly first: Inbound; readonly hasMore: boolean } | undefined> {
  let first: Inbound | undefined;
  for await (const inbound of readyInOrder(journal, sessionKey)) {
    if (withdrawn.has(inbound.seq)) continue;
    if (first !== undefined) return { first, hasMore: true };
    first = inbound;
  }
  return first && { first, hasMore: false };
}

/**
 * Messages that wait before `seq`, in order, and wherever they stand the rows of subagents under
 * way: whatever was at work while a command waited started some behind it.
 */
export async function waitingBefore(
  journal: WaitingRows,
  sessionKey: string,
  seq: number,
): Promise<Inbound[]> {
  const before: Inbound[] = [];
  for await (const inbound of waitingInOrder(journal, sessionKey)) {
    if (isUnderWay(inbound) || (inbound.seq < seq && !isCommand(inbound))) before.push(inbound);
  }
  return before;
}

/** Whether an inbound still waits: it may have been told of twice. */
export async function stillWaits(journal: WaitingRows, inbound: Inbound): Promise<boolean> {
  const [next] = await journal.waiting(inbound.sessionKey, inbound.seq - 1, 1);
  return next?.seq === inbound.seq;
}

/**
 * Messages of the same chat as `inbound` that wait near the head of the queue, in order, up to
 * the first draft and the first command that ends what is before it.
 */
export async function followUpsOf(
  journal: WaitingRows,
  inbound: Inbound,
  countMax: number,
): Promise<Inbound[]> {
  const { sessionKey } = inbound;
  const page = await journal.waiting(sessionKey, 0, PAGE_ROWS);
  const firstEnd = page.findIndex(endsAllBefore);
  const ofChat = page
    .slice(0, firstEnd === -1 ? page.length : firstEnd)
    .filter((waiting) => isSameTalk(waiting, inbound) && !isCommand(waiting))
    .filter((waiting) => !isUnderWay(waiting) && !isReadyWord(waiting));
  const firstDraft = ofChat.findIndex(({ draft }) => draft !== null);
  return ofChat.slice(0, firstDraft === -1 ? countMax : Math.min(firstDraft, countMax));
}

/**
 * What a subagent found belongs to the talk of the chat that it was started in; and a person who
 * writes while a goal is worked on may have a word on it.
 */
function isSameTalk(waiting: Inbound, home: Inbound): boolean {
  if (waiting.chatId !== home.chatId || waiting.replyChannel !== home.replyChannel) return false;
  if (workOf(waiting) !== workOf(home)) return false;
  if (waiting.channel === home.channel) return true;
  if (systemSource(home) === "goal") return waiting.channel === home.replyChannel;
  return [waiting, home].some((inbound) => systemSource(inbound) === "subagent");
}

/** Whether a session answers an inbound by itself. What comes from inside is always for the model. */
export function isCommand({ channel, content, draft }: Inbound): boolean {
  return draft === null && channel !== SYSTEM_CHANNEL && parseCommand(content) !== null;
}

/** Where the conversation with an inbound takes place: where it is answered, if it is. */
export function placeOf(
  { channel, replyChannel, chatId }: Inbound,
): { readonly channel: string; readonly chatId: string } {
  return { channel: replyChannel ?? channel, chatId };
}

/** A command that ends what was accepted before it, and so must come before what came after it. */
function endsAllBefore(inbound: Inbound): boolean {
  const command = isCommand(inbound) ? parseCommand(inbound.content) : null;
  return command !== null && endsTurn(command.name);
}

/** What is needed to read an inbound. */
export type InboundReaders = Pick<
  SessionServices,
  "settings" | "readImage" | "readDocument" | "archive"
>;

/** An inbound whose attachments were read: as it is stored, and how it is shown. */
export interface OpenedInbound extends Joining {
  /** Puts time, chat and what stands beside in front of its words. @throws as `remembered` */
  show(beside?: BesideInbound): Promise<UserMessage>;
}

/** Reads an inbound's attachments, at `readAtMs`: that is the time that the model is told. */
export async function openInbound(
  inbound: Inbound,
  { settings, readImage, readDocument, archive }: InboundReaders,
  readAtMs: number,
): Promise<OpenedInbound> {
  const content = isReadyWord(inbound) ? TOLD_LINE : inbound.content;
  const { channel, chatId } = placeOf(inbound);
  const { timezone } = settings;
  const source = systemSource(inbound);
  const attachments = await loadAttachments(inbound.media, { readImage, readDocument });
  return {
    inbound,
    readAtMs,
    extras: {
      ...scopeFields(archive, inbound),
      ...sentFields(archive, inbound),
      ...(source !== undefined && { injected_event: INJECTED_EVENTS[source] }),
      ...subagentFields(inbound),
    },
    message: { role: "user", content: storedUserText(content, attachments) },
    show: async ({ summary = null, remembered } = {}) => {
      const memories = await remembered?.() ?? "";
      const beside = { summary, remembered: memories };
      const facts = { nowMs: readAtMs, timezone, channel, chatId, source, ...beside };
      const frame = source === undefined ? frameText(inbound) : "";
      const block = frame === "" ? runtimeBlock(facts) : `${runtimeBlock(facts)}\n\n${frame}`;
      return { role: "user", content: userContent(block, content, attachments) };
    },
  };
}

/**
 * Messages that can be worked on: a draft holds up what its chat wrote after it, a command that
 * ends what is before it everything after it.
 */
async function* readyInOrder(
  journal: WaitingRows,
  sessionKey: string,
): AsyncGenerator<Inbound, void, undefined> {
  const heldUp = new Set<string>();
  for await (const inbound of waitingInOrder(journal, sessionKey)) {
    if (endsAllBefore(inbound)) return;
    if (isCommand(inbound) || isUnderWay(inbound)) continue;
    const chat = `${inbound.channel}:${inbound.chatId}`;
    if (inbound.draft !== null) heldUp.add(chat);
    else if (!heldUp.has(chat)) yield inbound;
  }
}

/** All that waits, in order. */
export async function* waitingInOrder(
  journal: WaitingRows,
  sessionKey: string,
): AsyncGenerator<Inbound, void, undefined> {
  let afterSeq = 0;
  for (;;) {
    const page = await journal.waiting(sessionKey, afterSeq, PAGE_ROWS);
    yield* page;
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE_ROWS) return;
    afterSeq = last.seq;
  }
}
