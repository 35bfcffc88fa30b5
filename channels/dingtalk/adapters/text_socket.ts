/**
 * A WebSocket that carries texts, on what the runtime has built in.
 * @module
 */

import type { SocketClose, TextSocket } from "../link.ts";

const HANDSHAKE_TIMEOUT_MS = 15_000;
/** How long the other side has for its part of a close. */
const CLOSE_GRACE_MS = 1_000;

/**
 * Opens a socket.
 *
 * @param onText takes what comes; what is no text is dropped
 * @throws {Error} when it cannot be opened, the signal's reason when that aborts first
 */
export async function openTextSocket(
  url: string,
  onText: (text: string) => void,
  signal: AbortSignal,
): Promise<TextSocket> {
  signal.throwIfAborted();
  const socket = new NativeSocket(new WebSocket(url), onText);
  try {
    await socket.opened(signal);
    return socket;
  } catch (error) {
    await socket.close();
    throw error;
  }
}

class NativeSocket implements TextSocket {
  readonly #socket: WebSocket;
  readonly #opened = Promise.withResolvers<void>();
  readonly #closed = Promise.withResolvers<SocketClose>();

  constructor(socket: WebSocket, onText: (text: string) => void) {
    this.#socket = socket;
    let fault = "";
    socket.addEventListener("open", () => this.#opened.resolve());
    socket.addEventListener("message", ({ data }) => {
      if (typeof data === "string") onText(data);
    });
    socket.addEventListener("error", (event) => {
      fault ||= event instanceof ErrorEvent ? event.message : "";
    });
    socket.addEventListener("close", ({ code, reason }) => {
      const detail = reason || fault || `the connection was closed (${code})`;
      this.#closed.resolve({ code, detail });
      this.#opened.reject(new Error(`Cannot open a socket: ${detail}`));
    });
    this.#opened.promise.catch(() => {}); // looked at by whoever opens it
  }

  get closed(): Promise<SocketClose> {
    return this.#closed.promise;
  }

  /** Resolves once texts can be sent. */
  async opened(signal: AbortSignal): Promise<void> {
    const stop = (): void => this.#opened.reject(signal.reason);
    const timer = setTimeout(
      () => this.#opened.reject(new Error("Cannot open a socket: no answer in time")),
      HANDSHAKE_TIMEOUT_MS,
    );
    signal.addEventListener("abort", stop, { once: true });
    try {
      await this.#opened.promise;
    } finally {
      clearTimeout(timer);
      signal.removeEventListener("abort", stop);
    }
  }

  send(text: string): void {
    if (this.#socket.readyState === WebSocket.OPEN) this.#socket.send(text);
  }

  async close(code: number = 1000): Promise<void> {
    if (this.#socket.readyState < WebSocket.CLOSING) this.#socket.close(code);
    const { promise: graceIsOver, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, CLOSE_GRACE_MS);
    await Promise.race([this.closed, graceIsOver]);
    clearTimeout(timer);
  }
}
