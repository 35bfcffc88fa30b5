import { openSqliteJournal } from "../../../actors/journal/sqlite_journal.ts";
import { nextTurn } from "../../../actors/kernel/adapters/event_loop.ts";
import { testJournalContract } from "../../contract/journal_contract.ts";

testJournalContract("SqliteJournal", (clock) => {
  const folder = Deno.makeTempDirSync();
  const path = `${folder}/state/journal.db`;
  return {
    open: () => openSqliteJournal({ path, clock, defer: nextTurn }),
    [Symbol.asyncDispose]: () => Deno.remove(folder, { recursive: true }),
  };
});
