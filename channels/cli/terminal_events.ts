/**
 * What a terminal is told of its conversation, in this process and over the control door alike.
 * @module
 */

import { z } from "zod";
import type { HandInResult } from "../channel.ts";

/** Name of the channel and first part of its session keys. */
export const TERMINAL_CHANNEL = "cli";
/** The chat of whoever names no session. */
const DEFAULT_CHAT = "direct";

/** Which conversation a terminal takes part in. */
export interface TerminalPlace {
  readonly chatId: string;
  /** Session that was asked for; null: whichever the chat belongs to. */
  readonly sessionKey: string | null;
}

/** Checks a place. */
export const placeSchema: z.ZodType<TerminalPlace> = z.object({
  chatId: z.string().min(1).max(500),
  sessionKey: z.string().min(1).max(500).nullable(),
});

/** Something to show: an answer that grows or is final, or a word on the way. */
export interface ShownEvent {
  readonly type: "shown";
  readonly key: string;
  readonly phase: "growing" | "final";
  /** Whole text so far. */
  readonly text: string;
  /** Tools that run just now; "" for none. */
  readonly activity: string;
  /** Paths of files. */
  readonly media: readonly string[];
}

/** A message of this terminal came to its end. */
export interface SettledEvent {
  readonly type: "settled";
  readonly platformId: string;
  readonly outcome: "done" | "failed" | "stopped";
}

/** What a terminal is told. */
export type TerminalEvent = ShownEvent | SettledEvent;

/** Checks an event. */
export const terminalEventSchema: z.ZodType<TerminalEvent> = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("shown"),
    key: z.string(),
    phase: z.enum(["growing", "final"]),
    text: z.string(),
    activity: z.string(),
    media: z.array(z.string()),
  }),
  z.object({
    type: z.literal("settled"),
    platformId: z.string(),
    outcome: z.enum(["done", "failed", "stopped"]),
  }),
]);

/** What a person says, under an id of its own. */
export interface Said {
  readonly platformId: string;
  readonly content: string;
}

/** What became of what was said. */
export interface HandedInEvent {
  readonly type: "handed_in";
  readonly platformId: string;
  readonly result: HandInResult;
}

/** An event as scripts read it: one line of JSON, in the shapes of the control door. */
export function eventLine(event: TerminalEvent | HandedInEvent): string {
  return `${JSON.stringify(event)}\n`;
}

/** A terminal's way into its conversation. */
export interface TerminalLink extends Disposable {
  /** Hands a message in; resolves when it is durable. */
  say(said: Said): Promise<HandInResult>;
}

/**
 * The place that `--session` names: `x` means `cli:x`, a key with a channel in it is taken as it
 * is, and without it the chat is `direct`.
 */
export function terminalPlace(session: string | undefined): TerminalPlace {
  if (session === undefined || session === "") return { chatId: DEFAULT_CHAT, sessionKey: null };
  const sessionKey = session.includes(":") ? session : `${TERMINAL_CHANNEL}:${session}`;
  const [channel, ...rest] = sessionKey.split(":");
  const isOurs = channel === TERMINAL_CHANNEL && rest.join(":") !== "";
  return { chatId: isOurs ? rest.join(":") : DEFAULT_CHAT, sessionKey };
}
