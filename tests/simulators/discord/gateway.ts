/**
 * The gateway: sessions that outlive their connections, and the connections.
 * @module
 */

import { z } from "zod";
import type { Clock } from "../../../actors/kernel/clock.ts";
import type { JsonObject, JsonValue } from "../../../actors/kernel/json.ts";
import type { Link } from "../feishu/relay.ts";

/** An event as it is kept for a session that may come back. */
interface Event {
  readonly sequence: number;
  readonly type: string;
  readonly data: JsonValue;
}

/** A session, and what it was told. */
interface Session {
  readonly id: string;
  readonly intents: number;
  readonly events: Event[];
  sequence: number;
  connection: GatewayConnection | null;
}

/** What a gateway needs. */
export interface GatewayOptions {
  readonly clock: Clock;
  readonly token: () => string;
  readonly newId: () => string;
  /** Where sessions are resumed. */
  readonly url: () => string;
  /** What a new session is told, after its id. */
  readonly ready: () => JsonObject;
  /** What it is told next. */
  readonly greetings: () => readonly { readonly type: string; readonly data: JsonValue }[];
  /** Privileged intents that the bot has. */
  readonly intentsAllowed: () => number;
  readonly onChange: () => void;
}

const HEARTBEAT_MS = 41_250;
const KNOWN_INTENTS = (1 << 26) - 1;
const PRIVILEGED = (1 << 1) | (1 << 8) | (1 << 15);
/** Documented: larger ones end the connection. */
const FRAME_BYTES_MAX = 4_096;
/** Documented for each connection. */
const FRAMES_PER_MINUTE = 120;
const IDENTIFY_EVERY_MS = 5_000;
const INTENTS: Readonly<Record<string, number>> = {
  GUILD_CREATE: 1,
  THREAD_CREATE: 1,
  MESSAGE_CREATE: 512 | 4_096,
  MESSAGE_DELETE: 512 | 4_096,
};

const frameSchema = z.object({ op: z.number(), d: z.unknown() });
const identifySchema = z.object({
  token: z.string(),
  intents: z.int(),
  properties: z.object({ os: z.string(), browser: z.string(), device: z.string() }),
});
const resumeSchema = z.object({ token: z.string(), session_id: z.string(), seq: z.int() });

/** All sessions and connections. */
export class Gateway {
  /** Every connection there was, oldest first. */
  readonly connections: GatewayConnection[] = [];
  /** What clients did against the rules. */
  readonly breaches: string[] = [];
  readonly options: GatewayOptions;
  readonly #sessions = new Map<string, Session>();
  #lastIdentifyMs = -Infinity;

  constructor(options: GatewayOptions) {
    this.options = options;
  }

  /** Those that are there. */
  get open(): readonly GatewayConnection[] {
    return this.connections.filter(({ isOpen }) => isOpen);
  }

  /** Takes a new connection. */
  admit(request: Request, link: Link | undefined): Response {
    const { socket, response } = Deno.upgradeWebSocket(request);
    const connection = new GatewayConnection(socket, link, this);
    this.connections.push(connection);
    return response;
  }

