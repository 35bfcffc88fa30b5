/**
 * Deliveries as whoever watches sees them.
 * @module
 */

import type { DeliveryOutcome } from "../../../channels/host_protocol.ts";
import { turnOfKey } from "../../journal/journal_rows.ts";
import { withTrace } from "../../kernel/trace.ts";
import { during, type Watch } from "../../session/watch.ts";

/** Hands something to a channel; all that is logged meanwhile names the turn it comes of. */
export function watchedDelivery(
  watch: Watch,
  { channel, key }: { readonly channel: string; readonly key: string },
  deliver: () => Promise<DeliveryOutcome>,
): Promise<DeliveryOutcome> {
  return withTrace(turnOfKey(key), () =>
    during(watch, { kind: "delivery", channel }, {
      work: deliver,
      ended: (outcome) => ({
        outcome: outcome.state === "sent" ? "sent" : outcome.code.replace(/^delivery_/, ""),
      }),
      broke: () => ({ outcome: "aborted" }),
    }));
}
