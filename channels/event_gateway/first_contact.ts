/**
 * The first connection of a new bot, and the first message over it: the proof that everything is
 * switched on.
 * @module
 */

import { seededRandom } from "../../actors/kernel/random.ts";
import type { SetupScene } from "../setup.ts";
import { connectedInTime, firstMessage } from "../setup_steps.ts";
import type { Entrance } from "./connection.ts";
import { type GatewayDialect, Session, type SessionEnd } from "./session.ts";
import type { OpenSocket } from "./socket.ts";

/** What a first contact needs. */
export interface FirstContactOptions<Sender> extends Entrance {
  readonly scene: SetupScene;
  readonly dialect: GatewayDialect;
  readonly openSocket: OpenSocket;
  /** Who wrote what an event tells of; null for what no person wrote. */
  readonly senderOf: (type: string, data: unknown) => Sender | null;
}

/** A connection that waits for one message; dispose of it to close it. */
export class FirstContact<Sender> implements AsyncDisposable {
  readonly #scene: SetupScene;
  readonly #stop = new AbortController();
  readonly #ready = Promise.withResolvers<null>();
  readonly #message = Promise.withResolvers<Sender>();
  readonly #session: Session;

  constructor({ scene, senderOf, ...options }: FirstContactOptions<Sender>) {
    this.#scene = scene;
    this.#session = new Session({
      ...options,
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
        const sender = senderOf(type, data);
        if (sender !== null) this.#message.resolve(sender);
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
  firstSender(): Promise<Sender | null> {
    return firstMessage(this.#scene, this.#message.promise);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#session.ended;
  }
}