  /** Tells every session of an event, or keeps it for those that are away. */
  dispatch(type: string, data: JsonValue): void {
    for (const session of this.#sessions.values()) this.#tell(session, type, data);
  }

  /** Tells sessions once more of an event that they know: as a new one. */
  forgetSessions(): void {
    this.#sessions.clear();
  }

  identify(connection: GatewayConnection, data: unknown): void {
    const { options } = this;
    const identify = identifySchema.safeParse(data).data;
    if (identify === undefined) return connection.close(4002);
    if (identify.token !== options.token()) return connection.close(4004);
    if (identify.intents > KNOWN_INTENTS) return connection.close(4013);
    const privileged = identify.intents & PRIVILEGED;
    if ((privileged & options.intentsAllowed()) !== privileged) return connection.close(4014);
    const nowMs = options.clock.now();
    if (nowMs - this.#lastIdentifyMs < IDENTIFY_EVERY_MS && this.#lastIdentifyMs !== nowMs) {
      // The platform calls the session invalid; more than one a second is a fault of ours.
      if (nowMs - this.#lastIdentifyMs < 500) this.breaches.push("identified twice at once");
      return connection.send({ op: 9, d: false });
    }
    this.#lastIdentifyMs = nowMs;
    const { intents } = identify;
    const session = { id: options.newId(), intents, events: [], sequence: 0, connection };
    this.#sessions.set(session.id, session);
    connection.session = session;
    const ready = { ...options.ready(), session_id: session.id, resume_gateway_url: options.url() };
    this.#tell(session, "READY", ready);
    for (const { type, data } of options.greetings()) this.#tell(session, type, data);
  }

  resume(connection: GatewayConnection, data: unknown): void {
    const resume = resumeSchema.safeParse(data).data;
    if (resume === undefined) return connection.close(4002);
    if (resume.token !== this.options.token()) return connection.close(4004);
    const session = this.#sessions.get(resume.session_id);
    if (session === undefined) return connection.send({ op: 9, d: false });
    if (resume.seq > session.sequence) return connection.close(4007);
    session.connection?.close(4000);
    session.connection = connection;
    connection.session = session;
    for (const event of session.events.filter(({ sequence }) => sequence > resume.seq)) {
      connection.sendEvent(event.type, event.data, event.sequence);
    }
    this.#tell(session, "RESUMED", {});
  }

  /** A connection is gone; its session stays, unless it was closed for good. */
  left(connection: GatewayConnection, code: number): void {
    const { session } = connection;
    if (session !== null && session.connection === connection) {
      session.connection = null;
      if (code === 1000 || code === 1001) this.#sessions.delete(session.id);
    }
    this.options.onChange();
  }

  #tell(session: Session, type: string, data: JsonValue): void {
    const needed = INTENTS[type];
    if (needed !== undefined && (session.intents & needed) === 0) return;
    const sequence = ++session.sequence;
    session.events.push({ sequence, type, data });
    session.connection?.sendEvent(type, data, sequence);
    this.options.onChange();
  }
}

/** One client's connection. */
export class GatewayConnection {
  session: Session | null = null;
  /** Sequence numbers in heartbeats, in order. */
  readonly heartbeats: (number | null)[] = [];
  /** How the client came in; null before it said. */
  entrance: "identify" | "resume" | null = null;
  /** The code of the end; null while it lasts. */
  endCode: number | null = null;
  /** Heartbeats get no answer from now on. */
  isDeaf = false;
  readonly #socket: WebSocket;
  readonly #link: Link | undefined;
  readonly #gateway: Gateway;
  readonly #gone = Promise.withResolvers<void>();
  readonly #frames: number[] = [];
  #hasOpened = false;

  constructor(socket: WebSocket, link: Link | undefined, gateway: Gateway) {
    this.#socket = socket;
    this.#link = link;
    this.#gateway = gateway;
    socket.onopen = () => {
      this.#hasOpened = true;
      this.send({ op: 10, d: { heartbeat_interval: HEARTBEAT_MS, _trace: [] } });
    };
    socket.onmessage = ({ data }) => this.#take(data);
    socket.onclose = ({ code }) => this.#end(code);
    socket.onerror = (event) => event.preventDefault();
  }

  get isOpen(): boolean {
    return this.#hasOpened && this.endCode === null;
  }

  send(frame: JsonObject): void {
    if (this.#socket.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(frame));
  }

  sendEvent(t: string, d: JsonValue, s: number): void {
    this.send({ op: 0, t, s, d });
  }

  /** Asks the client to connect again. */
  askToReconnect(): void {
    this.send({ op: 7, d: null });
  }

  /** Ends it as the platform does. */
  /** Says something that is no frame. */
  babble(text: string): void {
    this.#socket.send(text);
  }

  close(code: number): void {
    if (this.#socket.readyState === WebSocket.OPEN) this.#socket.close(code);
  }

  /** The network goes away. */
  cut(): void {
    this.#link?.cut();
  }

  /** Nothing moves any more, and nobody is told. */
  freeze(): void {
    this.#link?.freeze();
  }

  /** Resolves when nothing of it is left. */
  async gone(): Promise<void> {
    if (this.#hasOpened) await this.#gone.promise;
  }

  #take(data: unknown): void {
    const { breaches, options: { clock } } = this.#gateway;
    const text = typeof data === "string" ? data : "";
    if (new TextEncoder().encode(text).length > FRAME_BYTES_MAX) return this.close(4002);
    const nowMs = clock.now();
    this.#frames.push(nowMs);
    if (this.#frames.filter((atMs) => nowMs - atMs < 60_000).length > FRAMES_PER_MINUTE) {
      breaches.push("too many frames in a minute");
      return this.close(4008);
    }
    const frame = frameSchema.safeParse(JSON.parse(text)).data;
    switch (frame?.op) {
      case 1:
        this.heartbeats.push(typeof frame.d === "number" ? frame.d : null);
        if (!this.isDeaf) this.send({ op: 11 });
        return this.#gateway.options.onChange();
      case 2:
        if (this.session !== null) return this.close(4005);
        this.entrance = "identify";
        return this.#gateway.identify(this, frame.d);
      case 6:
        this.entrance = "resume";
        return this.#gateway.resume(this, frame.d);
      default:
        return this.close(4001);
    }
  }

  #end(code: number): void {
    if (this.endCode !== null) return;
    this.endCode = code;
    this.#gone.resolve();
    this.#gateway.left(this, code);
  }
}
