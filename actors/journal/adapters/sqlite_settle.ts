/**
 * Settles what is under way in the journal of a restored copy: the original may have done it since,
 * so that none of it may happen by itself.
 * @module
 */

import { SqliteDatabase } from "./sqlite_database.ts";
import { migrate } from "./sqlite_schema.ts";

/** What waits for a person's decision from now on. */
export interface SettledRows {
  /** Messages that were not answered: `parked`. */
  readonly inbounds: number;
  /** Messages that were not sent: `failed`. */
  readonly outbounds: number;
}

/**
 * Parks messages that people wrote and that are not answered, fails those that are not sent, and
 * ends what the gateway told itself, and all turns. What turns had said so far stays.
 *
 * @param reason told of each message that is not sent
 * @throws {JournalError}
 */
export function settleRows(path: string, reason: string, nowMs: number): SettledRows {
  using database = SqliteDatabase.open(path);
  migrate(database);
  let settled: SettledRows = { inbounds: 0, outbounds: 0 };
  database.transaction(() => {
    const own = "update inbounds set state = 'stopped', ended_at_ms = ? " +
      "where ended_at_ms is null and channel = 'system'";
    database.prepare(own).run(nowMs);
    const inbounds = "update inbounds set state = 'parked', ended_at_ms = ? " +
      "where ended_at_ms is null";
    const outbounds = "update outbounds set state = 'failed', ended_at_ms = ?, " +
      "doubt_since_ms = null, error = ? where ended_at_ms is null";
    settled = {
      inbounds: database.prepare(inbounds).run(nowMs).changes,
      outbounds: database.prepare(outbounds).run(nowMs, reason).changes,
    };
    database.prepare("delete from turns").run();
  });
  return settled;
}
