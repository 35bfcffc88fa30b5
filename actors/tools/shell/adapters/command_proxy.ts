/**
 * The way out of the sandbox: an HTTP proxy on a Unix socket that applies the network boundary
 * and connects to exactly the address that it has checked.
 * @module
 */

import { getLogger } from "@logtape/logtape";
import { writeAll } from "../../../kernel/adapters/write_all.ts";
import type { Clock } from "../../../kernel/clock.ts";
import { Deadline } from "../../../kernel/deadline.ts";
import { asError } from "../../../kernel/errors.ts";
import { systemLookUp } from "../../net/adapters/look_up.ts";
import type { NetBoundary } from "../../net/boundary.ts";
import { type LookUp, resolveChecked } from "../../net/connection.ts";
import { NetError } from "../../net/net_error.ts";
import { type ProxyRequest, readProxyRequest } from "../proxy_request.ts";

const logger = getLogger(["troupe", "tools", "command_proxy"]);

const HEAD_BYTES_MAX = 64 * 1024;
/** A program that has connected says what it wants within this time. */
const HEAD_TIMEOUT_MS = 30_000;
const CONNECT_TIMEOUT_MS = 30_000;
/** Connections at once, of all commands together. */
const CONNECTIONS_MAX = 256;

/** What the proxy goes by. */
export interface CommandProxyOptions {
  readonly clock: Clock;
  readonly boundary: NetBoundary;
  /** @default the system's resolver */
  readonly lookUp?: LookUp | undefined;
}

/** Listens until it is disposed of, which ends its connections too. */
export class CommandProxy implements AsyncDisposable {
  readonly #listener: Deno.UnixListener;
  readonly #options: CommandProxyOptions;
  readonly #open = new Set<Deno.Conn>();
  readonly #serving: Promise<void>;

  /** Listens on a socket in a folder that only we can enter. */
  static listen(path: string, options: CommandProxyOptions): CommandProxy {
    return new CommandProxy(Deno.listen({ transport: "unix", path }), options);
  }

  private constructor(listener: Deno.UnixListener, options: CommandProxyOptions) {
    this.#listener = listener;
    this.#options = options;
    this.#serving = this.#serve();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#listener.close();
    for (const connection of this.#open) close(connection);
    await this.#serving;
  }

  async #serve(): Promise<void> {
    const running = new Set<Promise<void>>();
    try {
      for await (const inner of this.#listener) {
        if (running.size >= CONNECTIONS_MAX) {
          close(inner);
          continue;
        }
        const one = this.#take(inner).finally(() => running.delete(one));
        running.add(one);
      }
    } catch (error) {
      logger.warn("The proxy of shell commands has ended: {error}", {
        error: asError(error).message,
      });
    }
    await Promise.all(running);
  }

  async #take(inner: Deno.Conn): Promise<void> {
    this.#open.add(inner);
    const { clock } = this.#options;
    const timer = clock.setTimer(HEAD_TIMEOUT_MS, () => close(inner));
    try {
      const { head, rest } = await readHead(inner);
      timer.cancel();
      await this.#answer(inner, readProxyRequest(head), rest);
    } catch (error) {
      const { message } = asError(error);
      await write(
        inner,
        refusal(error instanceof NetError ? "403 Forbidden" : "502 Bad Gateway", message),
      )
        .catch(() => {}); // it has gone
    } finally {
      timer.cancel();
      close(inner);
      this.#open.delete(inner);
    }
  }

  async #answer(inner: Deno.Conn, request: ProxyRequest, rest: Uint8Array): Promise<void> {
    if (request.type === "invalid") {
      await write(inner, refusal("400 Bad Request", request.reason));
      return;
    }
    const outer = await this.#connect(request.host, request.port);
    this.#open.add(outer);
    try {
      if (request.type === "tunnel") {
        await write(inner, "HTTP/1.1 200 Connection established\r\n\r\n");
      } else await write(outer, request.head);
      await writeAll(outer, rest);
      await Promise.allSettled([
        inner.readable.pipeTo(outer.writable),
        outer.readable.pipeTo(inner.writable),
      ]);
    } finally {
      close(outer);
      this.#open.delete(outer);
    }
  }

  /** @throws {NetError} for what the boundary refuses */
  async #connect(hostname: string, port: number): Promise<Deno.TcpConn> {
    const { clock, boundary, lookUp = systemLookUp } = this.#options;
    using deadline = new Deadline(clock, CONNECT_TIMEOUT_MS);
    const { signal } = deadline;
    let last: unknown = new NetError("request_failed", "there is no address");
    for (const { address } of await resolveChecked(hostname, { boundary, lookUp }, signal)) {
      try {
        return await Deno.connect({ hostname: address, port, signal });
      } catch (error) {
        last = error;
        if (deadline.hasPassed) break;
      }
    }
    throw last;
  }
}

/** Reads up to the empty line; what came after it belongs to the body. */
async function readHead(
  connection: Deno.Conn,
): Promise<{ readonly head: string; readonly rest: Uint8Array }> {
  const buffer = new Uint8Array(HEAD_BYTES_MAX);
  let size = 0;
  while (size < buffer.length) {
    const count = await connection.read(buffer.subarray(size));
    if (count === null) break;
    size += count;
    const end = endOfHead(buffer.subarray(0, size));
    if (end >= 0) {
      return {
        head: new TextDecoder("latin1").decode(buffer.subarray(0, end)),
        rest: buffer.slice(end + 4, size),
      };
    }
  }
  throw new NetError("response_invalid", "the request has no end");
}

function endOfHead(bytes: Uint8Array): number {
  for (let at = 0; at + 3 < bytes.length; at++) {
    if (bytes[at] === 13 && bytes[at + 1] === 10 && bytes[at + 2] === 13 && bytes[at + 3] === 10) {
      return at;
    }
  }
  return -1;
}

function refusal(status: string, reason: string): string {
  const body = `${reason} (a policy of the owner, do not retry)\n`;
  const length = new TextEncoder().encode(body).length;
  return `HTTP/1.1 ${status}\r\nContent-Type: text/plain; charset=utf-8\r\n` +
    `Content-Length: ${length}\r\nConnection: close\r\n\r\n${body}`;
}

function write(connection: Deno.Conn, text: string): Promise<void> {
  return writeAll(connection, new TextEncoder().encode(text));
}

function close(connection: Deno.Conn): void {
  try {
    connection.close();
  } catch (error) {
    if (!(error instanceof Deno.errors.BadResource)) throw error; // it is closed already
  }
}
