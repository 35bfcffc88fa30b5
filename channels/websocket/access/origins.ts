/**
 * Which pages in a browser may speak to the server. Programs send no origin; browsers always do.
 * @module
 */

import { isIP } from "node:net";
import type { WebRequest } from "../link.ts";
import { isLoopbackHost } from "../manifest.ts";

/** What says that a proxy stands in between, so that every client looks local. */
const FORWARDING = ["forwarded", "x-forwarded-for", "x-forwarded-host", "x-real-ip", "via"];
const MAPPED = /^::ffff:/i;

/** Who may speak from a browser. */
export interface OriginRules {
  /** Where the server listens. */
  readonly host: string;
  /** In lower case. */
  readonly allowOrigins: readonly string[];
}

/** Whether a request comes from no page, from the server's own, or from one that is listed. */
export function isOriginAllowed(request: WebRequest, rules: OriginRules): boolean {
  const origin = request.header("origin")?.toLowerCase();
  if (origin === undefined) return true;
  const { allowOrigins } = rules;
  if (allowOrigins.includes("*") || allowOrigins.includes(origin)) return true;
  return URL.parse(origin)?.host === request.header("host")?.toLowerCase() &&
    isOwnName(request, rules);
}

/**
 * Whether the name that the client called is surely the server's. A page can have its own name lead
 * to this address, and then looks like the server's own page.
 */
function isOwnName(request: WebRequest, { host }: OriginRules): boolean {
  const name = URL.parse(`http://${request.header("host") ?? ""}`)?.hostname ?? "";
  const bare = name.replace(/^\[|\]$/g, "");
  return isIP(bare) !== 0 || isLoopbackHost(bare) || bare === host.toLowerCase();
}

/** Whether a request comes from this machine, and surely not through a proxy on it. */
export function isLocal(request: WebRequest, rules: OriginRules): boolean {
  if (FORWARDING.some((name) => request.header(name) !== null)) return false;
  return isLoopbackHost(request.remote.replace(MAPPED, "")) && isOwnName(request, rules);
}
