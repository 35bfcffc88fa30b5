/**
 * `GET /health` and `GET /metrics` over HTTP.
 * @module
 */

import type { HealthReport } from "../health.ts";
import { EXPOSITION_TYPE } from "../watch/exposition.ts";
import { HttpListener } from "./http_listener.ts";

/** Where the server listens, and what it tells. */
export interface HealthServerOptions {
  readonly host: string;
  /** 0: any free one. */
  readonly port: number;
  readonly report: () => Promise<HealthReport>;
  /** All numbers as text, with those of a report. */
  readonly metrics: (report: HealthReport) => string;
}

/**
 * A server that answers these two, and 404 to all else.
 *
 * @throws {StartError} when the port is taken, or the host is no address of this machine
 */
export async function healthServer(options: HealthServerOptions): Promise<HttpListener> {
  const { host, port } = options;
  const place = { host, port, section: "gateway", path: "/health" } as const;
  return await HttpListener.open(place, (request) => answer(request, options));
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
