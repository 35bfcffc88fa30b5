/**
 * The first connection of a new bot, and the first message over it: the proof that everything is
 * switched on.
 * @module
 */

import { sleep } from "../../../actors/kernel/clock.ts";
import { seededRandom } from "../../../actors/kernel/random.ts";
import type { SetupScene } from "../../setup.ts";
import { Session, type SessionEnd } from "../gateway/session.ts";
import type { DiscordLink } from "../link.ts";
import { messageSchema, type User } from "../wire.ts";

/** How long a connection may take. */
const CONNECT_MS = 20_000;
/** How long a person has for their message. */
const MESSAGE_MS = 5 * 60_000;

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

  constructor({ scene, ...options }: FirstContactOptions) {
    this.#scene = scene;
    this.#session = new Session({
      ...options,
      clock: scene.clock,
      random: seededRandom(0), // spreads heartbeats of many; here is one
      resumption: null,
      sequence: () => null,
      onReady: () => this.#ready.resolve(null),
      onResumed: () => {},
      onEvent: (_sequence, type, data) => {
        if (type === "MESSAGE_CREATE") this.#take(data);
      },
    }, AbortSignal.any([scene.signal, this.#stop.signal]));
  }

  /** Waits until it is up: null, or how it ended before. */
  async connected(): Promise<SessionEnd | null> {
    const detail = "no answer in time";
    const late: SessionEnd = { state: "lost", detail, canResume: false, waitMs: 0 };
    return await this.#within(CONNECT_MS, late, [this.#ready.promise, this.#session.ended]);
  }

  /** The first person who writes; null when nobody does in time, or Enter is pressed. */
  async firstSender(): Promise<User | null> {
    const over = new AbortController();
    const skipped = this.#scene.ask("", { signal: over.signal }).then(() => null, () => null);
    try {
      return await this.#within(MESSAGE_MS, null, [this.#message.promise, skipped]);
    } finally {
      over.abort();
      await skipped;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#session.ended;
  }

  #take(data: unknown): void {
    const author = messageSchema.safeParse(data).data?.author;
    if (author !== undefined && !author.bot) this.#message.resolve(author);
  }

  async #within<T>(timeMs: number, late: T, outcomes: readonly Promise<T>[]): Promise<T> {
    const { clock, signal } = this.#scene;
    const over = new AbortController();
    const time = sleep(clock, timeMs, AbortSignal.any([signal, over.signal])).then(() => late);
    time.catch(() => {}); // its end is nobody's business once the race is won
    try {
      return await Promise.race([...outcomes, time]);
    } finally {
      over.abort();
    }
  }
}
