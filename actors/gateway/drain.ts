/**
 * The orderly end of a gateway's work, before its actors stop.
 * @module
 */

import { getLogger } from "@logtape/logtape";
import { asError } from "../kernel/errors.ts";
import type { ActorRef } from "../kernel/ref.ts";
import type { ChannelActorMessage } from "./channel_actor.ts";
import type { Core } from "./core.ts";

const logger = getLogger(["troupe", "gateway"]);

/** Running turns may go on this long when the gateway stops; the rest goes on at the next start. */
const TURNS_GRACE_MS = 10_000;
const OUTBOX_GRACE_MS = 5_000;
const CHANNEL_STOP_MS = 6_000;

/**
 * Takes nothing more in and lets what is under way come to its end: running turns, replies,
 * connections, in this order and each within its time.
 */
export async function drain(
  core: Pick<Core, "gate" | "outboxes">,
  channels: ReadonlyMap<string, ActorRef<ChannelActorMessage>>,
): Promise<void> {
  for (const channel of channels.values()) channel.tell({ type: "stop_intake" });
  await settled(
    "running turns",
    core.gate.ask(
      (replyTo) => ({ type: "close_gate", replyTo }),
      { timeoutMs: TURNS_GRACE_MS },
    ),
  );
  await Promise.all([...core.outboxes.values()].map((outbox) =>
    settled(
      outbox.name,
      outbox.ask(
        (replyTo) => ({ type: "drain_outbox", replyTo }),
        { timeoutMs: OUTBOX_GRACE_MS },
      ),
    )
  ));
  await Promise.all([...channels.values()].map((channel) =>
    settled(
      channel.name,
      channel.ask(
        (replyTo) => ({ type: "stop_channel", replyTo }),
        { timeoutMs: CHANNEL_STOP_MS },
      ),
    )
  ));
}

/** What does not end in time is not lost: the journal has it. */
async function settled(what: string, ending: Promise<unknown>): Promise<void> {
  try {
    await ending;
  } catch (error) {
    logger.info("Stopped before {what} came to an end: {reason}", {
      what,
      reason: asError(error).message,
    });
  }
}
