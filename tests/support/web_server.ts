/**
 * Servers on 127.0.0.1 for the network boundary: real ones, and raw ones that say what no real
 * one would; and a network that may reach them.
 * @module
 */

import { systemClock } from "../../actors/kernel/adapters/system_clock.ts";
import { PinnedExit } from "../../actors/tools/net/adapters/guarded_connection.ts";
import { type BoundaryRules, NetBoundary } from "../../actors/tools/net/boundary.ts";
import type { HttpExit, LookUp } from "../../actors/tools/net/connection.ts";
import { GuardedHttp } from "../../actors/tools/net/guarded_http.ts";
import { NetError } from "../../actors/tools/net/net_error.ts";
import type { Clock } from "../../actors/kernel/clock.ts";

/** A server that is there until it is disposed of. */
export interface LocalServer extends AsyncDisposable {
  readonly port: number;
  /** `http://127.0.0.1:<port>` */
  readonly origin: string;
  /** What was asked for, as `METHOD /path`; of a raw server the head of each request. */
  readonly requests: readonly string[];
}

/** Serves what `answer` says. */
export function webServer(
  answer: (request: Request) => Response | Promise<Response>,
): LocalServer {
  const requests: string[] = [];
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, (request) => {
    const { pathname, search } = new URL(request.url);
    requests.push(`${request.method} ${pathname}${search}`);
    return answer(request);
  });
  const { port } = server.addr;
  return {
    port,
    origin: `http://127.0.0.1:${port}`,
    requests,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

/** Hands each connection to `speak` with the head of its request; it is closed afterwards. */
export function rawServer(
  speak: (connection: Deno.Conn, head: string) => Promise<void>,
): LocalServer {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const requests: string[] = [];
  const open = new Set<Deno.Conn>();
  const serve = async (connection: Deno.Conn) => {
    open.add(connection);
    try {
      const head = await readHead(connection);
      requests.push(head);
      await speak(connection, head);
    } catch {
      // The other side went away: what such servers are for.
    } finally {
      if (open.delete(connection)) connection.close();
    }
  };
  const serving = (async () => {
    const connections: Promise<void>[] = [];
    for await (const connection of listener) connections.push(serve(connection));
    await Promise.all(connections);
  })();
  const { port } = listener.addr;
  return {
    port,
    origin: `http://127.0.0.1:${port}`,
    requests,
    async [Symbol.asyncDispose]() {
      listener.close();
      for (const connection of open) if (open.delete(connection)) connection.close();
      await serving;
    },
  };
}

/** Writes all of it. */
export async function say(connection: Deno.Conn, data: string | Uint8Array): Promise<void> {
  let bytes = typeof data === "string" ? new TextEncoder().encode(data) : data;
  while (bytes.length > 0) bytes = bytes.subarray(await connection.write(bytes));
}

/** Waits until the other side has gone. */
export async function untilGone(connection: Deno.Conn): Promise<void> {
  const buffer = new Uint8Array(1_024);
  while (await connection.read(buffer) !== null);
}

async function readHead(connection: Deno.Conn): Promise<string> {
  const buffer = new Uint8Array(4_096);
  let head = "";
  while (!head.includes("\r\n\r\n")) {
    const length = await connection.read(buffer);
    if (length === null) break;
    head += new TextDecoder().decode(buffer.subarray(0, length));
  }
  return head;
}

/** A network for tests. */
export interface TestNetOptions extends Partial<BoundaryRules> {
  /** Names and their addresses; others have none. */
  readonly names?: Readonly<Record<string, readonly string[]>>;
  readonly lookUp?: LookUp;
  readonly exit?: HttpExit;
  readonly clock?: Clock;
}

/** The production network with a resolver of its own. Only `allowedRanges` opens 127.0.0.0/8. */
export function testNet(
  { names = {}, lookUp, exit = new PinnedExit(), clock = systemClock, ...rules }: TestNetOptions =
    {},
): GuardedHttp {
  return new GuardedHttp({
    boundary: new NetBoundary({ allowedRanges: [], allowedHosts: [], ...rules }),
    lookUp: lookUp ?? ((host) => {
      const addresses = names[host];
      if (addresses !== undefined) return Promise.resolve(addresses);
      return Promise.reject(new NetError("host_unresolved", `Cannot reach "${host}": no address`));
    }),
    exit,
    clock,
  });
}

/** The range in which tests serve. */
export const LOOPBACK: Partial<BoundaryRules> = { allowedRanges: ["127.0.0.0/8"] };
