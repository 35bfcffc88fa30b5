/**
 * Who may do what is for owners alone.
 * @module
 */

import type { Config } from "../../config/schema.ts";
import type { Inbound } from "../../journal/journal.ts";

/** Who sits at the machine. */
const TERMINAL = "cli";

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

/**
 * Whether somebody's words may shape the assistant itself without being asked for: an owner's, or
 * where there are no owners those of the one person whom a channel admits. The terminal's may.
 */
export function shapingCheck(
  { owners, channels: { enabled } }: Pick<Config, "owners" | "channels">,
): (sent: { readonly channel: string; readonly senderId?: string | undefined }) => boolean {
  const known = new Set(owners);
  return ({ channel, senderId }) => {
    if (channel === TERMINAL) return true;
    if (senderId === undefined || senderId === "*") return false;
    if (known.size > 0) return known.has(`${channel}:${senderId}`);
    const { allowFrom = [] } = enabled[channel] ?? {};
    return allowFrom.length === 1 && allowFrom[0] === senderId;
  };
}
