/**
 * Looks names up as the system does, hosts file included.
 * @module
 */

import { lookup } from "node:dns/promises";
import { asError } from "../../../kernel/errors.ts";
import { NetError } from "../net_error.ts";

/**
 * All addresses of a name, in the order the system would try them.
 *
 * @throws {NetError} `host_unresolved`
 */
export async function systemLookUp(host: string): Promise<readonly string[]> {
  try {
    const answers = await lookup(host, { all: true, verbatim: true });
    return answers.map(({ address }) => address);
  } catch (error) {
    const cause = asError(error);
    const text = `Cannot reach "${host}": the name has no address, or the network is down`;
    throw new NetError("host_unresolved", text, { cause });
  }
}
