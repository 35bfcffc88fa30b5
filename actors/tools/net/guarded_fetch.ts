/**
 * The network in the shape of `fetch`, for libraries that take one, such as the client of a tool
 * server over HTTP. Bodies stream, as long as the caller's signal lets them.
 * @module
 */

import type { BoundaryExemption } from "./boundary.ts";
import type { GuardedHttp, OpenResponse } from "./guarded_http.ts";

/** What such libraries call. */
export type FetchLike = (url: string | URL, init?: RequestInit) => Promise<Response>;

/** Statuses whose answers have no body by the standard, and for which `Response` takes none. */
const BODILESS: ReadonlySet<number> = new Set([101, 204, 205, 304]);

/**
 * A `fetch` within the boundary. It takes bodies of text, and follows redirects itself.
 *
 * @throws {NetError} from the call for what is refused or fails
 */
export function guardedFetch(http: GuardedHttp, exemption: BoundaryExemption = {}): FetchLike {
  return async (url, init = {}) => {
    const { method = "GET", headers, body = null } = init;
    const response = await http.open({
      url: String(url),
      method: method.toUpperCase(),
      headers: Object.fromEntries(new Headers(headers)),
      body: textOf(body),
      ...exemption,
    }, init.signal ?? new AbortController().signal);
    const { status } = response;
    const isBodiless = BODILESS.has(status);
    if (isBodiless) response.close();
    const stream = isBodiless ? null : streamOf(response);
    return new Response(stream, { status, headers: unpacked(response.headers) });
  };
}

/** Ends the connection also when it is cancelled before anything was read. */
function streamOf(response: OpenResponse): ReadableStream<Uint8Array<ArrayBuffer>> {
  const iterator = response.body[Symbol.asyncIterator]();
  return new ReadableStream({
    async pull(controller) {
      const next = await iterator.next();
      if (next.done === true) controller.close();
      else controller.enqueue(new Uint8Array(next.value));
    },
    cancel() {
      response.close();
    },
  });
}

function textOf(body: RequestInit["body"]): string | undefined {
  if (body === null || body === undefined) return undefined;
  if (typeof body === "string" || body instanceof URLSearchParams) return body.toString();
  throw new TypeError("Cannot send this body: only text is sent");
}

/** What was true of the packed body is not of the one that is read. */
function unpacked(headers: Readonly<Record<string, string>>): Record<string, string> {
  const { "content-encoding": _encoding, "content-length": _length, ...others } = headers;
  return others;
}
