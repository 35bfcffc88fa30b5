/**
 * Messages that did not get where they should: what a person can see of them, and decide.
 * @module
 */

import type { StrandedMessage, StrandedOutcome } from "./control_requests.ts";

/** The failed, parked and doubtful messages of a gateway. */
export interface StrandedMessages {
  /** Newest first. */
  list(limit: number): Promise<readonly StrandedMessage[]>;
  /** Takes one up again: an inbound is answered anew, an outbound sent anew. */
  retry(id: string): Promise<StrandedOutcome["state"]>;
  /** Lets go of one for good. */
  drop(id: string): Promise<StrandedOutcome["state"]>;
}
