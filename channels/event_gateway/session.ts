/**
 * One connection to a platform's gateway: hello, sign-in or resumption, heartbeats, events, end.
 * Discord and QQ speak this protocol; what they do not share stands in a {@link GatewayDialect}.
 * @module
 */

import type { Clock, Timer } from "../../actors/kernel/clock.ts";
import type { JsonObject } from "../../actors/kernel/json.ts";
import type { Random } from "../../actors/kernel/random.ts";
import { type Frame, frameSchema, helloSchema } from "./frames.ts";
import type { GatewaySocket, OpenSocket } from "./socket.ts";

/** How one platform speaks the protocol. */
export interface GatewayDialect {
  /** What signs in, beside the token. */
  readonly identity: JsonObject;
  /** Whether a session is over with a connection that ends by this code: a new one must begin. */
  readonly isSessionOver: (code: number) => boolean;
  /** Whether only a person can help after a connection that ends by this code. */
  readonly isHopeless: (code: number) => boolean;
}

/** A session that can be resumed. */
export interface Resumption {
  readonly sessionId: string;
  /** The last event that need not come again. */
  readonly sequence: number;
}

/** What one connection needs. */
export interface SessionOptions {
  readonly dialect: GatewayDialect;
  readonly openSocket: OpenSocket;
  readonly clock: Clock;
  readonly random: Random;
  readonly token: string;
  readonly url: string;
  /** Null begins a session of its own. */
  readonly resumption: Resumption | null;
  /** The last event that need not come again; null before the first one. */
  readonly sequence: () => number | null;
  /** A session began. @returns false when what tells of it has another shape */
  readonly onReady: (data: unknown, sequence: number) => boolean;
  readonly onResumed: () => void;
  readonly onEvent: (sequence: number, type: string, data: unknown) => void;
}

/** Why a connection ended. */
export type SessionEnd =
  | { readonly state: "closed" }
  | {
    readonly state: "lost";
    readonly detail: string;
    /** The code by which the platform ended it; null when it did not. */
    readonly code: number | null;
    /** Events that were missed come if the session is resumed. */
    readonly canResume: boolean;
    /** The platform wants at least this wait. */
    readonly waitMs: number;
  }
  | { readonly state: "refused"; readonly code: number };

const OP = {
  event: 0,
  heartbeat: 1,
  identify: 2,
  resume: 6,
  reconnect: 7,
  invalid: 9,
  hello: 10,
  acknowledged: 11,
} as const;

/** Any code but 1000 and 1001 keeps the session. */
const KEEPING_CODE = 4200;
/** For the handshake and the platform's first word. */
const HELLO_MS = 20_000;
/** From our word to the session's begin; events that were missed come in between. */
const READY_MS = 60_000;
/** After a session was called invalid: one to five seconds, as Discord documents it. */
const INVALID_WAIT_MS = 1_000;
const INVALID_WAIT_SPREAD_MS = 4_000;

/** A connection from its start to its end; never throws. */
export class Session {
  /** Settles once, when it has ended. */
  readonly ended: Promise<SessionEnd>;
  readonly #options: SessionOptions;
  readonly #socket: GatewaySocket;
  readonly #end = Promise.withResolvers<SessionEnd>();
  readonly #signal: AbortSignal;
  readonly #onAbort = (): void => this.#finish({ state: "closed" });
  #deadline: Timer;
  #heartbeat: Timer | undefined;
  #intervalMs = 0;
  #isAcknowledged = true;
  #hasEnded = false;

  constructor(options: SessionOptions, signal: AbortSignal) {
    this.#options = options;
    this.#signal = signal;
    this.ended = this.#end.promise;
    this.#deadline = this.#lostAfter(HELLO_MS, "the gateway says nothing");
    this.#socket = options.openSocket(options.url, {
      onText: (text) => this.#take(text),
      onClosed: (code) => this.#closed(code),
    });
    if (signal.aborted) this.#onAbort();
    else signal.addEventListener("abort", this.#onAbort, { once: true });
  }

  /** Ends it so that what is not taken yet comes again. */
  giveUp(detail: string): void {
    this.#lose(detail);
  }

  #take(text: string): void {
    if (this.#hasEnded) return;
    const frame = frameSchema.safeParse(parsed(text)).data;
    if (frame === undefined) return this.#lose("the gateway sent something that is no frame");
    switch (frame.op) {
      case OP.event:
        return this.#event(frame);
      case OP.heartbeat:
        return this.#beat();
      case OP.reconnect:
        return this.#lose("the gateway asked to connect again");
      case OP.invalid:
        return this.#invalid(frame.d === true);
      case OP.hello:
        return this.#hello(frame.d);
      case OP.acknowledged:
        this.#isAcknowledged = true;
        return;
    }
  }

  #hello(data: unknown): void {
    const hello = helloSchema.safeParse(data).data;
    if (hello === undefined) return this.#lose("the gateway's hello has another shape");
    const { random, token, dialect, resumption } = this.#options;
    this.#intervalMs = hello.heartbeat_interval;
    this.#beatAfter(this.#intervalMs * random.next());
    this.#deadline.cancel();
    this.#deadline = this.#lostAfter(READY_MS, "the gateway begins no session");
    if (resumption === null) {
      this.#send(OP.identify, { token, ...dialect.identity });
    } else {
      const { sessionId: session_id, sequence: seq } = resumption;
      this.#send(OP.resume, { token, session_id, seq });
    }
  }

  #event({ s: sequence, t: type, d: data }: Frame): void {
    if (sequence === null) return;
    switch (type) {
      case "READY": {
        this.#deadline.cancel();
        if (this.#options.onReady(data, sequence)) return;
        return this.#lose("the session's begin has another shape");
      }
      case "RESUMED":
        this.#deadline.cancel();
        this.#options.onEvent(sequence, type, data);
        return this.#options.onResumed();
      default:
        return this.#options.onEvent(sequence, type, data);
    }
  }

  #invalid(canResume: boolean): void {
    const { random } = this.#options;
    const waitMs = INVALID_WAIT_MS + Math.floor(random.next() * INVALID_WAIT_SPREAD_MS);
    const detail = "the gateway does not know the session";
    this.#finish({ state: "lost", detail, code: null, canResume, waitMs });
  }

  #closed(code: number): void {
    const { dialect } = this.#options;
    if (dialect.isHopeless(code)) return this.#finish({ state: "refused", code });
    const detail = `the connection was closed (code ${code})`;
    const canResume = !dialect.isSessionOver(code);
    this.#finish({ state: "lost", detail, code, canResume, waitMs: 0 });
  }

  #beatAfter(delayMs: number): void {
    this.#heartbeat = this.#options.clock.setTimer(delayMs, () => {
      if (!this.#isAcknowledged) return this.#lose("the gateway does not answer heartbeats");
      this.#beat();
      this.#isAcknowledged = false;
      this.#beatAfter(this.#intervalMs);
    });
  }

  #beat(): void {
    this.#send(OP.heartbeat, this.#options.sequence());
  }

  #send(op: number, d: unknown): void {
    this.#socket.send(JSON.stringify({ op, d }));
  }

  #lostAfter(delayMs: number, detail: string): Timer {
    return this.#options.clock.setTimer(delayMs, () => this.#lose(detail));
  }

  #lose(detail: string): void {
    this.#finish({ state: "lost", detail, code: null, canResume: true, waitMs: 0 });
  }

  #finish(end: SessionEnd): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#signal.removeEventListener("abort", this.#onAbort);
    this.#deadline.cancel();
    this.#heartbeat?.cancel();
    this.#socket.close(KEEPING_CODE);
    this.#end.resolve(end);
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
