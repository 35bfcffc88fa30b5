/**
 * Asks a session to leave, so that nothing of it is under way any more.
 * @module
 */

import { AskError } from "../kernel/errors.ts";
import type { ActorRef } from "../kernel/ref.ts";
import type { SessionMessage } from "../session/ports.ts";

/** A session answers at its next message. */
const LEAVE_MS = 5_000;

/** Whether a session leaves, or has left before; one that is at work goes on with that. */
export async function leaves(session: ActorRef<SessionMessage>): Promise<boolean> {
  try {
    return await session.ask<boolean>((replyTo) => ({ type: "leave", replyTo }), {
      timeoutMs: LEAVE_MS,
    });
  } catch (error) {
    if (!(error instanceof AskError)) throw error;
    return error.code === "ask_closed";
  }
}
