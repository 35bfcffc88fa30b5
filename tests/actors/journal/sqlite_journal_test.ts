import { openSqliteJournal } from "../../../actors/journal/sqlite_journal.ts";
import { nextTurn } from "../../../actors/kernel/adapters/event_loop.ts";
import { testJournalContract } from "../../contract/journal_contract.ts";
import { aPlace } from "./fixtures.ts";

testJournalContract("SqliteJournal", (clock) => {
  const place = aPlace();
  return {
    open: () => openSqliteJournal({ path: place.path, clock, defer: nextTurn }),
    [Symbol.dispose]: () => place[Symbol.dispose](),
  };
});
