/**
 * One socket of Slack's Socket Mode, from its greeting to its end.
 * @module
 */

import type { RawData, WebSocket as Socket } from "ws";
import type { JsonObject } from "../../../actors/kernel/json.ts";
import { SlackUnreachableError } from "../errors.ts";
import type { SlackSocket, SocketEnd, SocketHandlers } from "../link.ts";
import { type SocketFrame, socketFrameSchema } from "../wire.ts";

const HANDSHAKE_TIMEOUT_MS = 15_000;
/** Events are small; files come by other ways. */
const FRAME_BYTES_MAX = 4 * 1024 * 1024;
/** Slack gives an app ten. */
const TOO_MANY = "the app has too many sockets open: other programs use its app token";
/** How long what is being handed in may hold up a close. */
const CLOSE_GRACE_MS = 1_000;

/** Opens a socket; resolves as soon as it can be closed, before Slack's greeting. */
export async function openSocket(
  url: string,
  handlers: SocketHandlers,
  signal: AbortSignal,
): Promise<SlackSocket> {
  const { WebSocket } = await import("ws");
  if (signal.aborted) throw new SlackUnreachableError("open a socket", "the channel stops");
  return new WsSocket(
    new WebSocket(url, {
      handshakeTimeout: HANDSHAKE_TIMEOUT_MS,
      maxPayload: FRAME_BYTES_MAX,
      perMessageDeflate: false,
    }),
    handlers,
  );
}

class WsSocket implements SlackSocket {
  readonly #socket: Socket;
  readonly #handlers: SocketHandlers;
  readonly #end = Promise.withResolvers<SocketEnd>();
  readonly #gone = Promise.withResolvers<void>();
  readonly #handlingNow = new Set<Promise<void>>();
  #isClosing = false;

  constructor(socket: Socket, handlers: SocketHandlers) {
    this.#socket = socket;
    this.#handlers = handlers;
    let fault = "";
    socket.on("message", (data, isBinary) => this.#take(data, isBinary));
    socket.on("ping", () => handlers.onFrame());
    socket.on("pong", () => handlers.onFrame());
    socket.on("error", (error) => void (fault ||= error.message));
    socket.on("close", (code) => {
      const detail = fault || `the connection was closed (${code})`;
      this.#end.resolve({ state: "lost", detail });
      this.#gone.resolve();
    });
  }

  get end(): Promise<SocketEnd> {
    return this.#end.promise;
  }

  ping(): void {
    if (this.#socket.readyState === this.#socket.OPEN) this.#socket.ping();
  }

  async close(): Promise<void> {
    if (!this.#isClosing) {
      this.#isClosing = true;
      this.#end.resolve({ state: "closed" });
      await withGrace(Promise.allSettled(this.#handlingNow), CLOSE_GRACE_MS);
      this.#socket.close(1000);
      await withGrace(this.#gone.promise, CLOSE_GRACE_MS);
      this.#socket.terminate();
    }
    await this.#gone.promise;
  }

  #take(data: RawData, isBinary: boolean): void {
    this.#handlers.onFrame();
    const frame = isBinary ? undefined : frameOf(data.toString());
    if (frame === undefined) return;
    if (frame.type === "hello") return this.#handlers.onReady();
    if (frame.type === "disconnect") {
      return this.#end.resolve(endOf(frame.reason));
    }
    const { envelope_id: envelopeId } = frame;
    if (envelopeId === undefined || this.#isClosing) return;
    const handling = this.#handle(frame, envelopeId);
    this.#handlingNow.add(handling);
    void handling.finally(() => this.#handlingNow.delete(handling));
  }

  /** Never rejects: what is not taken is not acknowledged. */
  async #handle(frame: SocketFrame, envelopeId: string): Promise<void> {
    const { type, payload, retry_attempt: retries } = frame;
    const answer = await this.#handlers.onEnvelope({ type, payload, retries }).catch(() => null);
    if (answer !== null) this.#acknowledge(envelopeId, answer);
  }

  #acknowledge(envelopeId: string, payload: JsonObject): void {
    if (this.#socket.readyState !== this.#socket.OPEN) return;
    const isEmpty = Object.keys(payload).length === 0;
    // What cannot be sent any more ends the socket by itself.
    this.#socket.send(
      JSON.stringify({ envelope_id: envelopeId, ...(!isEmpty && { payload }) }),
      () => {},
    );
  }
}

/** What Slack says when it wants a socket to end. */
function endOf(reason: string | undefined): SocketEnd {
  switch (reason) {
    case "link_disabled":
      return { state: "disabled" };
    case "too_many_websockets":
      return { state: "lost", detail: TOO_MANY };
    default:
      return { state: "refresh" };
  }
}

function frameOf(text: string): SocketFrame | undefined {
  try {
    return socketFrameSchema.safeParse(JSON.parse(text)).data;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Waits for `work`, but not longer than `graceMs`. */
async function withGrace(work: Promise<unknown>, graceMs: number): Promise<void> {
  const { promise: graceIsOver, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, graceMs);
  await Promise.race([work, graceIsOver]);
  clearTimeout(timer);
}
