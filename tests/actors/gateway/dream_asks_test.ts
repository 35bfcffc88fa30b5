import assert from "node:assert/strict";
import { DreamAsks } from "../../../actors/gateway/dream_asks.ts";
import type { Inbound, Outbound } from "../../../actors/journal/journal.ts";
import { MemoryJournal } from "../../../actors/journal/memory_journal.ts";
import type { DreamOutcome, MemoryMessage } from "../../../actors/memory/protocol.ts";
import type { ReplyTo } from "../../../actors/kernel/ref.ts";
import type { OutboxMessage } from "../../../actors/session/ports.ts";
import { ManualClock } from "../../support/manual_clock.ts";
import { testSystem } from "../../support/system.ts";
import { settle, until } from "../../support/until.ts";

const DONE: DreamOutcome = { state: "done", entries: 1, left: 0, versions: [], proposals: [] };

/** One life of a gateway, with a memory whose runs end when the test says so. */
function life(journal: MemoryJournal) {
  const clock = new ManualClock();
  const home = testSystem({ clock });
  const runs: ReplyTo<DreamOutcome>[] = [];
  const told: Outbound[] = [];
  const memory = home.system.spawn<MemoryMessage>({
    name: "memory",
    create: () => ({
      receive: (message) => {
        if (message.type === "dream") runs.push(message.replyTo);
      },
    }),
  });
  const outbox = home.system.spawn<OutboxMessage>({
    name: "outbox",
    create: () => ({
      receive: (message) => {
        if (message.type === "row_committed") told.push(message.row);
      },
    }),
  });
  const asks = new DreamAsks({ memory, journal, clock, outbox: () => outbox });
  return { asks, runs, told, clock, [Symbol.asyncDispose]: () => home[Symbol.asyncDispose]() };
}

async function command(journal: MemoryJournal): Promise<Inbound> {
  const accepted = await journal.accept({
    ...{ channel: "feishu", platformId: "om_1", sessionKey: "feishu:oc_1", chatId: "oc_1" },
    ...{ senderId: "ou_1", content: "/dream", media: [], context: {}, wantsStream: false },
  });
  assert.ok(accepted.state === "accepted");
  return accepted.inbound;
}

function newJournal(): MemoryJournal {
  return new MemoryJournal({ clock: new ManualClock(), defer: queueMicrotask });
}

Deno.test("Who asked for Dream hears of its end, in the same place", async () => {
  const journal = newJournal();
  await using gateway = life(journal);
  const asking = gateway.asks.ask(await command(journal));
  await until(() => gateway.runs.length === 1);
  await gateway.clock.advance(2_500);
  gateway.runs[0]?.reply(DONE);
  await asking;
  await settle();
  const [row] = gateway.told;
  assert.equal(row?.chatId, "oc_1");
  assert.match(row?.content ?? "", /done after 2\.5 s/);
  assert.equal(await journal.note("memory:dream_asked"), null);
});

Deno.test("Who asked for Dream before a restart hears of it after, once", async () => {
  const journal = newJournal();
  {
    await using first = life(journal);
    void first.asks.ask(await command(journal));
    await until(() => first.runs.length === 1);
  }
  await using second = life(journal);
  await second.asks.resume();
  await until(() => second.runs.length === 1);
  second.runs[0]?.reply({ state: "nothing_new" });
  await until(() => second.told.length === 1);
  assert.match(second.told[0]?.content ?? "", /nothing to process/);
  await using third = life(journal);
  await third.asks.resume();
  await settle();
  assert.equal(third.runs.length, 0);
});
