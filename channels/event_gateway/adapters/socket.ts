/**
 * The socket on which the platform tells of events.
 * @module
 */

import type { GatewaySocket, SocketHandlers } from "../socket.ts";

const ABNORMAL_CLOSE = 1006;

/** Opens a socket; what goes wrong is told as its end. @param client knows of a proxy */
export function openSocket(
  address: string,
  handlers: SocketHandlers,
  client?: Deno.HttpClient,
): GatewaySocket {
  const socket = new WebSocket(address, client === undefined ? {} : { client });
  const listening = new AbortController();
  const { signal } = listening;
  const end = (code: number): void => {
    if (signal.aborted) return;
    listening.abort();
    handlers.onClosed(code);
  };
  socket.addEventListener("message", ({ data }) => {
    if (typeof data === "string") handlers.onText(data);
  }, { signal });
  socket.addEventListener("close", ({ code }) => end(code), { signal });
  // Stays, so that an error after our own close is nobody's.
  socket.addEventListener("error", (event) => {
    event.preventDefault();
    end(ABNORMAL_CLOSE);
  });
  return {
    send: (text) => {
      if (socket.readyState === WebSocket.OPEN) socket.send(text);
    },
    close: (code) => {
      listening.abort();
      if (socket.readyState <= WebSocket.OPEN) socket.close(code);
    },
  };
}
