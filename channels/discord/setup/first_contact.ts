/**
 * The first connection of a new bot, and the first message over it: the proof that everything is
 * switched on.
 * @module
 */

import { seededRandom } from "../../../actors/kernel/random.ts";
import type { SetupScene } from "../../setup.ts";
import { connectedInTime, firstMessage } from "../../setup_steps.ts";
import { Session, type SessionEnd } from "../../event_gateway/session.ts";
import { dialectFor } from "../gateway/connection.ts";
import type { DiscordLink } from "../link.ts";
import { messageSchema, type User } from "../wire.ts";

/** What a first contact needs. */
export interface FirstContactOptions {
  readonly link: DiscordLink;
  readonly scene: SetupScene;
  readonly token: string;
  readonly intents: number;
  readonly url: string;
}

/** A connection that waits for one message; dispose of it to close it. */
export class FirstContact implements AsyncDisposable {
  readonly #scene: SetupScene;
  readonly #stop = new AbortController();
  readonly #ready = Promise.withResolvers<null>();
  readonly #message = Promise.withResolvers<User>();
  readonly #session: Session;

  constructor({ scene, link, intents, ...options }: FirstContactOptions) {
    this.#scene = scene;
    this.#session = new Session({
      ...options,
      dialect: dialectFor(intents),
      openSocket: (address, handlers) => link.openSocket(address, handlers),
      clock: scene.clock,
      random: seededRandom(0), // spreads heartbeats of many; here is one
      resumption: null,
      sequence: () => null,
      onReady: () => {
        this.#ready.resolve(null);
        return true;
      },
      onResumed: () => {},
      onEvent: (_sequence, type, data) => {
        if (type === "MESSAGE_CREATE") this.#take(data);
      },
    }, AbortSignal.any([scene.signal, this.#stop.signal]));
  }

  /** Waits until it is up: null, or how it ended before. */
  async connected(): Promise<SessionEnd | null> {
    const detail = "no answer in time";
    const late: SessionEnd = { state: "lost", detail, code: null, canResume: false, waitMs: 0 };
    return await connectedInTime(this.#scene, late, [this.#ready.promise, this.#session.ended]);
  }

  /** The first person who writes; null when nobody does in time, or Enter is pressed. */
  firstSender(): Promise<User | null> {
    return firstMessage(this.#scene, this.#message.promise);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#session.ended;
  }

  #take(data: unknown): void {
    const author = messageSchema.safeParse(data).data?.author;
    if (author !== undefined && !author.bot) this.#message.resolve(author);
  }
}
