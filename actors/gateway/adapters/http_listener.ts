/**
 * A server for HTTP, and what to say where there can be none.
 * @module
 */

import { asError } from "../../kernel/errors.ts";
import { StartError } from "../errors.ts";

/** Answers that are under way when the gateway stops have this long; their work has ended. */
const CLOSE_MS = 2_000;

/** Where to listen. */
export interface ListenPlace {
  readonly host: string;
  /** 0: any free one. */
  readonly port: number;
  /** The section of the configuration that says so. */
  readonly section: "gateway" | "api";
  /** What people are told to ask for there, such as `/health`. */
  readonly path: string;
}

/** Listens, and gives each request to `answer`, until it is disposed of. */
export class HttpListener implements AsyncDisposable {
  readonly #server: Deno.HttpServer<Deno.NetAddr>;
  readonly #path: string;

  /** @throws {StartError} when the port is taken, or the host is no address of this machine */
  constructor(
    { host: hostname, port, section, path }: ListenPlace,
    answer: (request: Request) => Promise<Response>,
  ) {
    this.#path = path;
    try {
      this.#server = Deno.serve({ hostname, port, onListen: () => {} }, answer);
    } catch (error) {
      throw cannotListen(`${hostname}:${port}`, section, error);
    }
  }

  /** For instance `http://127.0.0.1:18790/health`. */
  get url(): string {
    const { hostname, port } = this.#server.addr;
    return `http://${hostname.includes(":") ? `[${hostname}]` : hostname}:${port}${this.#path}`;
  }

  /** Whoever never reads their answer holds nobody up. */
  async [Symbol.asyncDispose](): Promise<void> {
    const { promise: late, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, CLOSE_MS);
    await Promise.race([this.#server.shutdown(), late]);
    clearTimeout(timer);
  }
}

function cannotListen(
  place: string,
  section: ListenPlace["section"],
  error: unknown,
): StartError {
  const cause = asError(error);
  const what = `Cannot listen on ${section}.host:${section}.port "${place}"`;
  const otherPort = `choose another ${section}.port or --port`;
  if (error instanceof Deno.errors.AddrInUse) {
    const text = `${what}: another program listens there; ${otherPort}`;
    return new StartError("port_taken", text, { cause });
  }
  if (error instanceof Deno.errors.PermissionDenied) {
    return new StartError("port_taken", `${what}: ${cause.message}; ${otherPort}`, { cause });
  }
  const text = `${what}: ${cause.message}; set ${section}.host to an address of this machine, ` +
    "such as 127.0.0.1";
  return new StartError("host_unusable", text, { cause });
}
