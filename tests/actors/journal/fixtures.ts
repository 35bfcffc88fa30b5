/**
 * Rows for tests of the journal: complete, and different only where the test says so.
 * @module
 */

import {
  FIRST_SESSIONS,
  type HistoryLine,
  type Inbound,
  type Journal,
  type NewInbound,
  type NewOutbound,
  type SessionsCursor,
  type Step,
} from "../../../actors/journal/journal.ts";

/** The session of all rows that name no other. */
export const SESSION = "feishu:oc_1";

/** A message from a chat. */
export function anInbound(fields: Partial<NewInbound> = {}): NewInbound {
  return {
    channel: "feishu",
    platformId: "om_1",
    sessionKey: SESSION,
    chatId: "oc_1",
    senderId: "ou_1",
    content: "hello",
    media: [],
    context: {},
    wantsStream: false,
    ...fields,
  };
}

/** A message for a chat. */
export function anOutbound(fields: Partial<NewOutbound> = {}): NewOutbound {
  return {
    key: "t1:0",
    channel: "feishu",
    chatId: "oc_1",
    sessionKey: SESSION,
    state: "pending",
    content: "hi",
    preamble: "",
    media: [],
    context: {},
    isPlain: false,
    settles: [],
    ...fields,
  };
}

/** A line of history. */
export function aLine(line: number, fields: Partial<HistoryLine> = {}): HistoryLine {
  return {
    sessionKey: SESSION,
    turnId: "t1",
    line,
    inboundSeq: null,
    text: `{"line":${line}}`,
    ...fields,
  };
}

/** The step that begins turn `t1` (again). */
export const BEGIN: Step = { turn: { turnId: "t1", sessionKey: SESSION, change: "begin" } };

/** The step that ends turn `t1`. */
export const END: Step = { turn: { turnId: "t1", sessionKey: SESSION, change: "end" } };

/** Takes a message in and gives its row. */
export async function accepted(
  journal: Journal,
  fields: Partial<NewInbound> = {},
): Promise<Inbound> {
  const taken = await journal.accept(anInbound(fields));
  if (taken.state !== "accepted") throw new Error(`Cannot take it in twice: ${taken.seq}`);
  return taken.inbound;
}

/** Takes a message in and begins turn `t1` with it. */
export async function running(
  journal: Journal,
  fields: Partial<NewInbound> = {},
): Promise<Inbound> {
  const inbound = await accepted(journal, fields);
  await journal.commit({
    ...BEGIN,
    inbounds: [{ seq: inbound.seq, state: "running", turnId: "t1" }],
  });
  return inbound;
}

/** All unfinished sessions, read page by page, sorted. */
export async function unfinishedSessions(journal: Journal): Promise<string[]> {
  const found = new Set<string>();
  let cursor: SessionsCursor | null = FIRST_SESSIONS;
  while (cursor !== null) {
    const { sessionKeys, next } = await journal.unfinishedSessions(cursor, 100);
    for (const key of sessionKeys) found.add(key);
    cursor = next;
  }
  return [...found].sort();
}

/** A folder that goes away with the test, and a journal's path in it. */
export function aPlace(): { readonly folder: string; readonly path: string } & Disposable {
  const folder = Deno.makeTempDirSync();
  return {
    folder,
    path: `${folder}/state/journal.db`,
    [Symbol.dispose]: () => Deno.removeSync(folder, { recursive: true }),
  };
}
