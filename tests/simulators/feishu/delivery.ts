/**
 * Events on their way to the app: cut into fragments, acknowledged, sent again when they are not.
 * @module
 */

import type { Clock, Timer } from "../../../actors/kernel/clock.ts";
import type { Random } from "../../../actors/kernel/random.ts";
import { z } from "zod";
import type { Envelope } from "./envelope.ts";
import { type Frame, headerOf, METHOD_DATA } from "./frame.ts";
import type { LongConnection } from "./long_connection.ts";

/** When an event that was not acknowledged comes again. */
export interface RedeliverySchedule {
  /** An acknowledgement after that comes too late. */
  readonly acknowledgeWithinMs: number;
  /** Waits before each further attempt; empty: only `redeliverUnacknowledged` sends again. */
  readonly delaysMs: readonly number[];
}

/** What the documentation names: 15 s, 5 min, 1 h, 6 h. */
export const DOCUMENTED_REDELIVERY: RedeliverySchedule = {
  acknowledgeWithinMs: 3_000,
  delaysMs: [15_000, 300_000, 3_600_000, 21_600_000],
};

/** Where to cut an event, and in which order the pieces go. */
export interface FragmentPlan {
  /** Into so many pieces of about equal size. @default 1 */
  readonly pieces?: number;
  /** Exact byte offsets instead, rising; a cut may fall inside a character. */
  readonly cuts?: readonly number[];
  /** Indexes of the pieces. @default as they stand */
  readonly order?: readonly number[];
}

/** The app's answer to an attempt. */
export interface Acknowledgement {
  /** 200: taken. 500: the handler failed. */
  readonly code: number;
  /** What the handler returned, decoded JSON. */
  readonly data: unknown;
  readonly delayMs: number;
  /** Came after the platform had given the attempt up. */
  readonly isLate: boolean;
}

/** One sending of an event. */
export interface Attempt {
  readonly transportId: string;
  /** The connection it went to; undefined when there was none. */
  readonly connectionId: number | undefined;
  readonly atMs: number;
  acknowledgement: Acknowledgement | undefined;
}

/** An event and what became of it. */
export interface EventRecord {
  readonly eventId: string;
  readonly eventType: string;
  readonly attempts: readonly Attempt[];
  /** Taken in time by some attempt: it does not come again by itself. */
  readonly isAcknowledged: boolean;
  /** Resolves with the first acknowledgement of code 200, late or not. */
  readonly acknowledged: Promise<Acknowledgement>;
}

interface Pending extends EventRecord {
  readonly attempts: Attempt[];
  isAcknowledged: boolean;
  readonly taken: PromiseWithResolvers<Acknowledgement>;
  readonly payload: Uint8Array;
  readonly fragments: FragmentPlan;
  timer: Timer | undefined;
}

/** What the desk needs. */
export interface DeliveryDeskOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly schedule: RedeliverySchedule;
  readonly connections: () => readonly LongConnection[];
  readonly onChange: () => void;
}

const acknowledgementSchema = z.object({ code: z.number(), data: z.string().optional() });
const FIRST_LOG_ID = 2n ** 63n;

/** Sends events to the app and follows them. */
export class DeliveryDesk {
  readonly #options: DeliveryDeskOptions;
  readonly #events: Pending[] = [];
  readonly #byTransport = new Map<string, { readonly event: Pending; readonly attempt: Attempt }>();
  #transports = 0;

  constructor(options: DeliveryDeskOptions) {
    this.#options = options;
  }

  /** Every event, oldest first. */
  get events(): readonly EventRecord[] {
    return this.#events;
  }

  /** Sends an event to one of the connections. */
  send(envelope: Envelope, payloadText: string, fragments: FragmentPlan = {}): EventRecord {
    const taken = Promise.withResolvers<Acknowledgement>();
    taken.promise.catch(() => {}); // Rejected at the end of the platform; who waits, learns it.
    const event: Pending = {
      eventId: envelope.eventId,
      eventType: envelope.eventType,
      attempts: [],
      isAcknowledged: false,
      acknowledged: taken.promise,
      taken,
      payload: new TextEncoder().encode(payloadText),
      fragments,
      timer: undefined,
    };
    this.#events.push(event);
    this.#attempt(event);
    return event;
  }

