/**
 * The seam between the channel and what speaks to Slack over the network.
 * @module
 */

import type { JsonObject, JsonValue } from "../../actors/kernel/json.ts";

/** One call of the Web API. */
export interface SlackCall {
  /** `chat.postMessage`. */
  readonly method: string;
  readonly args: Readonly<Record<string, JsonValue | undefined>>;
  /** Whose token it is made with. @default "bot" */
  readonly as?: "bot" | "app";
  /** Made twice it would show twice: it travels on a connection that nothing travelled on before. */
  readonly isOnce?: boolean;
  /** How long it may take. */
  readonly timeoutMs?: number;
}

/** A file that Slack sends; `body` must be read to its end, or cancelled. */
export interface IncomingFile {
  readonly body: ReadableStream<Uint8Array>;
  readonly contentType: string;
  /** Bytes, as far as the header says; null when it does not. */
  readonly length: number | null;
}

/** What comes over the socket. */
export interface SocketHandlers {
  /** Slack greeted: events come from now on. */
  onReady(): void;
  /** A sign of life. */
  onFrame(): void;
  /**
   * Something to be acknowledged: that is done when the promise resolves, with what it resolves to.
   * Null: it is not acknowledged, and Slack sends it again.
   */
  onEnvelope(envelope: Envelope): Promise<JsonObject | null>;
}

/** What Slack hands over. */
export interface Envelope {
  /** `events_api`, `slash_commands`, `interactive`, … */
  readonly type: string;
  readonly payload: unknown;
  /** How often it was sent before. */
  readonly retries: number;
}

/** How a socket came to its end. `refresh`: Slack is about to end it, and wants another one. */
export type SocketEnd =
  | { readonly state: "closed" }
  | { readonly state: "refresh" }
  | { readonly state: "lost"; readonly detail: string }
  | { readonly state: "disabled" };

/** A socket. */
export interface SlackSocket {
  /** Resolves when another one is needed, or this one was closed. */
  readonly end: Promise<SocketEnd>;
  /** Checks that the other side lives; its answer is a frame. */
  ping(): void;
  /** Lets what is under way end for a moment, then closes. Doing it twice does nothing. */
  close(): Promise<void>;
}

/** Slack, as the channel needs it. */
export interface SlackLink extends Disposable {
  /**
   * Makes one call.
   *
   * @returns the decoded answer, whose `ok` is true
   * @throws {SlackRefusedError} Slack said no
   * @throws {SlackUnreachableError} no answer came, or none that can be read
   */
  call(call: SlackCall, signal: AbortSignal): Promise<unknown>;
  /** The scopes that the bot token has. @throws as `call` does */
  scopes(signal: AbortSignal): Promise<readonly string[]>;
  /** Sends a file's bytes where Slack said. @throws as `call` does */
  upload(url: string, bytes: Uint8Array<ArrayBuffer>, signal: AbortSignal): Promise<void>;
  /** Fetches a file with the bot's token. @throws as `call` does, and what `take` throws */
  download<T>(
    url: string,
    take: (file: IncomingFile) => Promise<T>,
    signal: AbortSignal,
  ): Promise<T>;
  /** Opens a socket at an address that Slack gave out. @throws {SlackUnreachableError} */
  open(url: string, handlers: SocketHandlers, signal: AbortSignal): Promise<SlackSocket>;
}
