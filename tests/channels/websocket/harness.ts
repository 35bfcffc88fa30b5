/**
 * The WebSocket channel with clients that a test holds by the hand.
 * @module
 */

import { WebSocket as Socket } from "ws";
import { z } from "zod";
import type { ChannelSessions } from "../../../channels/channel.ts";
import { manifest } from "../../../channels/websocket/manifest.ts";
import { createChannel, type WebsocketSection } from "../../../channels/websocket/mod.ts";
import { ChannelBench } from "../../support/channel_bench.ts";
import { freePort } from "../../support/free_port.ts";
import { ManualClock } from "../../support/manual_clock.ts";
import { type TemporaryFolder, temporaryFolder } from "../../support/temporary_folder.ts";
import { until } from "../../support/until.ts";

/** A chat for tests. */
export const CHAT = "chat-1";

/** A frame, as far as a test looks at it. */
export interface Frame {
  readonly event: string;
  readonly chat_id?: unknown;
  readonly client_id?: unknown;
  readonly seq?: unknown;
  readonly text?: unknown;
  readonly detail?: unknown;
  readonly duplicate?: unknown;
  readonly reply_to?: unknown;
  readonly settles?: unknown;
  readonly message_id?: unknown;
  readonly stream_id?: unknown;
  readonly offset?: unknown;
  readonly kind?: unknown;
  readonly media?: unknown;
}

/** How a client connects. */
export interface Connecting {
  readonly path?: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly protocols?: readonly string[];
}

/** A client that only does what it is told. */
export class Peer implements Disposable {
  readonly socket: Socket;
  readonly frames: Frame[] = [];
  /** The code it was closed with. */
  closedWith: number | null = null;
  /** The status of a handshake that was refused. */
  refusedWith: number | null = null;

  constructor(url: string, { headers = {}, protocols = [] }: Connecting) {
    this.socket = new Socket(url, [...protocols], { headers });
    this.socket.on("message", (data) => void this.frames.push(frameOf(String(data))));
    this.socket.on("unexpected-response", (_request, response) => {
      this.refusedWith = response.statusCode ?? 0;
      response.resume();
      this.socket.terminate();
    });
    this.socket.on("error", () => {});
    this.socket.on("close", (code) => void (this.closedWith = code));
  }

  send(frame: unknown): void {
    this.socket.send(typeof frame === "string" ? frame : JSON.stringify(frame));
  }

  /** The frames of one kind. */
  of(event: string): readonly Frame[] {
    return this.frames.filter((frame) => frame.event === event);
  }

  /** Waits for so many frames of one kind; gives the last of them. */
  async has(event: string, count: number = 1): Promise<Frame> {
    await until(() => this.of(event).length >= count, { what: `${count} ${event}` });
    return this.of(event)[count - 1] ?? { event };
  }

  /** Waits until everything that was sent to it is here. */
  async isCaughtUp(): Promise<void> {
    const pongs = this.of("pong").length;
    this.send({ type: "ping" });
    await this.has("pong", pongs + 1);
  }

  [Symbol.dispose](): void {
    this.socket.terminate();
  }
}

function frameOf(text: string): Frame {
  return z.looseObject({ event: z.string() }).parse(JSON.parse(text));
}

/** The clients that a test made. */
class Peers implements AsyncDisposable {
  readonly all: Peer[] = [];

  [Symbol.asyncDispose](): Promise<void> {
    for (const peer of this.all) peer[Symbol.dispose]();
    return Promise.resolve();
  }
}

/** What a test may choose. */
export interface HarnessOptions {
  readonly section?: Partial<WebsocketSection>;
  readonly sessions?: ChannelSessions;
}

/** Server, gateway and clients; hold it with `await using`. */
export class Harness extends ChannelBench<Peers> {
  readonly port: number;

  private constructor(
    section: WebsocketSection,
    folder: TemporaryFolder,
    sessions: ChannelSessions | undefined,
  ) {
    super({
      name: "websocket",
      clock: new ManualClock(),
      platform: new Peers(),
      folder,
      create: (context) =>
        createChannel(section, {
          ...context,
          newId: () => crypto.randomUUID(),
          ...(sessions !== undefined && { sessions }),
        }),
      chatId: () => CHAT,
      commands: [],
    });
    this.port = section.port;
  }

  /** Starts all, and waits until it listens. Without other wishes no token is needed. */
  static async ready({ section, sessions }: HarnessOptions = {}): Promise<Harness> {
    const parsed = manifest.schema(z).parse({
      enabled: true,
      port: freePort(),
      websocketRequiresToken: false,
      ...section,
    });
    const harness = new Harness(parsed, await temporaryFolder(), sessions);
    await harness.isReady();
    return harness;
  }

  /** A client on its way in. */
  peer(connecting: Connecting = {}): Peer {
    const { path = "/", query = {} } = connecting;
    const url = `ws://127.0.0.1:${this.port}${path}?${new URLSearchParams(query)}`;
    const peer = new Peer(url, connecting);
    this.platform.all.push(peer);
    return peer;
  }

  /** A client that is in, and follows the test's chat. */
  async member(clientId: string, since?: number): Promise<Peer> {
    const peer = this.peer({ query: { client_id: clientId } });
    await peer.has("ready");
    peer.send({ type: "attach", chat_id: CHAT, ...(since !== undefined && { since }) });
    await peer.has("attached");
    return peer;
  }

  /** The status of a handshake; 101 for a client that is let in. */
  async status(connecting: Connecting = {}): Promise<number> {
    const peer = this.peer(connecting);
    const isIn = () => peer.of("ready").length > 0;
    await until(() => isIn() || peer.refusedWith !== null, { what: "an end of the handshake" });
    return peer.refusedWith ?? 101;
  }

  /** Asks over HTTP; the answer is here as a whole. */
  async request(path: string, init: RequestInit = {}): Promise<Response> {
    const response = await fetch(`http://127.0.0.1:${this.port}${path}`, init);
    const { status, headers } = response;
    const bytes = await response.bytes();
    return new Response(bytes.length === 0 ? null : bytes, { status, headers });
  }
}
