/**
 * The ports of the network: looking a name up, and sending one request to an address that has
 * been checked. The adapters beside it do both.
 * @module
 */

import { isIP } from "node:net";
import { untilAborted } from "../../kernel/aborting.ts";
import type { CheckedAddress, NetBoundary } from "./boundary.ts";

/**
 * All addresses of a name.
 *
 * @throws {NetError} `host_unresolved`
 */
export type LookUp = (host: string) => Promise<readonly string[]>;

/** One request, to one place; redirects are not followed. */
export interface Hop {
  readonly url: URL;
  readonly method: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
}

/** The beginning of an answer; who has one closes it. */
export interface HopResponse {
  readonly status: number;
  /** Names in lower case; repeated ones joined by a comma. */
  readonly headers: Readonly<Record<string, string>>;
  /** Unpacked, piece by piece, no faster than it is read. */
  readonly body: AsyncIterable<Uint8Array>;
  /** Ends the connection; harmless when it has ended. */
  close(): void;
}

/** How requests leave this machine. */
export interface HttpExit {
  /** true: a proxy looks names up and connects; the owner trusts it with that. */
  readonly isProxy: boolean;
  /**
   * Sends one request, to exactly one of `addresses` (none through a proxy).
   *
   * @throws {NetError} `request_failed`, `response_invalid` or `pinning_unavailable`, or the
   * signal's reason
   */
  send(hop: Hop, addresses: readonly CheckedAddress[], signal: AbortSignal): Promise<HopResponse>;
}

/** What a host is resolved and judged with. */
export interface Resolving {
  readonly boundary: NetBoundary;
  readonly lookUp: LookUp;
  /** The owner's configuration names this very origin. @default false */
  readonly isOwners?: boolean;
}

/**
 * Resolves a host once, and gives the addresses that may be connected to: whoever connects, must
 * connect to one of these and not look the name up again.
 *
 * @throws {NetError} `url_invalid`, `host_refused` or `host_unresolved`, or the signal's reason
 */
export async function resolveChecked(
  hostname: string,
  { boundary, lookUp, isOwners = false }: Resolving,
  signal: AbortSignal,
): Promise<readonly CheckedAddress[]> {
  const host = boundary.checkHost(hostname, isOwners);
  const answers = isIP(host) === 0 ? await untilAborted(lookUp(host), signal) : [host];
  return boundary.checkAddresses(host, answers, isOwners);
}
