import { MemoryJournal } from "../../../actors/journal/memory_journal.ts";
import type { JournalRows } from "../../../actors/journal/memory_store.ts";
import { nextTurn } from "../../../actors/kernel/adapters/event_loop.ts";
import { testJournalContract } from "../../contract/journal_contract.ts";

testJournalContract("MemoryJournal", (clock) => {
  let last: MemoryJournal | undefined;
  return {
    open: () => {
      const rows: JournalRows | undefined = last?.rows();
      last = new MemoryJournal({ clock, defer: nextTurn, ...(rows && { rows }) });
      return last;
    },
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
});
