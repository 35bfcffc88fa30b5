/**
 * `/restart`: what it asks for, and the word in its chat once the gateway is back.
 * @module
 */

import { getLogger } from "@logtape/logtape";
import { z } from "zod";
import type { Inbound, Journal, NewOutbound } from "../journal/journal.ts";
import type { Clock } from "../kernel/clock.ts";
import { asError } from "../kernel/errors.ts";
import type { JsonObject } from "../kernel/json.ts";
import type { ActorRef } from "../kernel/ref.ts";
import type { OutboxMessage, RestartPort } from "../session/ports.ts";

const logger = getLogger(["troupe", "gateway", "restart"]);

/** The journal's note about a restart that was asked for. */
const NOTE_KEY = "restart";

/** Who asked, and when. */
interface RestartNote {
  readonly channel: string;
  readonly chatId: string;
  readonly sessionKey: string;
  readonly context: JsonObject;
  /** Epoch milliseconds. */
  readonly askedAtMs: number;
}

const noteSchema: z.ZodType<RestartNote> = z.object({
  channel: z.string(),
  chatId: z.string(),
  sessionKey: z.string(),
  context: z.record(z.string(), z.json()),
  askedAtMs: z.number(),
});

/** What restarts need. */
export interface RestartOptions {
  readonly clock: Clock;
  /** Ends the process in good order, so that it is started again. */
  readonly request: () => void;
}

/** How the sessions of a gateway restart it. */
export function restartPort({ clock, request }: RestartOptions): RestartPort {
  return {
    noteFor: ({ channel, replyChannel, chatId, sessionKey, context }: Inbound) => ({
      key: NOTE_KEY,
      value: {
        channel: replyChannel ?? channel,
        chatId,
        sessionKey,
        context,
        askedAtMs: clock.now(),
      },
    }),
    request,
  };
}

/** What the word about a restart needs. */
export interface AnnounceOptions {
  readonly journal: Pick<Journal, "commit" | "note">;
  readonly clock: Clock;
  readonly outbox: (channel: string) => ActorRef<OutboxMessage> | undefined;
}

/**
 * Says in the chat that asked for a restart that it is done, as soon as its channel is ready; once,
 * whatever dies. Never rejects.
 */
export async function announceRestart(
  { journal, clock, outbox }: AnnounceOptions,
): Promise<void> {
  try {
    const parsed = noteSchema.safeParse(await journal.note(NOTE_KEY));
    if (!parsed.success) return;
    const [row] = await journal.commit({
      notes: [{ key: NOTE_KEY, value: null }],
      outbounds: [announcement(parsed.data, clock.now())],
    });
    if (row !== undefined) outbox(row.channel)?.tell({ type: "row_committed", row });
  } catch (error) {
    logger.warn("Cannot say that the restart is done: {reason}", {
      reason: asError(error).message,
    });
  }
}

function announcement(
  { askedAtMs, ...place }: RestartNote,
  nowMs: number,
): NewOutbound {
  const seconds = Math.max(0, nowMs - askedAtMs) / 1_000;
  return {
    ...place,
    key: `restart:${askedAtMs}`,
    state: "pending",
    content: `Restart completed in ${seconds.toFixed(1)} s.`,
    preamble: "",
    media: [],
    isPlain: true,
    settles: [],
  };
}
