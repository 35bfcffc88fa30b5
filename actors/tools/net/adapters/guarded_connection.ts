/**
 * Connects to exactly the address that was checked: the name is for the certificate and the
 * `Host` line only and is not looked up again.
 * @module
 */

import type { RequestOptions } from "node:http";
import { isIP } from "node:net";
import type { CheckedAddress } from "../boundary.ts";
import type { Hop, HopResponse, HttpExit } from "../connection.ts";
import { exchange } from "./http_exchange.ts";

/** The direct way out. */
export class PinnedExit implements HttpExit {
  readonly isProxy = false;

  send(
    hop: Hop,
    addresses: readonly CheckedAddress[],
    signal: AbortSignal,
  ): Promise<HopResponse> {
    // An address in the place of a name is connected to as it stands.
    const isName = isIP(hop.url.hostname.replace(/^\[|\]$/g, "")) === 0;
    return exchange(
      hop,
      { agent: false, ...(isName && { lookup: pinnedTo(addresses) }) },
      signal,
    );
  }
}

/** A look-up that knows one answer. Several addresses are tried in turn by the connection. */
function pinnedTo(addresses: readonly CheckedAddress[]): NonNullable<RequestOptions["lookup"]> {
  return (_host, options, callback) => {
    const [first] = addresses;
    if (options.all === true) callback(null, [...addresses]);
    else if (first !== undefined) callback(null, first.address, first.family);
  };
}
