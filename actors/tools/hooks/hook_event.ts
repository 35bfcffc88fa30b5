/**
 * What hooks hear, and what they may answer. This is what the modules and scripts of owners see:
 * fields are added here, and never change their meaning.
 * @module
 */

import { z } from "zod";
import type { HookEventName } from "../../config/schema/hooks.ts";
import type { SystemSource } from "../../journal/journal.ts";
import type { JsonObject, JsonValue } from "../../kernel/json.ts";

/** Which turn of which conversation. */
export type HookedTurn = {
  /** The session's key. */
  readonly session: string;
  readonly turn: string;
  /** Where its answers go. */
  readonly channel: string;
  readonly chat: string;
  /** Whose message began it, in their channel's words; null where no person did. */
  readonly sender: string | null;
  /** Who began it. */
  readonly source: "person" | SystemSource;
};

/** A tool call. */
export type HookedCall = HookedTurn & {
  /** The call's id within its turn. */
  readonly call: string;
  readonly tool: string;
  /** As the model gave them, but for secrets. */
  readonly arguments: JsonObject;
};

/** A turn begins, or goes on after a restart. */
export type TurnStartNews = HookedTurn & {
  readonly event: "turn_start";
  readonly isAgain: boolean;
};

/** A turn is over. `interrupted`: it goes on after a restart; `paused`: once a budget has room. */
export type TurnEndNews = HookedTurn & {
  readonly event: "turn_end";
  readonly outcome: "done" | "failed" | "stopped" | "paused" | "interrupted";
  readonly durationMs: number;
  /** Rounds of tools. */
  readonly rounds: number;
};

/** A call is about to run; the one event that takes an answer. */
export type ToolBeforeNews = HookedCall & { readonly event: "tool_before" };

/** A call has ended. */
export type ToolAfterNews = HookedCall & {
  readonly event: "tool_after";
  /** `aborted`: its turn was stopped; `error` also where it was refused. */
  readonly outcome: "ok" | "error" | "aborted";
  readonly durationMs: number;
  /** The text of its result, or the beginning of it. */
  readonly result: string;
};

/** A channel took a message in. */
export type MessageInNews = {
  readonly event: "message_in";
  readonly session: string;
  readonly channel: string;
  readonly chat: string;
  readonly sender: string;
  /** The platform's id. */
  readonly id: string;
  readonly text: string;
  /** Files that came with it. */
  readonly files: number;
};

/** A message left by a channel, or could not. `unknown`: it may have arrived. */
export type MessageOutNews = {
  readonly event: "message_out";
  readonly session: string;
  readonly channel: string;
  readonly chat: string;
  readonly outcome: "sent" | "failed" | "unknown";
  readonly text: string;
  readonly files: number;
};

/** A channel's connection is another than before. */
export type ChannelStateNews = {
  readonly event: "channel_state";
  readonly channel: string;
  /** `ready`, `connecting`, `reconnecting`, `failed` or `stopped`. */
  readonly state: string;
  readonly detail: string;
};

/** What happened. */
export type HookNews =
  | TurnStartNews
  | TurnEndNews
  | ToolBeforeNews
  | ToolAfterNews
  | MessageInNews
  | MessageOutNews
  | ChannelStateNews;

/** What a hook gets. */
export type HookEvent = HookNews & {
  /** Epoch milliseconds. */
  readonly atMs: number;
};

/** What a hook may answer to `tool_before`; nothing lets the call run. */
export type HookAnswer =
  | { readonly decision: "allow" }
  /** The model reads the reason. */
  | { readonly decision: "refuse"; readonly reason: string };

/** What a function of a hook's module is told besides the event. */
export interface HookContext {
  /** Aborts when its time is over. */
  readonly signal: AbortSignal;
}

/** A call by this name asks a hook's host which events its module has functions for. */
export const DESCRIBE_HOOKS = "describe_hooks";

/** A module's hooks: it exports a function under the name of each event. */
export type HookModule = {
  readonly [Name in HookEventName]?: (
    event: Extract<HookEvent, { readonly event: Name }>,
    context: HookContext,
  ) => HookReply<Name> | Promise<HookReply<Name>>;
};

/** What such a function gives. */
export type HookReply<Name extends HookEventName> = Name extends "tool_before"
  ? HookAnswer | undefined | void
  : unknown;

/** Who is told of what happens. Never waits, and never fails. */
export interface HookListener {
  tell(news: HookNews): void;
}

/** Who also has a say in calls. */
export interface HooksPort extends HookListener {
  /**
   * Why a call may not run, as half a sentence for the model; null when it may.
   *
   * @throws the signal's reason when it aborts
   */
  refusal(call: HookedCall, signal: AbortSignal): Promise<string | null>;
}

const REASON_CHARS_MAX = 1_000;

const answerSchema: z.ZodType<HookAnswer | null> = z.discriminatedUnion("decision", [
  z.object({ decision: z.literal("allow") }),
  z.object({
    decision: z.literal("refuse"),
    reason: z.string().trim().min(1).transform((text) => text.slice(0, REASON_CHARS_MAX)),
  }),
]).nullable();

/** What a hook said; undefined where that is no answer. */
export function parseAnswer(said: JsonValue): HookAnswer | null | undefined {
  return answerSchema.safeParse(said).data;
}
