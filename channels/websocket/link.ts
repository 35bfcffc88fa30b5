/**
 * What the channel asks of a web server. Behind it stand Node's server and `ws`, loaded at first use.
 * @module
 */

/** A request, as far as anybody looks at it. Nothing here takes a body. */
export interface WebRequest {
  readonly method: string;
  /** Without query, and without slashes at its end. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** Of a name in lower case; null when there is none. */
  header(name: string): string | null;
  /** Address of the peer. */
  readonly remote: string;
}

/** An answer to a request. */
export interface WebAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | ReadableStream<Uint8Array>;
}

/** One client's socket. */
export interface WebSocketLink {
  /** Bytes that were given to `send` and have not left this process. */
  readonly waitingBytes: number;
  /** Sends a frame of text; `left` is called when it has left this process, or the socket ends. */
  send(text: string, left: () => void): void;
  /** Says goodbye, and cuts the line if no answer comes. */
  close(code: number, reason: string): void;
  /** Cuts the line. */
  terminate(): void;
  ping(): void;
  /** Reads nothing more, so that the client has to wait. */
  pause(): void;
  resume(): void;
}

/** What is told of a socket. */
export interface WebSocketHandlers {
  /** Whole frames; binary ones are null unless they hold UTF-8. */
  onFrame(text: string | null): void;
  onPong(): void;
  /** Once; nothing follows. */
  onEnd(): void;
}

/** What becomes of a client that wants a socket. */
export type Upgrade =
  | { readonly state: "refused"; readonly answer: WebAnswer }
  | {
    readonly state: "admitted";
    readonly open: (socket: WebSocketLink) => WebSocketHandlers;
  };

/** Who answers. */
export interface WebHandlers {
  answer(request: WebRequest): Promise<WebAnswer>;
  upgrade(request: WebRequest): Upgrade;
}

/** Where and how to listen. */
export interface ListenOptions {
  readonly host: string;
  readonly port: number;
  /** Largest frame; a client that sends more is closed with 1009 before it is read. */
  readonly frameBytesMax: number;
  /** Open connections, whatever they are for. */
  readonly connectionsMax: number;
  /** Files in PEM; undefined for no TLS. */
  readonly tls: { readonly certFile: string; readonly keyFile: string } | undefined;
}

/** A server that listens; disposing of it cuts what is open. */
export interface WebServer extends AsyncDisposable {
  readonly port: number;
}

/**
 * Listens.
 *
 * @throws {WebsocketSetupError} when the certificate cannot be used
 * @throws {ListenError} when the place cannot be listened at just now
 */
export type Listen = (options: ListenOptions, handlers: WebHandlers) => Promise<WebServer>;

/** The sub-protocol that is spoken; a client that names it may hand its token in beside it. */
export const PROTOCOL = "troupe.v1";
