/**
 * A connection to a server, opened by name. The SMTP library looks names up by itself, for which a
 * right to one host and port is not enough.
 * @module
 */

import { connect, type Socket } from "node:net";

/** Where to, and for how long. */
export interface SocketOptions {
  readonly host: string;
  readonly port: number;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** Connects. @throws what the system says, or the signal's reason */
export async function openSocket(
  { host, port, timeoutMs, signal }: SocketOptions,
): Promise<Socket> {
  const socket = connect({ host, port });
  const { promise: connected, resolve, reject } = Promise.withResolvers<void>();
  const stop = (): void => reject(signal.reason);
  signal.addEventListener("abort", stop, { once: true });
  socket.setTimeout(timeoutMs, () => reject(new Error("connecting took too long")));
  socket.once("error", reject);
  socket.once("connect", resolve);
  try {
    await connected;
    socket.setTimeout(0);
    return socket;
  } catch (error) {
    socket.on("error", () => {}); // it is given up
    socket.destroy();
    throw error;
  } finally {
    signal.removeEventListener("abort", stop);
    socket.off("error", reject);
    socket.off("connect", resolve);
  }
}
