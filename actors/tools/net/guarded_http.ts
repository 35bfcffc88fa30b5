/**
 * Requests under the network boundary: each hop is checked before it is made, connects to the
 * address that was checked, and loses what belongs to the origin it leaves.
 * @module
 */

import { untilAborted } from "../../kernel/aborting.ts";
import type { Clock } from "../../kernel/clock.ts";
import { Deadline } from "../../kernel/deadline.ts";
import type { ToolNet, ToolRequest, ToolResponse } from "../tool.ts";
import {
  type BoundaryExemption,
  type CheckedAddress,
  isExempt,
  type NetBoundary,
} from "./boundary.ts";
import { isPublic } from "./address_ranges.ts";
import {
  type Hop,
  type HopResponse,
  type HttpExit,
  type LookUp,
  resolveChecked,
} from "./connection.ts";
import { NetError } from "./net_error.ts";
import { isRedirect, nextHop } from "./redirects.ts";

/** Redirects followed for one request. */
const REDIRECTS_MAX = 5;

/** What requests go out with. */
export interface GuardedHttpOptions {
  readonly boundary: NetBoundary;
  readonly lookUp: LookUp;
  readonly exit: HttpExit;
  readonly clock: Clock;
}

/** A request as it is opened. */
export interface OpenRequest extends Pick<ToolRequest, "url" | "headers" | "body" | "ownerOrigin"> {
  /** @default "GET" */
  readonly method?: string | undefined;
}

/** An answer whose body is still to come. */
export interface OpenResponse extends HopResponse {
  /** Where the last redirect led. */
  readonly url: string;
}

/** Makes requests; holds nothing open between them. */
export class GuardedHttp implements ToolNet {
  readonly #options: GuardedHttpOptions;

  constructor(options: GuardedHttpOptions) {
    this.#options = options;
  }

  /** Within `timeoutMs`, the whole answer up to `bytesMax`. */
  async request(request: ToolRequest, signal: AbortSignal): Promise<ToolResponse> {
    const { bytesMax, timeoutMs } = request;
    const text = `Cannot finish the request: no whole answer within ${timeoutMs / 1000} s`;
    const makeReason = () => new NetError("request_timed_out", text);
    using limit = new Deadline(this.#options.clock, timeoutMs, { signal, makeReason });
    const response = await this.open(request, limit.signal);
    try {
      const { url, status, headers } = response;
      const reading = readUpTo(response.body, bytesMax);
      return { url, status, headers, ...await untilAborted(reading, limit.signal) };
    } finally {
      response.close();
    }
  }

  async isPublic(text: string, signal: AbortSignal): Promise<boolean> {
    const { boundary } = this.#options;
    try {
      const { hostname } = boundary.parse(text);
      boundary.checkUnresolved(boundary.checkHost(hostname));
      const addresses = await resolveChecked(hostname, this.#options, signal);
      return addresses.every(({ address }) => isPublic(address));
    } catch (error) {
      if (error instanceof NetError) return false;
      throw error;
    }
  }

  /**
   * The answer after the redirects, its body unread; the caller closes it. Nothing but `signal`
   * ends it.
   */
  async open(request: OpenRequest, signal: AbortSignal): Promise<OpenResponse> {
    const { boundary } = this.#options;
    let hop: Hop = {
      url: boundary.parse(request.url, request),
      method: request.method ?? "GET",
      headers: lowerCased(request.headers ?? {}),
      body: request.body ?? null,
    };
    const seen = new Set<string>();
    for (let followed = 0; followed <= REDIRECTS_MAX; followed++) {
      seen.add(hop.url.href);
      const response = await this.#send(hop, request, signal);
      const location = response.headers["location"];
      if (!isRedirect(response.status) || location === undefined) {
        return { ...response, url: hop.url.href };
      }
      response.close();
      hop = nextHop(hop, response.status, location, (url) => boundary.parse(url, request));
      if (seen.has(hop.url.href)) {
        throw new NetError("redirect_refused", "Redirect blocked: it leads round in a circle");
      }
    }
    throw new NetError("redirect_refused", `Redirect blocked: more than ${REDIRECTS_MAX} of them`);
  }

  async #send(hop: Hop, exemption: BoundaryExemption, signal: AbortSignal): Promise<HopResponse> {
    const addresses = await this.#resolve(hop.url, exemption, signal);
    signal.throwIfAborted();
    return await this.#options.exit.send(hop, addresses, signal);
  }

  /** One look-up, whose answer is both checked and connected to. */
  async #resolve(
    url: URL,
    exemption: BoundaryExemption,
    signal: AbortSignal,
  ): Promise<readonly CheckedAddress[]> {
    const { boundary, exit } = this.#options;
    const isOwners = isExempt(url, exemption);
    if (!exit.isProxy) {
      return await resolveChecked(url.hostname, { ...this.#options, isOwners }, signal);
    }
    const host = boundary.checkHost(url.hostname, isOwners);
    if (!isOwners) boundary.checkUnresolved(host);
    return [];
  }
}

async function readUpTo(
  body: AsyncIterable<Uint8Array>,
  bytesMax: number,
): Promise<Pick<ToolResponse, "body" | "isCut">> {
  const chunks: Uint8Array[] = [];
  let left = bytesMax;
  for await (const chunk of body) {
    chunks.push(chunk.subarray(0, left));
    left -= chunk.length;
    if (left < 0) break;
  }
  return { body: joined(chunks), isCut: left < 0 };
}

function joined(chunks: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(chunks.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.length;
  }
  return whole;
}

function lowerCased(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
  );
}
