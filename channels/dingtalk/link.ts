/**
 * What the channel asks of the network. Behind it stand `fetch` and a WebSocket.
 * @module
 */

import type { JsonObject } from "../../actors/kernel/json.ts";

/** A call of the newer API. */
export interface DingTalkCall {
  /** Below the API's address, with a slash in front. */
  readonly path: string;
  readonly body: JsonObject;
  /** The app's token; undefined for calls by which it signs in. */
  readonly token?: string;
  /** No layer below may send it twice. @default false */
  readonly isOnce?: boolean;
}

/** Which of the platform's folders a file goes to. */
export type UploadKind = "image" | "voice" | "video" | "file";

/** A file to upload. */
export interface Upload {
  readonly kind: UploadKind;
  readonly name: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** A file of a person's. */
export interface IncomingFile {
  readonly body: ReadableStream<Uint8Array>;
  readonly contentType: string;
  /** In bytes; null when it is not told. */
  readonly length: number | null;
}

/** How a socket ended. */
export interface SocketClose {
  /** The code of the close frame; 1006 for a connection that broke. */
  readonly code: number;
  /** For people. */
  readonly detail: string;
}

/** An open socket. */
export interface TextSocket {
  /** Resolves when the connection is gone, whoever ended it. */
  readonly closed: Promise<SocketClose>;
  /** Sends a text; one that cannot be sent any more is dropped, and `closed` tells. */
  send(text: string): void;
  /** Ends it in good order; resolves soon, whatever the other side does. */
  close(code?: number): Promise<void>;
}

/**
 * DingTalk over the network.
 *
 * All methods throw {@link DingTalkRefusedError} and {@link DingTalkUnreachableError}, and the
 * signal's reason.
 */
export interface DingTalkLink extends Disposable {
  /** @returns the answer, not parsed */
  post(call: DingTalkCall, signal: AbortSignal): Promise<unknown>;
  /** @returns the answer, not parsed */
  upload(file: Upload, token: string, signal: AbortSignal): Promise<unknown>;
  /** Fetches a file; only from the platform's own hosts, wherever it is sent on to. */
  download<T>(
    url: string,
    take: (file: IncomingFile) => Promise<T>,
    signal: AbortSignal,
  ): Promise<T>;
  /** Opens a stream, at the platform's own hosts only. */
  open(url: string, onText: (text: string) => void, signal: AbortSignal): Promise<TextSocket>;
}
