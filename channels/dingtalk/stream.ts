/**
 * One stream of DingTalk's Stream mode: frames in, an answer to each, and its end
 * (https://open.dingtalk.com/document/orgapp/stream).
 * @module
 */

import { getLogger } from "@logtape/logtape";
import { untilAborted } from "../../actors/kernel/aborting.ts";
import type { Clock, Timer } from "../../actors/kernel/clock.ts";
import { ROBOT_TOPIC } from "./api.ts";
import type { DingTalkLink, TextSocket } from "./link.ts";
import { frameSchema, type StreamFrame } from "./wire.ts";

const logger = getLogger(["troupe", "dingtalk", "stream"]);

/**
 * Takes what the robot was told.
 *
 * @param deliveryId of this delivery, which a repetition shares
 * @returns whether DingTalk may forget it; what is not answered comes again after a minute
 */
export type RobotHandler = (data: string, deliveryId: string) => Promise<boolean>;

/** What a stream needs. */
export interface StreamOptions {
  readonly address: string;
  readonly link: Pick<DingTalkLink, "open">;
  readonly clock: Clock;
  readonly onMessage: RobotHandler;
}

/** Why a stream is of no use any more. `renew`: another one shall take its place at once. */
export interface StreamEnd {
  readonly state: "renew" | "lost";
  /** For people. */
  readonly detail: string;
}

/** DingTalk gives a sign of life every half minute; a stream that gives none brings nothing either. */
const SILENCE_MS = 100_000;
/** How long what is being handed in may hold up a close. */
const CLOSE_GRACE_MS = 1_000;

/** An open stream. */
export class Stream {
  readonly #options: StreamOptions;
  readonly #end = Promise.withResolvers<StreamEnd>();
  readonly #handlingNow = new Set<Promise<void>>();
  /** Frames that came before the socket was given. */
  #early: string[] = [];
  #socket: TextSocket | null = null;
  #silence: Timer | null = null;
  #isClosed = false;

  private constructor(options: StreamOptions) {
    this.#options = options;
  }

  /** Opens a stream. @throws what the link throws */
  static async open(options: StreamOptions, signal: AbortSignal): Promise<Stream> {
    const stream = new Stream(options);
    const socket = await options.link.open(options.address, (text) => stream.#hear(text), signal);
    stream.#begin(socket);
    return stream;
  }

  /** Waits until it is of no use any more, or `signal` aborts; never rejects. */
  async ended(signal: AbortSignal): Promise<StreamEnd> {
    try {
      return await untilAborted(this.#end.promise, signal);
    } catch {
      return { state: "lost", detail: "the channel stops" };
    }
  }

  /** Answers what is being handed in, if that is soon, and closes. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#silence?.cancel();
    const { clock } = this.#options;
    if (this.#handlingNow.size > 0) {
      const grace = Promise.withResolvers<void>();
      const timer = clock.setTimer(CLOSE_GRACE_MS, () => grace.resolve());
      await Promise.race([Promise.allSettled(this.#handlingNow), grace.promise]);
      timer.cancel();
    }
    await this.#socket?.close();
  }

  #begin(socket: TextSocket): void {
    this.#socket = socket;
    void socket.closed.then(({ detail }) => this.#end.resolve({ state: "lost", detail }));
    this.#watch();
    for (const text of this.#early) this.#take(text);
    this.#early = [];
  }

  #hear(text: string): void {
    if (this.#socket === null) this.#early.push(text);
    else this.#take(text);
  }

  #take(text: string): void {
    if (this.#isClosed) return;
    this.#watch();
    const frame = frameOf(text);
    if (frame === null) return;
    switch (frame.type) {
      case "SYSTEM":
        return this.#takeSystem(frame);
      case "CALLBACK":
        return this.#takeCallback(frame);
      case "EVENT":
        return this.#answer(frame, JSON.stringify({ status: "SUCCESS" }));
      default:
        logger.debug("Ignored a frame of type {type}", { type: frame.type });
    }
  }

  #takeSystem(frame: StreamFrame): void {
    switch (frame.headers.topic) {
      case "ping":
        return this.#answer(frame, frame.data);
      case "disconnect":
        return this.#end.resolve({ state: "renew", detail: "DingTalk wants a new stream" });
    }
  }

  #takeCallback(frame: StreamFrame): void {
    const { topic, messageId } = frame.headers;
    if (topic !== ROBOT_TOPIC) return this.#answer(frame, JSON.stringify({ response: {} }));
    const work = async (): Promise<void> => {
      const isTaken = await this.#options.onMessage(frame.data, messageId);
      if (isTaken) this.#answer(frame, JSON.stringify({ response: {} }));
    };
    const handling = work().catch((error) =>
      logger.error("Cannot take a message: {error}", { error })
    )
      .finally(() => this.#handlingNow.delete(handling));
    this.#handlingNow.add(handling);
  }

  #answer({ headers }: StreamFrame, data: string): void {
    const answer = { code: 200, message: "OK", headers: answerHeaders(headers), data };
    this.#socket?.send(JSON.stringify(answer));
  }

  #watch(): void {
    this.#silence?.cancel();
    this.#silence = this.#options.clock.setTimer(SILENCE_MS, () => {
      this.#end.resolve({ state: "renew", detail: "nothing was heard any more" });
    });
  }
}

function answerHeaders(headers: StreamFrame["headers"]): StreamFrame["headers"] {
  return headers.topic === "ping" ? headers : { ...headers, contentType: "application/json" };
}

function frameOf(text: string): StreamFrame | null {
  try {
    return frameSchema.safeParse(JSON.parse(text)).data ?? null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}
