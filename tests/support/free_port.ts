/**
 * A port for a server that cannot be asked which one it took.
 * @module
 */

/** A port of 127.0.0.1 where nothing listens just now. */
export function freePort(): number {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  return listener.addr.port;
}
