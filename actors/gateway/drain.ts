/**
 * The orderly end of a gateway's work, before its actors stop.
 * @module
 */

import { getLogger } from "@logtape/logtape";
import { asError } from "../kernel/errors.ts";
import type { ActorRef } from "../kernel/ref.ts";
import type { ChannelActorMessage } from "./channel_protocol.ts";
import type { Core } from "./core.ts";

const logger = getLogger(["troupe", "gateway"]);

/** Running turns may go on this long when the gateway stops; the rest goes on at the next start. */
const TURNS_GRACE_MS = 10_000;
const OUTBOX_GRACE_MS = 5_000;
const CHANNEL_STOP_MS = 6_000;

/**
 * Takes nothing more in and lets what is under way come to its end: running turns, replies,
 * connections, in this order and each within its time.
 *
 * @param print gets one line for each step that is over
 */
export async function drain(
  core: Pick<Core, "gate" | "outboxes">,
  channels: ReadonlyMap<string, ActorRef<ChannelActorMessage>>,
  print: (line: string) => void = () => {},
): Promise<void> {
  for (const channel of channels.values()) channel.tell({ type: "stop_intake" });
  const turns = core.gate.ask<"empty">(
    (replyTo) => ({ type: "close_gate", replyTo }),
    { timeoutMs: TURNS_GRACE_MS },
  );
  const areTurnsOver = await hasSettled("running turns", turns);
  print(areTurnsOver ? "  Turns: finished" : "  Turns: cut short, they go on at the next start");

  const drained = await Promise.all([...core.outboxes.values()].map((outbox) =>
    hasSettled(
      outbox.name,
      outbox.ask<"drained">(
        (replyTo) => ({ type: "drain_outbox", replyTo }),
        { timeoutMs: OUTBOX_GRACE_MS },
      ),
    )
  ));
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
