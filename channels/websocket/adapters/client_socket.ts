/**
 * One client's socket, on `ws`.
 * @module
 */

import { Buffer } from "node:buffer";
import type { RawData, WebSocket as Socket } from "ws";
import type { WebSocketHandlers, WebSocketLink } from "../link.ts";

/** How long a client has to say goodbye as well. */
const GOODBYE_MS = 1_000;
/** Of a reason: a close frame holds no more. */
const REASON_CHARS_MAX = 120;

const utf8 = new TextDecoder("utf-8", { fatal: true });

/** A socket that is open. */
export class ClientSocket implements WebSocketLink {
  readonly #socket: Socket;
  #waitingBytes = 0;

  /** @param open makes what is told of it */
  constructor(socket: Socket, open: (socket: WebSocketLink) => WebSocketHandlers) {
    this.#socket = socket;
    const handlers = open(this);
    socket.on("message", (data, isBinary) => handlers.onFrame(textOf(data, isBinary)));
    socket.on("pong", () => handlers.onPong());
    socket.on("ping", () => handlers.onPong());
    socket.on("error", () => {}); // too large, no UTF-8, no frame: ws closes it with its code
    socket.on("close", () => handlers.onEnd());
  }

  get waitingBytes(): number {
    return this.#waitingBytes;
  }

  send(text: string, left: () => void): void {
    if (this.#socket.readyState !== this.#socket.OPEN) return left();
    const bytes = new TextEncoder().encode(text);
    this.#waitingBytes += bytes.length;
    this.#socket.send(bytes, { binary: false }, () => {
      this.#waitingBytes -= bytes.length;
      left();
    });
  }

  close(code: number, reason: string): void {
    this.#socket.close(code, reason.slice(0, REASON_CHARS_MAX));
    const cutting = setTimeout(() => this.#socket.terminate(), GOODBYE_MS);
    this.#socket.once("close", () => clearTimeout(cutting));
  }

  terminate(): void {
    this.#socket.terminate();
  }

  ping(): void {
    if (this.#socket.readyState === this.#socket.OPEN) this.#socket.ping();
  }

  pause(): void {
    this.#socket.pause();
  }

  resume(): void {
    this.#socket.resume();
  }
}

function textOf(data: RawData, isBinary: boolean): string | null {
  const bytes = Array.isArray(data) ? Buffer.concat(data) : data;
  try {
    return utf8.decode(bytes);
  } catch {
    return isBinary ? null : ""; // ws has looked at the UTF-8 of text
  }
}
