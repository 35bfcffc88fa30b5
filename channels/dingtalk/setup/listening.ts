/**
 * A stream for the time of a set-up: it tells that messages come, and whose the first one is.
 * @module
 */

import type { SetupScene } from "../../setup.ts";
import type { Person } from "../../setup_steps.ts";
import type { DingTalkApi } from "../api.ts";
import type { DingTalkLink } from "../link.ts";
import { senderOf } from "../receive/message.ts";
import { Stream } from "../stream.ts";
import { robotMessageSchema } from "../wire.ts";

/** A stream that is listened to. */
export interface Listening {
  /** Null once it is open; else, in words, why it is not. Never rejects. */
  readonly connected: Promise<string | null>;
  /** Who wrote first. Never rejects, and may never resolve. */
  readonly sender: Promise<Person>;
  /** Resolves when it is closed. Never rejects. */
  readonly ended: Promise<void>;
}

/** What listening needs. */
export interface ListenOptions {
  readonly api: Pick<DingTalkApi, "streamAddress">;
  readonly link: Pick<DingTalkLink, "open">;
  readonly scene: Pick<SetupScene, "clock">;
  /** Ends it. */
  readonly signal: AbortSignal;
}

/** Listens until `signal` aborts. Nothing is answered: the gateway shall have the message. */
export function listen({ api, link, scene: { clock }, signal }: ListenOptions): Listening {
  const connected = Promise.withResolvers<string | null>();
  const sender = Promise.withResolvers<Person>();
  const onMessage = (data: string): Promise<boolean> => {
    const person = personIn(data);
    if (person !== null) sender.resolve(person);
    return Promise.resolve(false);
  };
  const run = async (): Promise<void> => {
    const address = await api.streamAddress(signal);
    const stream = await Stream.open({ address, link, clock, onMessage }, signal);
    connected.resolve(null);
    await stream.ended(signal);
    await stream.close();
  };
  const ended = run().catch((error) => {
    connected.resolve(error instanceof Error ? error.message : String(error));
  });
  return { connected: connected.promise, sender: sender.promise, ended };
}

function personIn(data: string): Person | null {
  const message = robotMessageSchema.safeParse(JSON.parse(data)).data;
  if (message === undefined) return null;
  const id = senderOf(message);
  return id === "" ? null : { id, shown: `${message.senderNick} (${id})` };
}
