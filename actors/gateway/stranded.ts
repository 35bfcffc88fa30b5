/**
 * Messages that did not get where they should: what a person can see of them, and decide.
 * @module
 */

import type { ActedRow, Inbound, Journal, Outbound, RowRef } from "../journal/journal.ts";
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

/** Where stranded messages are found. */
export type StrandedJournal = Pick<Journal, "stuck" | "retry" | "drop">;

/**
 * Those of a journal, as `in-<seq>` and `out-<id>`.
 *
 * @param changed hears of a row that changed, once it is durable; without it no gateway runs, and
 * the next one finds it
 */
export function strandedIn(
  journal: StrandedJournal,
  changed: (acted: ActedRow) => void = () => {},
): StrandedMessages {
  const act = async (
    id: string,
    change: (row: RowRef) => Promise<ActedRow | null>,
  ): Promise<StrandedOutcome["state"]> => {
    const row = parseId(id);
    const acted = row && await change(row);
    if (acted === null) return "missing";
    changed(acted);
    return "done";
  };
  return {
    async list(limit) {
      const { inbounds, outbounds } = await journal.stuck(limit);
      return [...inbounds.map(strandedInbound), ...outbounds.map(strandedOutbound)]
        .sort((a, b) => b.atMs - a.atMs)
        .slice(0, limit);
    },
    retry: (id) => act(id, (row) => journal.retry(row)),
    drop: (id) => act(id, (row) => journal.drop(row)),
  };
}

function parseId(id: string): RowRef | null {
  const [, kind, digits] = /^(in|out)-(\d{1,15})$/.exec(id.trim().toLowerCase()) ?? [];
  if (kind === undefined) return null;
  return { kind: kind === "in" ? "inbound" : "outbound", number: Number(digits) };
}

function strandedInbound(row: Inbound): StrandedMessage {
  const { seq, state, channel, chatId, sessionKey, acceptedAtMs: atMs } = row;
  const reason = state === "parked" ? "broke every attempt to answer it" : null;
  return { id: `in-${seq}`, direction: "in", state, channel, chatId, sessionKey, atMs, reason };
}

function strandedOutbound(row: Outbound): StrandedMessage {
  const { id, state, channel, chatId, sessionKey, createdAtMs: atMs, error: reason } = row;
  return { id: `out-${id}`, direction: "out", state, channel, chatId, sessionKey, atMs, reason };
}
