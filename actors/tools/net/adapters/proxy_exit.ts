/**
 * The way out through the proxy that the owner's configuration names.
 * @module
 */

import type { Agent } from "node:http";
import type { CheckedAddress } from "../boundary.ts";
import type { Hop, HopResponse, HttpExit } from "../connection.ts";
import { exchange } from "./http_exchange.ts";

/** Within it a SOCKS proxy has answered, or its connection is given up. */
const SOCKS_TIMEOUT_MS = 10_000;

/** Sends through an HTTP or SOCKS5 proxy, which looks the names up. */
export class ProxyExit implements HttpExit {
  readonly isProxy = true;
  readonly #proxyUrl: URL;

  /** `proxyUrl`: `http:`, `https:`, `socks5:` or `socks5h:`, with credentials or without. */
  constructor(proxyUrl: string) {
    this.#proxyUrl = new URL(proxyUrl);
  }

  async send(
    hop: Hop,
    _addresses: readonly CheckedAddress[],
    signal: AbortSignal,
  ): Promise<HopResponse> {
    const agent = await this.#agentFor(hop.url, signal);
    signal.throwIfAborted();
    return await exchange(hop, { agent }, signal);
  }

  /** One a request: it holds no connection open. */
  async #agentFor({ protocol }: URL, signal: AbortSignal): Promise<Agent> {
    // Only who has a proxy loads them.
    const { HttpProxyAgent, HttpsProxyAgent, SocksProxyAgent } = await import("./proxy_agents.ts");
    const { href, protocol: kind } = this.#proxyUrl;
    // socks5h: the proxy resolves, also where the configuration says socks5.
    if (kind.startsWith("socks5")) {
      return new SocksProxyAgent(href.replace(/^socks5:/, "socks5h:"), {
        timeout: SOCKS_TIMEOUT_MS,
      });
    }
    return protocol === "https:"
      ? new HttpsProxyAgent(href, { signal })
      : new HttpProxyAgent(href, { signal });
  }
}
