/**
 * Slack's side of Socket Mode: who is connected, what is handed over, what was not acknowledged and
 * comes again.
 * @module
 */

import type { Clock, Timer } from "../../../actors/kernel/clock.ts";
import type { JsonObject } from "../../../actors/kernel/json.ts";

/** How long an app has for its acknowledgement. */
const ACK_MS = 3_000;
/** What was not acknowledged comes again: nearly at once, after a minute, after five. */
const RETRIES_MS: readonly number[] = [100, 60_000, 300_000];

/** Something handed over. */
export interface Delivery {
  readonly envelopeId: string;
  readonly type: string;
  readonly payload: JsonObject;
  attempts: number;
  /** What the acknowledgement carried; undefined while there is none. */
  answer: unknown;
  isAcknowledged: boolean;
  timer: Timer | null;
}

/** All sockets of one app. */
export class Sockets {
  readonly deliveries: Delivery[] = [];
  /** What new sockets are told in place of a greeting; undefined greets. */
  greeting: JsonObject | undefined;
  /** Whether acknowledgements are asked for again at all. @default true */
  repeats = true;
  readonly #clock: Clock;
  readonly #open = new Set<WebSocket>();
  #envelopes = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get open(): number {
    return this.#open.size;
  }

  /** Takes a socket in and greets it. */
  admit(socket: WebSocket): void {
    socket.onopen = () => {
      this.#open.add(socket);
      const hello = { type: "hello", num_connections: this.#open.size };
      socket.send(JSON.stringify(this.greeting ?? hello));
    };
    socket.onclose = () => void this.#open.delete(socket);
    socket.onmessage = ({ data }) => this.#take(String(data));
  }

  /** Hands something over, until it is acknowledged. */
  deliver(type: string, payload: JsonObject): Delivery {
    const delivery: Delivery = {
      envelopeId: `envelope-${++this.#envelopes}`,
      type,
      payload,
      attempts: 0,
      answer: undefined,
      isAcknowledged: false,
      timer: null,
    };
    this.deliveries.push(delivery);
    this.#attempt(delivery);
    return delivery;
  }

  /** Hands something over once more although it was acknowledged. */
  repeat(delivery: Delivery): void {
    this.#send(delivery);
  }

  /** Says something to all sockets. */
  say(frame: JsonObject): void {
    for (const socket of this.#open) socket.send(JSON.stringify(frame));
  }

  /** Says something that is no frame. */
  babble(text: string): void {
    for (const socket of this.#open) socket.send(text);
  }

  /** Ends all sockets. @param code @default 1000, in good order */
  closeAll(code = 1000): void {
    for (const socket of this.#open) socket.close(code);
  }

  /** Nothing is repeated any more. */
  end(): void {
    for (const { timer } of this.deliveries) timer?.cancel();
    this.closeAll();
  }

  #attempt(delivery: Delivery): void {
    const retryMs = RETRIES_MS[delivery.attempts];
    const isSent = this.#send(delivery);
    delivery.attempts++;
    if (retryMs === undefined || !this.repeats) return;
    delivery.timer = this.#clock.setTimer((isSent ? ACK_MS : 0) + retryMs, () => {
      if (!delivery.isAcknowledged) this.#attempt(delivery);
    });
  }

  #send({ envelopeId, type, payload, attempts }: Delivery): boolean {
    const [socket] = this.#open;
    if (socket === undefined || socket.readyState !== WebSocket.OPEN) return false;
    socket.send(JSON.stringify({
      envelope_id: envelopeId,
      type,
      payload,
      accepts_response_payload: type !== "events_api",
      ...(type === "events_api" && {
        retry_attempt: attempts,
        retry_reason: attempts > 0 ? "timeout" : "",
      }),
    }));
    return true;
  }

  #take(text: string): void {
    const frame: { readonly envelope_id?: string; readonly payload?: unknown } = JSON.parse(text);
    const delivery = this.deliveries.find(({ envelopeId }) => envelopeId === frame.envelope_id);
    if (delivery === undefined) return;
    delivery.isAcknowledged = true;
    delivery.answer = frame.payload;
    delivery.timer?.cancel();
  }
}