  /** Sends an event once more, acknowledged or not: a duplicate that comes by itself. */
  repeat(eventId: string): void {
    const event = this.#events.find((candidate) => candidate.eventId === eventId);
    if (event === undefined) throw new RangeError(`Cannot repeat "${eventId}": no such event`);
    this.#attempt(event);
  }

  /** Sends again, now, what was not acknowledged in time; says how many. */
  redeliverUnacknowledged(): number {
    const events = this.#events.filter((event) => !event.isAcknowledged);
    for (const event of events) this.#attempt(event);
    return events.length;
  }

  /** Takes an acknowledgement frame. */
  receive(frame: Frame): void {
    const sent = this.#byTransport.get(headerOf(frame, "message_id") ?? "");
    if (sent === undefined || sent.attempt.acknowledgement !== undefined) return;
    const { event, attempt } = sent;
    const text = new TextDecoder().decode(frame.payload ?? new Uint8Array());
    const parsed = acknowledgementSchema.safeParse(parseJson(text));
    if (!parsed.success) throw new SyntaxError("Cannot read an acknowledgement: wrong payload");
    const delayMs = this.#options.clock.now() - attempt.atMs;
    attempt.acknowledgement = {
      code: parsed.data.code,
      data: decodeData(parsed.data.data),
      delayMs,
      isLate: delayMs > this.#options.schedule.acknowledgeWithinMs,
    };
    if (parsed.data.code !== 200) return this.#planAgain(event);
    event.taken.resolve(attempt.acknowledgement);
    if (attempt.acknowledgement.isLate) return;
    event.isAcknowledged = true;
    event.timer?.cancel();
  }

  /** Stops following; who still waits for an acknowledgement is told. */
  stop(): void {
    for (const event of this.#events) {
      event.timer?.cancel();
      event.taken.reject(new Error(`Cannot wait for event "${event.eventId}": the platform ended`));
    }
  }

  #attempt(event: Pending): void {
    event.timer?.cancel();
    const { clock, random, schedule, connections } = this.#options;
    const open = connections();
    const connection = open[Math.floor(random.next() * open.length)];
    const attempt: Attempt = {
      transportId: `transport-${++this.#transports}`,
      connectionId: connection?.id,
      atMs: clock.now(),
      acknowledgement: undefined,
    };
    event.attempts.push(attempt);
    this.#byTransport.set(attempt.transportId, { event, attempt });
    for (const frame of this.#frames(event, attempt, connection?.service ?? 0)) {
      connection?.send(frame);
    }
    if (!event.isAcknowledged && event.attempts.length <= schedule.delaysMs.length) {
      event.timer = clock.setTimer(schedule.acknowledgeWithinMs, () => this.#planAgain(event));
    }
    this.#options.onChange();
  }

  #planAgain(event: Pending): void {
    event.timer?.cancel();
    const delayMs = this.#options.schedule.delaysMs[event.attempts.length - 1];
    if (event.isAcknowledged || delayMs === undefined) return;
    event.timer = this.#options.clock.setTimer(delayMs, () => this.#attempt(event));
  }

  #frames({ payload, fragments }: Pending, attempt: Attempt, service: number): Frame[] {
    const { pieces: count = 1 } = fragments;
    const even = Array.from({ length: count - 1 }, (_, index) => {
      return Math.floor((payload.length * (index + 1)) / count);
    });
    const cuts = [0, ...(fragments.cuts ?? even), payload.length];
    const pieces = cuts.slice(1).map((end, index) => payload.subarray(cuts[index] ?? 0, end));
    const order = fragments.order ?? pieces.map((_, index) => index);
    return order.map((index) => ({
      seqId: BigInt(this.#transports),
      logId: FIRST_LOG_ID + BigInt(this.#transports),
      service,
      method: METHOD_DATA,
      headers: [
        { key: "type", value: "event" },
        { key: "message_id", value: attempt.transportId },
        { key: "sum", value: String(pieces.length) },
        { key: "seq", value: String(index) },
        { key: "trace_id", value: `trace-${attempt.transportId}` },
        { key: "timestamp", value: String(attempt.atMs) },
      ],
      payload: pieces[index] ?? new Uint8Array(),
      logIdNew: `log-${attempt.transportId}-${index}`,
    }));
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function decodeData(base64: string | undefined): unknown {
  if (base64 === undefined) return undefined;
  return parseJson(new TextDecoder().decode(Uint8Array.fromBase64(base64)));
}
