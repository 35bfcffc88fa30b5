/**
 * The first message to a new bot: the proof that everything is switched on.
 * @module
 */

import { sleep } from "../../../actors/kernel/clock.ts";
import type { SetupScene } from "../../setup.ts";
import type { ConnectionEnd, FeishuLink } from "../link.ts";
import { messageEventSchema } from "../wire.ts";

/** How long a connection may take. */
const CONNECT_MS = 20_000;
/** How long a person has for their message. */
const MESSAGE_MS = 5 * 60_000;

/** A connection that waits for one message; dispose of it to close it. */
export class FirstContact implements AsyncDisposable {
  readonly #scene: SetupScene;
  readonly #stop = new AbortController();
  readonly #ready = Promise.withResolvers<null>();
  readonly #message = Promise.withResolvers<string>();
  readonly #ended: Promise<ConnectionEnd>;

  constructor(link: FeishuLink, scene: SetupScene) {
    this.#scene = scene;
    const signal = AbortSignal.any([scene.signal, this.#stop.signal]);
    this.#ended = link.connect({
      onReady: () => this.#ready.resolve(null),
      onFrame: () => {},
      onEvent: () => {},
      onPress: () => Promise.resolve(true),
      onMessage: (event) => this.#take(event),
    }, signal);
  }

  /** Waits until it is up: null, or in words why it is not. */
  async connected(): Promise<string | null> {
    const failed = this.#ended.then((end) =>
      end.state === "refused" ? `refused (code ${end.code}: ${end.detail})` : "it was lost at once"
    );
    return await this.#within(CONNECT_MS, "no answer in time", [this.#ready.promise, failed]);
  }

  /** The open id of the first person who writes; null when nobody does in time, or Enter is pressed. */
  async firstMessage(): Promise<string | null> {
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
    await this.#ended;
  }

  /** It is not acknowledged: the gateway shall have it when it starts. */
  #take(event: unknown): Promise<boolean> {
    const sender = messageEventSchema.safeParse(event).data?.sender.sender_id;
    const openId = sender?.open_id ?? "";
    if (openId !== "") this.#message.resolve(openId);
    return Promise.resolve(openId === "");
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
