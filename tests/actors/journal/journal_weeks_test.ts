import assert from "node:assert/strict";
import type { Journal } from "../../../actors/journal/journal.ts";
import { openSqliteJournal } from "../../../actors/journal/sqlite_journal.ts";
import { nextTurn } from "../../../actors/kernel/adapters/event_loop.ts";
import { ManualClock } from "../../support/manual_clock.ts";
import { anInbound, anOutbound, aPlace } from "./fixtures.ts";

const DAY_MS = 86_400_000;
const MESSAGES_PER_DAY = 400;
/** As in the configuration, when it says nothing else. */
const FINISHED_DAYS = 7;
const DEDUPE_DAYS = 30;

/** A day of messages, each answered, and what the gateway forgets at its end. */
async function liveADay(journal: Journal, day: number, nowMs: number): Promise<void> {
  const numbers = Array.from({ length: MESSAGES_PER_DAY }, (_, n) => day * MESSAGES_PER_DAY + n);
  await Promise.all(numbers.map(async (number) => {
    const accepted = await journal.accept(anInbound({
      platformId: `om_${number}`,
      content: `question ${number} ${"文".repeat(300)}`,
    }));
    assert.equal(accepted.state, "accepted");
    if (accepted.state !== "accepted") return;
    const key = `turn_${number}:0`;
    await journal.commit({
      inbounds: [{ seq: accepted.inbound.seq, state: "done" }],
      outbounds: [anOutbound({ key, content: `answer ${number} ${"字".repeat(600)}` })],
    });
    await journal.commit({ outboundChanges: [{ key, state: "sent", receipt: ["om_sent"] }] });
  }));
  const options = {
    finishedBeforeMs: nowMs - FINISHED_DAYS * DAY_MS,
    forgottenBeforeMs: nowMs - DEDUPE_DAYS * DAY_MS,
    rowsMax: 200,
  };
  while (await journal.prune(options));
}

Deno.test("SqliteJournal stays within its size over weeks of traffic, and still knows duplicates", async () => {
  using place = aPlace();
  const clock = new ManualClock();
  await using journal = openSqliteJournal({ path: place.path, clock, defer: nextTurn });
  const sizes: number[] = [];
  for (let day = 0; day < 45; day++) {
    await liveADay(journal, day, clock.now());
    await clock.advance(DAY_MS);
    sizes.push((await Deno.stat(place.path)).size);
  }
  const [early = 0, late = 0] = [sizes[DEDUPE_DAYS + 2], sizes.at(-1)];
  assert.ok(early > 0 && late <= early * 1.05, `${early} bytes became ${late}`);
  const firstWeek = Math.max(...sizes.slice(0, FINISHED_DAYS + 2));
  assert.ok(late <= firstWeek * 1.5, `${firstWeek} bytes became ${late}`);

  const yesterday = await journal.accept(anInbound({ platformId: `om_${44 * MESSAGES_PER_DAY}` }));
  const weeksAgo = await journal.accept(anInbound({ platformId: `om_${20 * MESSAGES_PER_DAY}` }));
  assert.deepEqual([yesterday.state, weeksAgo.state], ["duplicate", "duplicate"]);
  const { inbounds, outbounds } = await journal.counts();
  assert.ok(inbounds.done <= (FINISHED_DAYS + 2) * MESSAGES_PER_DAY, `${inbounds.done} are kept`);
  assert.ok(outbounds.sent <= (FINISHED_DAYS + 2) * MESSAGES_PER_DAY, `${outbounds.sent} are kept`);
});
