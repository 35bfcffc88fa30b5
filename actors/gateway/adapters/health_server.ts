/**
 * `GET /health` over HTTP.
 * @module
 */

import { asError } from "../../kernel/errors.ts";
import { StartError } from "../errors.ts";
import type { HealthReport } from "../health.ts";

/** Where the server listens, and what it tells. */
export interface HealthServerOptions {
  readonly host: string;
  /** 0: any free one. */
  readonly port: number;
  readonly report: () => Promise<HealthReport>;
}

/** A server that answers `GET /health`, and 404 to all else. */
export class HealthServer implements AsyncDisposable {
  readonly #server: Deno.HttpServer<Deno.NetAddr>;

  /** @throws {StartError} when the port is taken */
  static listen(options: HealthServerOptions): HealthServer {
    return new HealthServer(options);
  }

  private constructor({ host, port, report }: HealthServerOptions) {
    try {
      this.#server = Deno.serve(
        { hostname: host, port, onListen: () => {} },
        (request) => answer(request, report),
      );
    } catch (error) {
      const cause = asError(error);
      const problem = error instanceof Deno.errors.AddrInUse
        ? "another program listens there"
        : cause.message;
      const fix = "choose another gateway.port or --port";
      const text =
        `Cannot listen on gateway.host:gateway.port "${host}:${port}": ${problem}; ${fix}`;
      throw new StartError("port_taken", text, { cause });
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

async function answer(
  request: Request,
  report: () => Promise<HealthReport>,
): Promise<Response> {
  const { pathname } = new URL(request.url);
  const isAsked = pathname === "/health" && (request.method === "GET" || request.method === "HEAD");
  if (!isAsked) return new Response("Not Found", { status: 404 });
  const health = await report();
  return Response.json(health, { headers: { "cache-control": "no-store" } });
}
