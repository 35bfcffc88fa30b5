/**
 * The long connection: one WebSocket that carries frames, as the platform's side of it.
 * @module
 */

import type { Clock } from "../../../actors/kernel/clock.ts";
import { decodeFrame, encodeFrame, type Frame, headerOf } from "./frame.ts";
import { METHOD_CONTROL, METHOD_DATA } from "./frame.ts";
import type { Link } from "./relay.ts";

/** How a connection ended: with a closing handshake, or by the network going away. */
export interface ConnectionEnd {
  readonly kind: "clean" | "abrupt";
  /** WebSocket close code; 1006 or 0 without a handshake. */
  readonly code: number;
  /** Who began it. */
  readonly by: "client" | "platform";
}

/**
 * What a ping gets: all settings, none (a bare pong), settings that lack `PingInterval`, or no
 * answer at all.
 */
export type PongMode = "complete" | "empty" | "partial" | "none";

/** Settings that the platform gives its clients; times in seconds. */
export type ClientConfig = Record<
  "ReconnectCount" | "ReconnectInterval" | "ReconnectNonce" | "PingInterval",
  number
>;

/** What the connection tells and asks its platform. */
export interface LongConnectionOptions {
  readonly id: number;
  readonly service: number;
  readonly link: Link | undefined;
  readonly clock: Clock;
  readonly pong: () => { readonly mode: PongMode; readonly clientConfig: ClientConfig };
  readonly onFrame: (connection: LongConnection, frame: Frame) => void;
  readonly onChange: () => void;
}

/** One client's connection; tests may end or disturb it. */
export class LongConnection {
  readonly id: number;
  /** The number that the client took from the address. */
  readonly service: number;
  /** When each ping arrived, epoch milliseconds. */
  readonly pings: number[] = [];
  /** Frames that could not be read. */
  readonly badFrames: Error[] = [];
  /** Resolves with how it ended. */
  readonly ended: Promise<ConnectionEnd>;
  readonly #options: LongConnectionOptions;
  readonly #socket: WebSocket;
  readonly #ending: PromiseWithResolvers<ConnectionEnd> = Promise.withResolvers();
  #isOpen = false;
  #isMute = false;
  #end: ConnectionEnd | undefined;
  #endedByPlatform = false;

  constructor(socket: WebSocket, options: LongConnectionOptions) {
    this.id = options.id;
    this.service = options.service;
    this.ended = this.#ending.promise;
    this.#options = options;
    this.#socket = socket;
    socket.binaryType = "arraybuffer";
    socket.onopen = () => {
      this.#isOpen = true;
      options.onChange();
    };
    socket.onmessage = ({ data }) => this.#receive(data);
    socket.onclose = ({ wasClean, code }) => this.#close(wasClean, code);
    socket.onerror = (event) => event.preventDefault();
  }

  /** Whether the platform believes that the client is there. */
  get isOpen(): boolean {
    return this.#isOpen && this.#end === undefined;
  }

  /** How it ended, once it did. */
  get end(): ConnectionEnd | undefined {
    return this.#end;
  }

  /** Resolves when nothing of it is left; one that never opened has nothing. */
  async gone(): Promise<void> {
    if (this.#isOpen) await this.#ending.promise;
  }

  /** Ends it with a closing handshake. */
  close(code = 1000, reason = ""): void {
    this.#endedByPlatform = true;
    this.#socket.close(code, reason);
  }

  /** Ends it like a broken wire. */
  cut(): void {
    this.#endedByPlatform = true;
    this.#options.link?.cut();
  }

  /** Half-open: no byte moves in either direction, nobody is told. */
  freeze(): void {
    this.#options.link?.freeze();
  }

  /** Ends a freeze; what was held back arrives. */
  thaw(): void {
    this.#options.link?.thaw();
  }

  /** Keeps the socket, but neither answers pings nor notices acknowledgements from now on. */
  mute(): void {
    this.#isMute = true;
  }

  /** Writes a frame. */
  send(frame: Frame): void {
    if (this.#socket.readyState === WebSocket.OPEN) this.#socket.send(encodeFrame(frame));
  }

  #receive(data: unknown): void {
    if (this.#isMute) return;
    try {
      if (!(data instanceof ArrayBuffer)) throw new SyntaxError("Cannot read a frame: it is text");
      const frame = decodeFrame(new Uint8Array(data));
      if (frame.method === METHOD_CONTROL) this.#control(frame);
      else if (frame.method === METHOD_DATA) this.#options.onFrame(this, frame);
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      this.badFrames.push(error);
    }
    this.#options.onChange();
  }

  #control(frame: Frame): void {
    if (headerOf(frame, "type") !== "ping") return;
    this.pings.push(this.#options.clock.now());
    const { mode, clientConfig } = this.#options.pong();
    if (mode === "none") return;
    const { PingInterval: _, ...partial } = clientConfig;
    const settings = mode === "partial" ? partial : clientConfig;
    this.send({
      seqId: frame.seqId,
      logId: frame.logId,
      service: frame.service,
      method: METHOD_CONTROL,
      headers: [{ key: "type", value: "pong" }],
      payload: mode === "empty" ? undefined : new TextEncoder().encode(JSON.stringify(settings)),
    });
  }

  #close(wasClean: boolean, code: number): void {
    if (this.#end !== undefined) return;
    this.#end = {
      kind: wasClean ? "clean" : "abrupt",
      code,
      by: this.#endedByPlatform ? "platform" : "client",
    };
    this.#ending.resolve(this.#end);
    this.#options.onChange();
  }
}
