/**
 * What is used of the proxy agents. Their own types bring those of Node along as globals, which
 * are at odds with Deno's.
 * @module
 */

import type { Agent } from "node:http";

/** A way through an HTTP proxy, for http addresses. */
export const HttpProxyAgent: new (proxyUrl: string) => Agent;
/** A tunnel through an HTTP proxy, for https addresses. */
export const HttpsProxyAgent: new (proxyUrl: string) => Agent;
/** A tunnel through a SOCKS proxy. */
export const SocksProxyAgent: new (proxyUrl: string) => Agent;
