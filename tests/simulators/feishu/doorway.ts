/**
 * Where long connections come in: addresses with a one-time ticket, the upgrade, all connections.
 * @module
 */

import type { Clock } from "../../../actors/kernel/clock.ts";
import type { Faults } from "./faults.ts";
import type { Frame } from "./frame.ts";
import { type ClientConfig, LongConnection, type PongMode } from "./long_connection.ts";
import { Refusal } from "./refusal.ts";
import type { Link } from "./relay.ts";

/** Path of the WebSocket. */
export const SOCKET_PATH = "/ws/v2";

const CONNECTIONS_MAX = 50;
const FIRST_SERVICE = 33_554_678;

/** What the doorway needs. */
export interface DoorwayOptions {
  readonly clock: Clock;
  readonly clientConfig: ClientConfig;
  readonly faults: Faults;
  /** Port that clients reach. */
  readonly port: () => number;
  readonly newTicket: () => string;
  /** Resolves at the end of the platform: handshakes that wait are given up. */
  readonly ended: Promise<void>;
  readonly onFrame: (frame: Frame) => void;
  readonly onChange: () => void;
}

/** Lets clients in and knows them all. */
export class Doorway {
  /** What pings are answered with from now on. */
  pong: PongMode = "complete";
  /** Settings in the endpoint's answer and in pongs, from now on. */
  clientConfig: ClientConfig;
  /** Every connection there was, oldest first. */
  readonly connections: LongConnection[] = [];
  readonly #options: DoorwayOptions;
  readonly #tickets = new Map<string, number>();
  #services = FIRST_SERVICE;

  constructor(options: DoorwayOptions) {
    this.#options = options;
    this.clientConfig = options.clientConfig;
  }

  /** The connections that the platform believes to be open. */
  get open(): LongConnection[] {
    return this.connections.filter((connection) => connection.isOpen);
  }

  /**
   * An address for one connection. `service_id` must not be its first parameter: clients parse
   * the whole address as a query string.
   *
   * @throws {Refusal} 1000040350 when the app has 50 connections
   */
  issueAddress(): { readonly url: string; readonly clientConfig: ClientConfig } {
    if (this.open.length >= CONNECTIONS_MAX) {
      throw new Refusal(1000040350, "too many connections", { status: 200 });
    }
    const ticket = this.#options.newTicket();
    const service = this.#services++;
    this.#tickets.set(ticket, service);
    const query = `fpid=493&aid=552564&device_id=${service}00&access_key=key-${ticket}` +
      `&service_id=${service}&ticket=${ticket}`;
    const url = `ws://127.0.0.1:${this.#options.port()}${SOCKET_PATH}?${query}`;
    return { url, clientConfig: this.clientConfig };
  }

  /** Answers an upgrade request. */
  async admit(request: Request, link: Link | undefined): Promise<Response> {
    const { pathname, search, searchParams } = new URL(request.url);
    const fault = this.#options.faults.take("ws.connect", `${pathname}${search}`, "");
    if (fault?.kind === "wait") await Promise.race([fault.gate, this.#options.ended]);
    if (fault?.kind === "silence") await link?.closed;
    if (fault?.kind === "status") return refusal(fault.status, "injected");
    if (fault?.kind === "code") return refusal(403, "injected", fault.code);
    if (fault !== undefined && fault.kind !== "wait") {
      link?.cut();
      return refusal(499, "cut");
    }
    const ticket = searchParams.get("ticket") ?? "";
    const service = this.#tickets.get(ticket);
    if (service === undefined) return refusal(403, "ticket is invalid", 1000040343);
    this.#tickets.delete(ticket);
    if (request.headers.get("upgrade")?.toLowerCase() !== "websocket") {
      return refusal(400, "no upgrade");
    }
    const { socket, response } = Deno.upgradeWebSocket(request, { idleTimeout: 0 });
    this.connections.push(this.#connection(socket, service, link));
    return response;
  }

  #connection(socket: WebSocket, service: number, link: Link | undefined): LongConnection {
    const { clock, onFrame, onChange } = this.#options;
    return new LongConnection(socket, {
      id: this.connections.length + 1,
      service,
      link,
      clock,
      pong: () => ({ mode: this.pong, clientConfig: this.clientConfig }),
      onFrame: (_, frame) => onFrame(frame),
      onChange,
    });
  }
}

function refusal(status: number, message: string, code?: number): Response {
  return new Response(message, {
    status,
    headers: {
      "handshake-status": String(status),
      "handshake-msg": message,
      ...(code !== undefined && { "handshake-autherrcode": String(code) }),
    },
  });
}
