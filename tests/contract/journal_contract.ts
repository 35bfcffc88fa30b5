/**
 * What every journal does, whatever keeps its rows.
 * @module
 */

import { testActs } from "./journal/acts.ts";
import { testGroups, testLife } from "./journal/commits.ts";
import { testDrafts, testWithdrawing } from "./journal/drafts.ts";
import { Contract, type MakeJournalHome } from "./journal/harness.ts";
import { testAccepting, testInboundStates } from "./journal/inbounds.ts";
import { testOutbounds, testOutboundStates } from "./journal/outbounds.ts";
import { testRetention } from "./journal/retention.ts";
import { testTexts } from "./journal/texts.ts";
import { testLines, testTurns } from "./journal/turns.ts";
import { testRecords } from "./journal/records.ts";
import { testUsage } from "./journal/usage.ts";
import { testOverviews, testWindows } from "./journal/windows.ts";

/** Registers the suite for one kind of journal. */
export function testJournalContract(name: string, makeHome: MakeJournalHome): void {
  const contract = new Contract(name, makeHome);
  testAccepting(contract);
  testDrafts(contract);
  testWithdrawing(contract);
  testWindows(contract);
  testTurns(contract);
  testLines(contract);
  testInboundStates(contract);
  testOutbounds(contract);
  testOutboundStates(contract);
  testGroups(contract);
  testTexts(contract);
  testOverviews(contract);
  testActs(contract);
  testRecords(contract);
  testUsage(contract);
  testRetention(contract);
  testLife(contract);
}
