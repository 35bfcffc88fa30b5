/**
 * `GET /health` and `GET /metrics` over HTTP.
 * @module
 */

import type { HealthReport } from "../health.ts";
import { EXPOSITION_TYPE } from "../watch/exposition.ts";
import { baseUrl, listenHttp } from "./http_listener.ts";

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
    const place = { host, port, section: "gateway" } as const;
    this.#server = listenHttp(place, (request) => answer(request, options));
  }

  /** For instance `http://127.0.0.1:18790/health`. */
  get url(): string {
    return `${baseUrl(this.#server)}/health`;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#server.shutdown();
  }
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
