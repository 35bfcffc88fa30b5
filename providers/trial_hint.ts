/**
 * What exactly to look at after a trial that failed, where the failure tells.
 * @module
 */

import type { ProviderError } from "./provider.ts";

/** What the engine says of connections that could not be made, and what that means. */
const CONNECTION_HINTS: readonly (readonly [said: RegExp, hint: string])[] = [
  [
    /invalid peer certificate|certificate/i,
    "the certificate of the server is not accepted; check the host in apiBase, or give the " +
    "authority's certificate with DENO_CERT",
  ],
  [/InvalidContentType|corrupt message/, "the server speaks no TLS; apiBase may want http://"],
  [/invalid HTTP version/i, "the server speaks no plain HTTP; apiBase may want https://"],
  [
    /dns error|failed to lookup|name or service not known/i,
    "the host name cannot be looked up; check it in apiBase, and the network",
  ],
  [
    /connection refused/i,
    "nothing listens there; check host and port of apiBase, and that the server runs",
  ],
  [/port \d+ (?:is|are) blocked/i, "requests to that port are not allowed; check apiBase"],
  [
    /closed before message completed|reset by peer/i,
    "the connection is closed at once; check that apiBase and a proxy lead to a model server",
  ],
];

/** One sentence, or null where the kind of the fault says all there is. */
export function hintOf({ code, status, message }: ProviderError, baseUrl: string): string | null {
  switch (code) {
    case "provider_web_page":
      return "the answer is a web page, not a model's answer; check the URL in apiBase, or the " +
        "network (it may want a sign-in first)";
    case "provider_connection":
      return CONNECTION_HINTS.find(([said]) => said.test(message))?.[1] ?? null;
    case "provider_timeout":
      return "no answer came in time; check the network, and whether the server is busy";
    case "provider_empty":
      return "what answers there does not speak as a model server does; check apiBase";
    case "provider_bad_request":
      return status === 404 || status === 405 || status === undefined ? pathHint(baseUrl) : null;
    default:
      return null;
  }
}

/** Where the path of a base URL looks like a slip. */
function pathHint(baseUrl: string): string | null {
  const path = URL.parse(baseUrl)?.pathname.replace(/\/+$/, "") ?? "";
  if (/\/(?:chat\/completions|responses|messages)$/.test(path)) {
    return "apiBase ends where the request's own path begins; leave that part out";
  }
  if (/\/(v\d\w*)\/\1(?:\/|$)/.test(path)) return "apiBase names the version twice; once will do";
  if (path === "") return "apiBase has no path; most servers want /v1 at its end";
  return null;
}
