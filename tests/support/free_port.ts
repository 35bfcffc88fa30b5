/**
 * A port for a server that cannot be asked which one it took.
 * @module
 */

/** Below those that systems give out by themselves: no connection of another test takes one. */
const FIRST = 20_000;
const COUNT = 12_000;
const TRIES = 50;
const given = new Set<number>();

/** A port of 127.0.0.1 where nothing listens just now. */
export function freePort(): number {
  for (let n = 0; n < TRIES; n++) {
    const port = FIRST + Math.floor(Math.random() * COUNT);
    if (given.has(port)) continue;
    try {
      using _listener = Deno.listen({ hostname: "127.0.0.1", port });
      given.add(port);
      return port;
    } catch (error) {
      if (!(error instanceof Deno.errors.AddrInUse)) throw error;
    }
  }
  throw new Error(`Cannot find a free port: ${TRIES} are taken`);
}
