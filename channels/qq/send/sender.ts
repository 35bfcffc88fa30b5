/**
 * Sends at a pace that the platform takes.
 * @module
 */

import type { Answering, MessageBody, QqApi, Upload } from "../api.ts";
import { isRateRefusal, toldWaitOf } from "../errors.ts";
import type { SendPace } from "./pace.ts";
import type { Place } from "./place.ts";

/** Sends for one bot. */
export class Sender {
  readonly #api: QqApi;
  readonly #pace: SendPace;

  constructor(api: QqApi, pace: SendPace) {
    this.#api = api;
    this.#pace = pace;
  }

  /** Sends a message. @returns its id */
  async send(
    place: Place,
    body: MessageBody,
    answering: Answering,
    signal: AbortSignal,
  ): Promise<string> {
    const { chatId } = place;
    const isPush = answering.messageId === null;
    try {
      return await this.#pace.run(
        { chatId, isPush },
        signal,
        () => this.#api.send(place, body, answering, signal),
      );
    } catch (error) {
      const waitMs = toldWaitOf(error);
      if (isRateRefusal(error) && waitMs > 0) this.#pace.hold(chatId, waitMs);
      throw error;
    }
  }

  /** Uploads a file. @returns by what a message names it */
  upload(place: Place, upload: Upload, signal: AbortSignal): Promise<string> {
    return this.#api.upload(place, upload, signal);
  }
}
