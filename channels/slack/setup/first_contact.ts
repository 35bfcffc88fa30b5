/**
 * The first message to a new app: the proof that everything is switched on.
 * @module
 */

import type { SetupScene } from "../../setup.ts";
import { connectedInTime, firstMessage } from "../../setup_steps.ts";
import type { Envelope, SlackLink, SlackSocket } from "../link.ts";
import { eventSchema, type Identity } from "../wire.ts";

/** What waiting needs. */
export interface FirstContactOptions {
  readonly link: SlackLink;
  /** Address for one socket. */
  readonly url: string;
  readonly bot: Identity;
  readonly scene: SetupScene;
}

/** A socket that waits for one message; dispose of it to close it. */
export class FirstContact implements AsyncDisposable {
  readonly #scene: SetupScene;
  readonly #socket: SlackSocket;
  readonly #ready: Promise<void>;
  readonly #message: Promise<string>;

  private constructor(
    scene: SetupScene,
    socket: SlackSocket,
    told: { readonly ready: Promise<void>; readonly message: Promise<string> },
  ) {
    this.#scene = scene;
    this.#socket = socket;
    this.#ready = told.ready;
    this.#message = told.message;
  }

  /** Opens the socket. @throws {SlackUnreachableError} */
  static async open({ link, url, bot, scene }: FirstContactOptions): Promise<FirstContact> {
    const ready = Promise.withResolvers<void>();
    const message = Promise.withResolvers<string>();
    const socket = await link.open(url, {
      onReady: () => ready.resolve(),
      onFrame: () => {},
      onEnvelope: (envelope) => {
        const user = senderOf(envelope, bot);
        if (user !== "") message.resolve(user);
        // A person's message is not acknowledged: the gateway shall have it when it starts.
        return Promise.resolve(user === "" ? {} : null);
      },
    }, scene.signal);
    return new FirstContact(scene, socket, { ready: ready.promise, message: message.promise });
  }

  /** Waits until Slack greets: null, or in words why it does not. */
  async connected(): Promise<string | null> {
    const ended = this.#socket.end.then((end) =>
      end.state === "disabled"
        ? "Socket Mode is switched off"
        : end.state === "lost"
        ? end.detail
        : "Slack closed it"
    );
    const greeted = this.#ready.then(() => null);
    return await connectedInTime(this.#scene, "no greeting in time", [greeted, ended]);
  }

  /** The id of the first person who writes; null when nobody does in time, or Enter is pressed. */
  firstMessage(): Promise<string | null> {
    return firstMessage(this.#scene, this.#message);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#socket.close();
  }
}

function senderOf({ type, payload }: Envelope, bot: Identity): string {
  if (type !== "events_api") return "";
  const event = eventSchema.safeParse(payload).data?.event;
  return event === undefined || event.user === bot.user_id ? "" : event.user;
}
