/**
 * Messages that did not get where they should: what a person can see of them, and decide.
 * @module
 */

import type { Journal } from "../journal/journal.ts";
import { ControlError } from "./control_errors.ts";
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

/** Those of a journal. It does not tell of them yet, so that everything is refused. */
export function strandedIn(_journal: Journal): StrandedMessages {
  const refuse = () => {
    const text = "Cannot list failed messages: the journal does not tell of them yet";
    return Promise.reject(new ControlError("control_unknown", text));
  };
  return { list: refuse, retry: refuse, drop: refuse };
}
