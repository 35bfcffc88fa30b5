/**
 * Listening for HTTP, and what to say where that is not possible.
 * @module
 */

import { asError } from "../../kernel/errors.ts";
import { StartError } from "../errors.ts";

/** Where to listen. */
export interface ListenPlace {
  readonly host: string;
  /** 0: any free one. */
  readonly port: number;
  /** The section of the configuration that says so. */
  readonly section: "gateway" | "api";
}

/** A server that listens. */
export type HttpListener = Deno.HttpServer<Deno.NetAddr>;

/**
 * Listens, and gives each request to `answer`.
 *
 * @throws {StartError} when the port is taken, or the host is no address of this machine
 */
export function listenHttp(
  { host: hostname, port, section }: ListenPlace,
  answer: (request: Request) => Promise<Response>,
): HttpListener {
  try {
    return Deno.serve({ hostname, port, onListen: () => {} }, answer);
  } catch (error) {
    throw cannotListen(`${hostname}:${port}`, section, error);
  }
}

/** For instance `http://127.0.0.1:18790`. */
export function baseUrl({ addr: { hostname, port } }: HttpListener): string {
  return `http://${hostname.includes(":") ? `[${hostname}]` : hostname}:${port}`;
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
