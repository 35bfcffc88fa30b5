/**
 * A process that commits until it is killed. It prints the number of each message after both of
 * its commits were acknowledged.
 * @module
 */

import { openSqliteJournal } from "../../../actors/journal/sqlite_journal.ts";
import { nextTurn } from "../../../actors/kernel/adapters/event_loop.ts";
import { systemClock } from "../../../actors/kernel/adapters/system_clock.ts";
import { accepted, aLine, anOutbound } from "./fixtures.ts";

const [path] = Deno.args;
if (path === undefined) throw new TypeError("Cannot start: no path");
const journal = openSqliteJournal({ path, clock: systemClock, defer: nextTurn });

/** One message and the step that answers it, which touches every table. */
async function answer(number: number): Promise<void> {
  const turnId = `t${number}`;
  const sessionKey = `s${number % 7}-${number}`;
  const { seq } = await accepted(journal, { platformId: `om_${number}`, sessionKey });
  await journal.commit({
    turn: { turnId, sessionKey, change: "begin" },
    lines: [0, 1, 2].map((line) => aLine(line, { turnId, sessionKey })),
    inbounds: [{ seq, state: "running", turnId }],
    outbounds: [anOutbound({ key: `${turnId}:0`, sessionKey })],
    inboundMemory: [{ channel: "feishu", platformId: `om_${number}`, channelState: number }],
  });
  Deno.stdout.writeSync(new TextEncoder().encode(`${number}\n`));
}

for (let number = 0;; number += 5) {
  await Promise.all([0, 1, 2, 3, 4].map((offset) => answer(number + offset)));
}
