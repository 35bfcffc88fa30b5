/**
 * The seam between the channel and the library that speaks to the platform.
 * @module
 */

/** One REST call. */
export interface FeishuRequest {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Below the base URL, with a leading slash. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly body?: Readonly<Record<string, unknown>>;
  /** Sent as a multipart form instead; a Blob's file name stands in `fileName`. */
  readonly form?: UploadForm;
  /** How long the call may take. */
  readonly timeoutMs?: number;
}

/** A file to upload with the fields that describe it. */
export interface UploadForm {
  readonly fields: Readonly<Record<string, string>>;
  readonly fileField: string;
  readonly fileName: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** A file that the platform sends; `body` must be read to its end, or cancelled. */
export interface IncomingFile {
  readonly body: ReadableStream<Uint8Array>;
  /** As the platform names it; "" without a name. */
  readonly name: string;
  readonly contentType: string;
  /** Bytes that are announced; null when none are. */
  readonly length: number | null;
}

/** Takes a file in; what it rejects with, the download rejects with. */
export type TakeFile<T> = (file: IncomingFile) => Promise<T>;

/** What the long connection tells. */
export interface ConnectionHandlers {
  /** The connection is up. */
  onReady(): void;
  /** The platform gave a sign of life. */
  onFrame(): void;
  /** Another event than a message; it is acknowledged whatever comes of it. */
  onEvent(eventType: string, event: unknown): void;
  /**
   * A message event, decoded but not checked. The platform is acknowledged when the promise
   * resolves to true, and never when it resolves to false.
   */
  onMessage(event: unknown): Promise<boolean>;
  /** Somebody pressed a button of ours; acknowledged as a message is. */
  onPress(event: unknown): Promise<boolean>;
}

/** Why a connection ended. `retryAtMostMs` is the longest wait that the platform wants. */
export type ConnectionEnd =
  | { readonly state: "closed" }
  | { readonly state: "lost"; readonly detail: string; readonly retryAtMostMs: number | null }
  | { readonly state: "refused"; readonly code: number; readonly detail: string };

/** The platform, as the channel needs it. */
export interface FeishuLink {
  /**
   * Makes one call with a valid token; a refused token is renewed once.
   *
   * @returns the decoded answer, whose `code` is 0
   * @throws {FeishuRefusedError} the platform said no
   * @throws {FeishuUnreachableError} no answer came, or none that can be read
   */
  request(request: FeishuRequest, signal: AbortSignal): Promise<unknown>;
  /**
   * Makes a call that is answered by a file.
   *
   * @throws as `request` does, and what `take` throws
   */
  download<T>(request: FeishuRequest, take: TakeFile<T>, signal: AbortSignal): Promise<T>;
  /** Keeps one long connection until it is lost or `signal` aborts; never rejects. */
  connect(handlers: ConnectionHandlers, signal: AbortSignal): Promise<ConnectionEnd>;
}
