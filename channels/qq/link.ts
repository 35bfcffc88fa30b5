/**
 * The platform, as the channel needs it: tokens, calls, files, and the socket on which events come.
 * @module
 */

import type { JsonObject } from "../../actors/kernel/json.ts";
import type { LentToken } from "../access_token.ts";
import type { OpenSocket } from "../event_gateway/socket.ts";

/** One call of the platform's API. */
export interface QqRequest {
  readonly method: "GET" | "POST";
  /** With a slash in front. */
  readonly path: string;
  readonly token: string;
  readonly body?: JsonObject;
  /** It carries a file, and may take longer. @default false */
  readonly isLarge?: boolean;
}

/** A file that comes in. */
export interface IncomingFile {
  readonly body: ReadableStream<Uint8Array>;
  readonly contentType: string;
  /** Bytes as announced; null when nothing is. */
  readonly length: number | null;
}

/** The platform. All methods but `openSocket` throw {@link QqRefusedError} and {@link QqUnreachableError}. */
export interface QqLink {
  /** Lends a token. @throws {QqCredentialsError} when the platform does not know the bot */
  lendToken(signal: AbortSignal): Promise<LentToken>;
  /** Makes one call. @returns the decoded answer */
  request(request: QqRequest, signal: AbortSignal): Promise<unknown>;
  /** Fetches a file by its address. @throws what `take` throws as well */
  download<T>(
    address: string,
    take: (file: IncomingFile) => Promise<T>,
    signal: AbortSignal,
  ): Promise<T>;
  readonly openSocket: OpenSocket;
}
