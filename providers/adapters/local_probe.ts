/**
 * Looks at this machine's own ports.
 * @module
 */

import { findLocalServers } from "../local_search.ts";
import type { LocalServer } from "../local_servers.ts";

/** A server on this machine that takes longer is busy with something else. */
const TIMEOUT_MS = 500;
/** A list of models is short. */
const BODY_BYTES_MAX = 1_000_000;

/** The model servers of this machine. Ports that this process may not reach are left out. */
export function localServers(): Promise<readonly LocalServer[]> {
  return findLocalServers(getJson);
}

/** Gets JSON from a port of this machine. */
export async function getJson(url: string): Promise<unknown> {
  // Asking without the right would put a question to the person at the terminal.
  const { state } = await Deno.permissions.query({ name: "net", host: new URL(url).host });
  if (state !== "granted") throw new Deno.errors.NotCapable(`Cannot ask "${url}": not allowed`);
  const response = await fetch(url, {
    redirect: "error",
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  const length = Number(response.headers.get("content-length") ?? 0);
  if (!response.ok || length > BODY_BYTES_MAX) {
    await response.body?.cancel();
    throw new TypeError(`Cannot read "${url}": status ${response.status}, ${length} bytes`);
  }
  return await response.json();
}
