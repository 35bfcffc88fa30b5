/**
 * What is used of the proxy agents. Their own types bring those of Node along as globals, which
 * are at odds with Deno's.
 * @module
 */

import type { Agent } from "node:http";

/** Options of the socket to the proxy: without the signal an abort would leave it open. */
interface SocketOptions {
  readonly signal: AbortSignal;
}

/** A way through an HTTP proxy, for http addresses. */
export const HttpProxyAgent: new (proxyUrl: string, options: SocketOptions) => Agent;
/** A tunnel through an HTTP proxy, for https addresses. */
export const HttpsProxyAgent: new (proxyUrl: string, options: SocketOptions) => Agent;
/** A tunnel through a SOCKS proxy. */
export const SocksProxyAgent: new (
  proxyUrl: string,
  /** How long it waits for the proxy, in milliseconds: it knows no signal. */
  options: { readonly timeout: number },
) => Agent;
