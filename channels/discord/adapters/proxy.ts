/**
 * The way out of this machine.
 * @module
 */

import type { DiscordSection } from "../manifest.ts";

/** The client for all connections; undefined without a proxy. */
export function proxyClient(
  { proxy, proxyUsername, proxyPassword }: Pick<
    DiscordSection,
    "proxy" | "proxyUsername" | "proxyPassword"
  >,
): Deno.HttpClient | undefined {
  if (proxy === null) return undefined;
  const hasCredentials = proxyUsername !== null && proxyPassword !== null;
  return Deno.createHttpClient({
    proxy: {
      url: proxy,
      ...(hasCredentials && { basicAuth: { username: proxyUsername, password: proxyPassword } }),
    },
  });
}
