/**
 * DingTalk's side of Stream mode: who is connected, what is brought, what was not answered and comes
 * again.
 * @module
 */

import { z } from "zod";
import type { Clock, Timer } from "../../../actors/kernel/clock.ts";
import type { JsonObject, JsonValue } from "../../../actors/kernel/json.ts";

const KEEP_ALIVE_MS = 30_000;
const ROBOT_TOPIC = "/v1.0/im/bot/messages/get";

/** What a stream was opened for. */
const subscriptionSchema = z.array(z.object({ type: z.string(), topic: z.string() }));

const answerSchema = z.object({
  code: z.literal(200),
  message: z.string(),
  headers: z.looseObject({ messageId: z.string(), contentType: z.literal("application/json") }),
  data: z.string(),
});

/** Something that is brought until it is answered. */
export interface Bringing {
  readonly messageId: string;
  readonly data: string;
  attempts: number;
  isAnswered: boolean;
  timer: Timer | null;
}

/** What streams are made of. */
export interface StreamsOptions {
  readonly clock: Clock;
  /** After that long, what was not answered comes again. */
  readonly repeatMs: number;
  /** The robot did what is not allowed. */
  readonly onViolation: (what: string) => void;
}

/** All streams of one app. */
export class Streams {
  readonly bringings: Bringing[] = [];
  /** What the robot answered to pings. */
  readonly pongs: JsonValue[] = [];
  /** Streams give signs of life. */
  livens = true;
  readonly #options: StreamsOptions;
  readonly #open = new Map<WebSocket, Timer | null>();
  /** Streams that DingTalk wants to end: nothing is brought over them. */
  readonly #ending = new Set<WebSocket>();
  readonly #tickets = new Set<string>();
  #count = 0;

  constructor(options: StreamsOptions) {
    this.#options = options;
  }

  get open(): number {
    return this.#open.size;
  }

  /** Gives a ticket for one stream. */
  ticketFor(subscriptions: unknown): string {
    const asked = subscriptionSchema.parse(subscriptions);
    if (!asked.some(({ type, topic }) => type === "CALLBACK" && topic === ROBOT_TOPIC)) {
      this.#options.onViolation("a stream that hears nothing");
    }
    const ticket = `ticket-${++this.#count}`;
    this.#tickets.add(ticket);
    return ticket;
  }

  /** Whether a ticket is good; it is used up then. */
  uses(ticket: string | null): boolean {
    return ticket !== null && this.#tickets.delete(ticket);
  }

  /** Takes a stream in. */
  admit(socket: WebSocket): void {
    socket.onopen = () => {
      this.#open.set(socket, null);
      this.#say(socket, "SYSTEM", "CONNECTED", {});
      this.#say(socket, "SYSTEM", "REGISTERED", {});
      this.#liven(socket);
    };
    socket.onclose = () => {
      this.#open.get(socket)?.cancel();
      this.#open.delete(socket);
      this.#ending.delete(socket);
    };
    socket.onmessage = ({ data }) => this.#take(String(data));
  }

  /** Brings something, until it is answered. */
  bring(data: JsonObject): Bringing {
    const bringing: Bringing = {
      messageId: `delivery-${++this.#count}`,
      data: JSON.stringify(data),
      attempts: 0,
      isAnswered: false,
      timer: null,
    };
    this.bringings.push(bringing);
    this.#attempt(bringing);
    return bringing;
  }

  /** Brings something once more although it was answered. */
  repeat(bringing: Bringing): void {
    this.#send(bringing);
  }

  /** Sends a ping of the protocol's own. */
  ping(data: JsonObject): void {
    for (const socket of this.#open.keys()) this.#say(socket, "SYSTEM", "ping", data);
  }

  /** Wants all streams to be replaced, and brings nothing more over them. */
  disconnect(): void {
    for (const socket of this.#open.keys()) {
      this.#ending.add(socket);
      this.#say(socket, "SYSTEM", "disconnect", { reason: "deploy" });
    }
  }

  /** Says something that is no frame, or one of another kind. */
  babble(text: string): void {
    for (const socket of this.#open.keys()) socket.send(text);
  }

  /** Ends all streams. */
  closeAll(code: number = 1000): void {
    for (const socket of this.#open.keys()) socket.close(code);
  }

  /** Nothing is repeated any more. */
  end(): void {
    for (const { timer } of this.bringings) timer?.cancel();
    for (const timer of this.#open.values()) timer?.cancel();
    this.closeAll();
  }

  #liven(socket: WebSocket): void {
    if (!this.#open.has(socket)) return;
    const timer = this.#options.clock.setTimer(KEEP_ALIVE_MS, () => {
      if (this.livens) this.#say(socket, "SYSTEM", "KEEPALIVE", {});
      this.#liven(socket);
    });
    this.#open.set(socket, timer);
  }

  #attempt(bringing: Bringing): void {
    this.#send(bringing);
    bringing.attempts++;
    bringing.timer = this.#options.clock.setTimer(this.#options.repeatMs, () => {
      if (!bringing.isAnswered) this.#attempt(bringing);
    });
  }

  #send({ messageId, data }: Bringing): void {
    const socket = this.#open.keys().find((one) => !this.#ending.has(one));
    if (socket?.readyState !== WebSocket.OPEN) return;
    const headers = { ...this.#headers(ROBOT_TOPIC), messageId };
    socket.send(JSON.stringify({ specVersion: "1.0", type: "CALLBACK", headers, data }));
  }

  #say(socket: WebSocket, type: string, topic: string, data: JsonObject): void {
    if (socket.readyState !== WebSocket.OPEN) return;
    const headers = this.#headers(topic);
    socket.send(JSON.stringify({ specVersion: "1.0", type, headers, data: JSON.stringify(data) }));
  }

  #headers(topic: string): { readonly [name: string]: string } {
    return {
      appId: "app",
      connectionId: "connection",
      contentType: "application/json",
      messageId: `system-${++this.#count}`,
      time: String(this.#options.clock.now()),
      topic,
    };
  }

  #take(text: string): void {
    const answer = answerSchema.safeParse(JSON.parse(text)).data;
    if (answer === undefined) return this.#options.onViolation("an answer that is none");
    const { messageId, topic } = answer.headers;
    if (topic === "ping") this.pongs.push(JSON.parse(answer.data));
    const bringing = this.bringings.find((one) => one.messageId === messageId);
    if (bringing === undefined) return;
    if (!("response" in JSON.parse(answer.data))) {
      this.#options.onViolation("an answer without a response");
    }
    bringing.isAnswered = true;
    bringing.timer?.cancel();
  }
}
