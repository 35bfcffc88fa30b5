/**
 * The socket on which a platform tells of events, as a session needs it.
 * @module
 */

/** What a socket tells. */
export interface SocketHandlers {
  onText(text: string): void;
  /** Once, unless we closed it. A `code` of 1006 says that the connection broke. */
  onClosed(code: number): void;
}

/** A socket that is opened, or on the way to be. */
export interface GatewaySocket {
  send(text: string): void;
  /** Ends it at once; nothing is told any more. */
  close(code: number): void;
}

/** Opens a socket; what goes wrong is told as its end. */
export type OpenSocket = (address: string, handlers: SocketHandlers) => GatewaySocket;
