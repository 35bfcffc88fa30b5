/**
 * Where a redirect leads, and what of the request goes along.
 * @module
 */

import type { Hop } from "./connection.ts";
import { NetError } from "./net_error.ts";

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
/** What another origin may know of a request; keys and cookies come under any name. */
const KEPT_ACROSS_ORIGINS: ReadonlySet<string> = new Set([
  "accept",
  "accept-language",
  "user-agent",
]);

/** Whether a status may point elsewhere. */
export function isRedirect(status: number): boolean {
  return REDIRECTS.has(status);
}

/**
 * The request that a redirect asks for. `parse` reads and checks its address.
 *
 * @throws {NetError} `redirect_refused`
 */
export function nextHop(
  hop: Hop,
  status: number,
  location: string,
  parse: (url: string) => URL,
): Hop {
  const url = targetOf(hop.url, location, parse);
  const isSameOrigin = url.origin === hop.url.origin;
  const keepsMethod = status === 307 || status === 308 || hop.method === "GET";
  if (keepsMethod && hop.body !== null && !isSameOrigin) {
    const text = `Redirect blocked: it would take what was sent to "${url.host}"`;
    throw new NetError("redirect_refused", text);
  }
  const headers = Object.entries(hop.headers).filter(([name]) =>
    isSameOrigin ? keepsMethod || name !== "content-type" : KEPT_ACROSS_ORIGINS.has(name)
  );
  return {
    url,
    method: keepsMethod ? hop.method : "GET",
    headers: Object.fromEntries(headers),
    body: keepsMethod ? hop.body : null,
  };
}

function targetOf(from: URL, location: string, parse: (url: string) => URL): URL {
  const absolute = URL.parse(location, from);
  if (absolute === null) {
    throw new NetError("redirect_refused", "Redirect blocked: it leads to no address");
  }
  try {
    return parse(absolute.href);
  } catch (error) {
    if (!(error instanceof NetError)) throw error;
    throw new NetError("redirect_refused", `Redirect blocked: ${error.message}`, { cause: error });
  }
}
