/**
 * What can be asked about conversations at the control door. Lists and texts are read from the
 * files, by whoever may read them; searching and deleting concern what the gateway has in hand.
 * @module
 */

import { z } from "zod";
import type { RecallAnswer, RecallHit, RecallQuery } from "../memory/recall/protocol.ts";
import type { ReplayReport } from "../session/replay/replay_session.ts";
import type { SessionErased } from "../session/session_erasure.ts";
import { type ControlRequest, query } from "./control.ts";

/** A search of the owner, in everybody's memory. */
export type OwnerSearch = Omit<RecallQuery, "scope">;

const kind = z.enum(["history", "facts", "session"]);

const search: z.ZodType<OwnerSearch> = z.object({
  text: z.string().min(1).max(2_000),
  limit: z.int().min(1).max(100),
  offset: z.int().min(0).optional(),
  kinds: z.array(kind).optional(),
  sinceMs: z.number().optional(),
  untilMs: z.number().optional(),
});

const hit: z.ZodType<RecallHit> = z.object({
  text: z.string(),
  kind,
  path: z.string(),
  line: z.int(),
  sessionKey: z.string().nullable(),
  role: z.enum(["user", "assistant", ""]),
  atMs: z.number().nullable(),
  isForeign: z.boolean(),
});

/** Looks for words in what is remembered. */
export const searchSessionsRequest: ControlRequest<OwnerSearch, RecallAnswer> = query(
  "search_sessions",
  {
    params: search,
    result: z.object({ hits: z.array(hit), hasMore: z.boolean(), isPartial: z.boolean() }),
  },
);

/** Counts the subagents of a conversation that work, or whose result waits. */
export const untoldSubagentsRequest: ControlRequest<
  { readonly key: string },
  { readonly count: number }
> = query("untold_subagents", {
  params: z.object({ key: z.string().min(1) }),
  result: z.object({ count: z.int().min(0) }),
});

/** Deletes a conversation. */
export const eraseSessionRequest: ControlRequest<
  { readonly key: string },
  { readonly state: SessionErased }
> = query("erase_session", {
  params: z.object({ key: z.string().min(1) }),
  result: z.object({ state: z.enum(["deleted", "missing", "busy"]) }),
});

/** A long conversation may have thousands of turns. */
const REPLAY_MS = 300_000;

const counts = {
  turns: z.int(),
  steps: z.int(),
  lines: z.int(),
  linesBefore: z.int(),
  linesAfter: z.int(),
};

/** Runs a conversation again from what was recorded of it. */
export const replaySessionRequest: ControlRequest<{ readonly key: string }, ReplayReport> = {
  ...query("replay_session", {
    params: z.object({ key: z.string().min(1) }),
    result: z.discriminatedUnion("state", [
      z.object({ state: z.literal("identical"), ...counts }),
      z.object({
        state: z.literal("different"),
        ...counts,
        divergence: z.object({
          turnId: z.string(),
          what: z.string(),
          recorded: z.string(),
          replayed: z.string(),
        }),
      }),
      z.object({ state: z.literal("gone"), reason: z.string() }),
    ]),
  }),
  timeoutMs: REPLAY_MS,
};
