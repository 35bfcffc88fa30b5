/**
 * Who may do what is for owners alone.
 * @module
 */

import type { Inbound } from "../../journal/journal.ts";

/**
 * Whether the sender of a message is an owner; without owners everybody counts as one.
 *
 * @param owners each as `channel:sender`
 */
export function ownerCheck(
  owners: readonly string[],
): (sent: Pick<Inbound, "channel" | "senderId">) => boolean {
  const known = new Set(owners);
  return ({ channel, senderId }) => known.size === 0 || known.has(`${channel}:${senderId}`);
}
