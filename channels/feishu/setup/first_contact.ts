/**
 * The first message to a new bot: the proof that everything is switched on.
 * @module
 */

import type { SetupScene } from "../../setup.ts";
import { connectedInTime, firstMessage } from "../../setup_steps.ts";
import type { ConnectionEnd, FeishuLink } from "../link.ts";
import { messageEventSchema } from "../wire.ts";

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
    return await connectedInTime(this.#scene, "no answer in time", [this.#ready.promise, failed]);
  }

  /** The open id of the first person who writes; null when nobody does in time, or Enter is pressed. */
  firstMessage(): Promise<string | null> {
    return firstMessage(this.#scene, this.#message.promise);
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
}
