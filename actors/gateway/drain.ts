/**
 * The orderly end of a gateway's work, before its actors stop.
 * @module
 */

import { getLogger } from "@logtape/logtape";
import { untilAborted } from "../kernel/aborting.ts";
import { asError } from "../kernel/errors.ts";
import type { ActorRef } from "../kernel/ref.ts";
import type { ChannelActorMessage } from "./channel_protocol.ts";
import type { Core } from "./core.ts";

const logger = getLogger(["troupe", "gateway"]);

/** Running turns may go on this long when the gateway stops; the rest goes on at the next start. */
const TURNS_GRACE_MS = 10_000;
const OUTBOX_GRACE_MS = 5_000;
const CHANNEL_STOP_MS = 6_000;

/** What an end in good order takes besides. */
export interface DrainOptions {
  /**
   * The journal's: nothing that goes on after it aborts could be written down, be it the result of
   * a call or that a reply is out, so turns and replies are waited for no longer.
   */
  readonly lost: AbortSignal;
  /** Gets one line for each step that is over. @default nobody reads them */
  readonly print?: (line: string) => void;
}

/**
 * Takes nothing more in and lets what is under way come to its end: running turns, replies,
 * connections, in this order and each within its time.
 */
export async function drain(
  core: Pick<Core, "gate" | "outboxes">,
  channels: ReadonlyMap<string, ActorRef<ChannelActorMessage>>,
  { lost, print = () => {} }: DrainOptions,
): Promise<void> {
  for (const channel of channels.values()) channel.tell({ type: "stop_intake" });
  const turns = core.gate.ask<"empty">(
    (replyTo) => ({ type: "close_gate", replyTo }),
    { timeoutMs: TURNS_GRACE_MS },
  );
  const areTurnsOver = await hasSettled("running turns", untilAborted(turns, lost));
  print(areTurnsOver ? "  Turns: finished" : "  Turns: cut short, they go on at the next start");

  const drained = await Promise.all([...core.outboxes.values()].map((outbox) => {
    const replies = outbox.ask<"drained">(
      (replyTo) => ({ type: "drain_outbox", replyTo }),
      { timeoutMs: OUTBOX_GRACE_MS },
    );
    return hasSettled(outbox.name, untilAborted(replies, lost));
  }));
  const areRepliesOut = drained.every((isOver) => isOver);
  print(areRepliesOut ? "  Replies: sent" : "  Replies: some wait for the next start");

  await Promise.all([...channels.values()].map((channel) =>
    hasSettled(
      channel.name,
      channel.ask<"stopped">(
        (replyTo) => ({ type: "stop_channel", replyTo }),
        { timeoutMs: CHANNEL_STOP_MS },
      ),
    )
  ));
  print("  Channels: closed");
}

/** What does not end in time is not lost: the journal has it. */
async function hasSettled(what: string, ending: Promise<unknown>): Promise<boolean> {
  try {
    await ending;
    return true;
  } catch (error) {
    logger.info("Stopped before {what} came to an end: {reason}", {
      what,
      reason: asError(error).message,
    });
    return false;
  }
}
