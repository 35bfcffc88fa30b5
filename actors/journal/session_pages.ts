/**
 * Unfinished sessions, page by page.
 * @module
 */

import type { SessionsCursor, SessionsPage } from "./journal.ts";
import type { JournalStore } from "./store.ts";

/** Before the first inbound. */
const FIRST_INBOUNDS: SessionsCursor = { part: "inbounds", afterSeq: 0 };

/** One page: sessions that were interrupted come first, then by the order of acceptance. */
export function pageOfSessions(
  store: JournalStore,
  after: SessionsCursor,
  limit: number,
): SessionsPage {
  if (after.part === "kept") {
    const sessionKeys = store.keptSessions(after.afterKey, limit);
    const last = sessionKeys.at(-1);
    const isLastPage = last === undefined || sessionKeys.length < limit;
    return { sessionKeys, next: isLastPage ? FIRST_INBOUNDS : { part: "kept", afterKey: last } };
  }
  const rows = store.busySessions(after.afterSeq, limit);
  const last = rows.at(-1);
  const isLastPage = last === undefined || rows.length < limit;
  return {
    sessionKeys: [...new Set(rows.map(({ sessionKey }) => sessionKey))],
    next: isLastPage ? null : { part: "inbounds", afterSeq: last.seq },
  };
}
