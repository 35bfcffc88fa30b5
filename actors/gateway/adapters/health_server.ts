/**
 * `GET /health` and `GET /metrics` over HTTP.
 * @module
 */

import { asError } from "../../kernel/errors.ts";
import { StartError } from "../errors.ts";
import type { HealthReport } from "../health.ts";
import { EXPOSITION_TYPE } from "../watch/exposition.ts";

/** Where the server listens, and what it tells. */
export interface HealthServerOptions {
  readonly host: string;
  /** 0: any free one. */
  readonly port: number;
  readonly report: () => Promise<HealthReport>;
  /** All numbers as text, with those of a report. */
  readonly metrics: (report: HealthReport) => string;
}

/** A server that answers these two, and 404 to all else. */
export class HealthServer implements AsyncDisposable {
  readonly #server: Deno.HttpServer<Deno.NetAddr>;

  /** @throws {StartError} when the port is taken, or the host is no address of this machine */
  static listen(options: HealthServerOptions): HealthServer {
    return new HealthServer(options);
  }

  private constructor(options: HealthServerOptions) {
    const { host, port } = options;
    try {
      this.#server = Deno.serve(
        { hostname: host, port, onListen: () => {} },
        (request) => answer(request, options),
      );
    } catch (error) {
      throw cannotListen(`${host}:${port}`, error);
    }
  }

  /** For instance `http://127.0.0.1:18790/health`. */
  get url(): string {
    const { hostname, port } = this.#server.addr;
    const host = hostname.includes(":") ? `[${hostname}]` : hostname;
    return `http://${host}:${port}/health`;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#server.shutdown();
  }
}

function cannotListen(place: string, error: unknown): StartError {
  const cause = asError(error);
  const what = `Cannot listen on gateway.host:gateway.port "${place}"`;
  const otherPort = "choose another gateway.port or --port";
  if (error instanceof Deno.errors.AddrInUse) {
    const text = `${what}: another program listens there; ${otherPort}`;
    return new StartError("port_taken", text, { cause });
  }
  if (error instanceof Deno.errors.PermissionDenied) {
    return new StartError("port_taken", `${what}: ${cause.message}; ${otherPort}`, { cause });
  }
  const text = `${what}: ${cause.message}; set gateway.host to an address of this machine, such ` +
    "as 127.0.0.1";
  return new StartError("host_unusable", text, { cause });
}

async function answer(
  request: Request,
  { report, metrics }: HealthServerOptions,
): Promise<Response> {
  const { pathname } = new URL(request.url);
  const isRead = request.method === "GET" || request.method === "HEAD";
  const headers = { "cache-control": "no-store" };
  if (isRead && pathname === "/health") return Response.json(await report(), { headers });
  if (!isRead || pathname !== "/metrics") return new Response("Not Found", { status: 404 });
  const text = metrics(await report());
  return new Response(text, { headers: { ...headers, "content-type": EXPOSITION_TYPE } });
}
