/**
 * The platform, as the channel needs it: calls, files, and the socket on which events come.
 * @module
 */

import type { JsonObject, JsonValue } from "../../actors/kernel/json.ts";
import type { GatewaySocket, SocketHandlers } from "../event_gateway/socket.ts";

/** A file that goes with a message. */
export interface OutgoingFile {
  readonly name: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** One call of the platform's API. */
export interface DiscordRequest {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** With a slash in front, without the API's base and version. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: JsonObject | readonly JsonValue[];
  readonly file?: OutgoingFile;
}

/** What an answer says about the rate of its kind of call. */
export interface RateFacts {
  /** The platform's name for the limit, which several kinds of call may share. */
  readonly bucket: string;
  /** Calls that are left. */
  readonly remaining: number;
  readonly resetAfterMs: number;
}

/** An answer of the platform. */
export interface DiscordAnswer {
  /** Decoded; null when there is none. */
  readonly body: unknown;
  /** Null where the platform tells nothing. */
  readonly rate: RateFacts | null;
}

/** A file that comes in. */
export interface IncomingFile {
  readonly body: ReadableStream<Uint8Array<ArrayBuffer>>;
  readonly contentType: string;
  /** Bytes as announced; null when nothing is. */
  readonly length: number | null;
}

/** Takes a file in. */
export type TakeFile<T> = (file: IncomingFile) => Promise<T>;

/** The platform. */
export interface DiscordLink {
  /**
   * Makes one call.
   *
   * @throws {DiscordRefusedError} the platform said no
   * @throws {DiscordUnreachableError} no answer came, or none that can be read
   */
  request(request: DiscordRequest, signal: AbortSignal): Promise<DiscordAnswer>;
  /**
   * Fetches a file by its address.
   *
   * @throws as `request` does, and what `take` throws
   */
  download<T>(address: string, take: TakeFile<T>, signal: AbortSignal): Promise<T>;
  openSocket(address: string, handlers: SocketHandlers): GatewaySocket;
}
