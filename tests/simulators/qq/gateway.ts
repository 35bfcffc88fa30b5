/**
 * The gateway: sessions that outlive their connections, and the connections.
 * @module
 */

import { z } from "zod";
import type { JsonObject, JsonValue } from "../../../actors/kernel/json.ts";
import type { Link } from "../feishu/relay.ts";

interface Session {
  readonly id: string;
  readonly intents: number;
  readonly events: { readonly s: number; readonly t: string; readonly d: JsonValue }[];
  sequence: number;
  connection: GatewayConnection | null;
}

/** What a gateway needs. */
export interface GatewayOptions {
  /** Whether a token signs in. */
  readonly isToken: (token: string) => boolean;
  /** Intents that the bot may have. */
  readonly intentsAllowed: () => number;
}

const HEARTBEAT_MS = 41_250;
const INTENTS: Readonly<Record<string, number>> = {
  DIRECT_MESSAGE_CREATE: 1 << 12,
  C2C_MESSAGE_CREATE: 1 << 25,
  GROUP_AT_MESSAGE_CREATE: 1 << 25,
};

const frameSchema = z.object({ op: z.number(), d: z.unknown() });
const identifySchema = z.object({
  token: z.string(),
  intents: z.int(),
  shard: z.tuple([z.literal(0), z.literal(1)]),
});
const resumeSchema = z.object({ token: z.string(), session_id: z.string(), seq: z.int() });

/** All sessions and connections. */
export class Gateway {
  /** Every connection there was, oldest first. */
  readonly connections: GatewayConnection[] = [];
  readonly #options: GatewayOptions;
  readonly #sessions = new Map<string, Session>();

  constructor(options: GatewayOptions) {
    this.#options = options;
  }

  /** Those that are there. */
  get open(): readonly GatewayConnection[] {
    return this.connections.filter(({ isOpen }) => isOpen);
  }

  /** Takes a new connection. */
  admit(request: Request, link: Link | undefined): Response {
    const { socket, response } = Deno.upgradeWebSocket(request);
    this.connections.push(new GatewayConnection(socket, link, this));
    return response;
  }

  /** Tells every session of an event, or keeps it for those that are away. */
  dispatch(type: string, data: JsonValue): void {
    for (const session of this.#sessions.values()) this.#tell(session, type, data);
  }

  /** No session can be resumed any more. */
  forgetSessions(): void {
    this.#sessions.clear();
  }

  identify(connection: GatewayConnection, data: unknown): void {
    const identify = identifySchema.safeParse(data).data;
    if (identify === undefined) return connection.close(4002);
    const { isToken, intentsAllowed } = this.#options;
    if (!isToken(identify.token)) return connection.close(4004);
    if ((identify.intents & ~intentsAllowed()) !== 0) return connection.close(4014);
    const { intents } = identify;
    const id = `session-${this.#sessions.size + 1}`;
    const session: Session = { id, intents, events: [], sequence: 0, connection };
    this.#sessions.set(id, session);
    connection.session = session;
    const user = { id: "6158788878435714165", username: "Troupe", bot: true };
    this.#tell(session, "READY", { version: 1, session_id: id, user, shard: [0, 0] });
  }

  resume(connection: GatewayConnection, data: unknown): void {
    const resume = resumeSchema.safeParse(data).data;
    if (resume === undefined) return connection.close(4002);
    if (!this.#options.isToken(resume.token)) return connection.close(4004);
    const session = this.#sessions.get(resume.session_id);
    if (session === undefined) return connection.send({ op: 9, d: false });
    if (resume.seq > session.sequence) return connection.close(4007);
    session.connection?.close(4009);
    session.connection = connection;
    connection.session = session;
    for (const event of session.events.filter(({ s }) => s > resume.seq)) {
      connection.send({ op: 0, ...event });
    }
    this.#tell(session, "RESUMED", "");
  }

  #tell(session: Session, t: string, d: JsonValue): void {
    const needed = INTENTS[t];
    if (needed !== undefined && (session.intents & needed) === 0) return;
    const event = { s: ++session.sequence, t, d };
    session.events.push(event);
    session.connection?.send({ op: 0, ...event });
  }
}

/** One client's connection. */
export class GatewayConnection {
  session: Session | null = null;
  /** Sequence numbers in heartbeats, in order. */
  readonly heartbeats: (number | null)[] = [];
  /** How the client came in; null before it said. */
  entrance: "identify" | "resume" | null = null;
  isOpen = false;
  /** Heartbeats get no answer from now on. */
  isDeaf = false;
  readonly #socket: WebSocket;
  readonly #link: Link | undefined;
  readonly #gateway: Gateway;

  constructor(socket: WebSocket, link: Link | undefined, gateway: Gateway) {
    this.#socket = socket;
    this.#link = link;
    this.#gateway = gateway;
    socket.onopen = () => {
      this.isOpen = true;
      this.send({ op: 10, d: { heartbeat_interval: HEARTBEAT_MS } });
    };
    socket.onmessage = ({ data }) => this.#take(data);
    socket.onclose = () => {
      this.isOpen = false;
      if (this.session?.connection === this) this.session.connection = null;
    };
    socket.onerror = (event) => event.preventDefault();
  }

  send(frame: JsonObject): void {
    if (this.#socket.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(frame));
  }

  /** Ends it as the platform does. */
  close(code: number): void {
    if (this.#socket.readyState === WebSocket.OPEN) this.#socket.close(code);
  }

  /** The network goes away. */
  cut(): void {
    this.#link?.cut();
  }

  #take(data: unknown): void {
    const frame = frameSchema.safeParse(JSON.parse(typeof data === "string" ? data : "0")).data;
    switch (frame?.op) {
      case 1:
        this.heartbeats.push(typeof frame.d === "number" ? frame.d : null);
        if (!this.isDeaf) this.send({ op: 11 });
        return;
      case 2:
        this.entrance = "identify";
        return this.#gateway.identify(this, frame.d);
      case 6:
        this.entrance = "resume";
        return this.#gateway.resume(this, frame.d);
      default:
        return this.close(4001);
    }
  }
}
