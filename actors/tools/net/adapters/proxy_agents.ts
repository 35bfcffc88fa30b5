/**
 * The proxy agents, without their types: those bring Node's along as globals, which are at odds
 * with Deno's.
 * @module
 */

// @deno-types="./proxy_agents.d.ts"
export { HttpProxyAgent } from "http-proxy-agent";
// @deno-types="./proxy_agents.d.ts"
export { HttpsProxyAgent } from "https-proxy-agent";
// @deno-types="./proxy_agents.d.ts"
export { SocksProxyAgent } from "socks-proxy-agent";
