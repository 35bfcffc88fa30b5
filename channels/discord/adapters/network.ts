/**
 * The platform over the network, behind the channel's own seam.
 * @module
 */

import { openSocket } from "../../event_gateway/adapters/socket.ts";
import type { GatewaySocket, SocketHandlers } from "../../event_gateway/socket.ts";
import type { DiscordAnswer, DiscordLink, DiscordRequest, TakeFile } from "../link.ts";
import type { DiscordSection } from "../manifest.ts";
import { call, download, type HttpOptions } from "./http.ts";
import { proxyClient } from "./proxy.ts";

/** The version of the platform's API that this channel speaks. */
const API_VERSION = 10;

/** What a link needs to know. */
export interface NetworkOptions extends
  Pick<
    DiscordSection,
    "token" | "apiBase" | "proxy" | "proxyUsername" | "proxyPassword"
  > {
  /** Ends every call, and gives back what they used. */
  readonly signal: AbortSignal;
  /** How long a call without a file may take. @default 15 seconds */
  readonly timeoutMs?: number;
}

/** Makes a link to the platform; nothing is sent yet. */
export function openNetwork(
  { token, apiBase, signal, timeoutMs, ...ways }: NetworkOptions,
): DiscordLink {
  const client = proxyClient(ways);
  signal.addEventListener("abort", () => client?.close(), { once: true });
  return new Network({ token, apiUrl: `${apiBase}/v${API_VERSION}`, client, signal, timeoutMs });
}

class Network implements DiscordLink {
  readonly #options: HttpOptions;

  constructor(options: HttpOptions) {
    this.#options = options;
  }

  request(request: DiscordRequest, signal: AbortSignal): Promise<DiscordAnswer> {
    return call(request, signal, this.#options);
  }

  download<T>(address: string, take: TakeFile<T>, signal: AbortSignal): Promise<T> {
    return download(address, take, signal, this.#options);
  }

  openSocket(address: string, handlers: SocketHandlers): GatewaySocket {
    return openSocket(`${address}?v=${API_VERSION}&encoding=json`, handlers, this.#options.client);
  }
}
