import assert from "node:assert/strict";
import {
  addressesOf,
  isNotice,
  ownerNoticesActor,
  type OwnerNoticesMessage,
} from "../../../actors/gateway/owner_notices.ts";
import { JournalError } from "../../../actors/journal/journal.ts";
import { MemoryJournal } from "../../../actors/journal/memory_journal.ts";
import type { ActorRef } from "../../../actors/kernel/ref.ts";
import type { OutboxMessage } from "../../../actors/session/ports.ts";
import { Probe } from "../../support/probe.ts";
import { testSystem } from "../../support/system.ts";
import { settle } from "../../support/until.ts";

const OWNERS = ["feishu:ou_boss", "telegram:7", "gone:1"];

function setUp(owners: readonly string[] = OWNERS) {
  const home = testSystem();
  const world = { isDiskFull: false };
  const outboxes = new Map(
    ["feishu", "telegram"].map((name) => [name, new Probe<OutboxMessage>()] as const),
  );
  const journal = new MemoryJournal({
    clock: home.clock,
    defer: queueMicrotask,
    onCommit: (phase) => {
      if (phase === "before" && world.isDiskFull) {
        throw new JournalError("journal_full", "Cannot commit: the disk is full");
      }
    },
  });
  const notices: ActorRef<OwnerNoticesMessage> = home.system.spawn(ownerNoticesActor({
    journal,
    owners: addressesOf(owners, (name) => outboxes.has(name)),
    outbox: (name) => outboxes.get(name),
  }));
  const tell = async (...messages: OwnerNoticesMessage[]) => {
    for (const message of messages) notices.tell(message);
    await settle();
    await settle();
  };
  /** What the owners were told, as `channel:chat text`. */
  const told = () =>
    [...outboxes.values()].flatMap(({ received }) =>
      received.flatMap((message) =>
        message.type === "row_committed"
          ? [`${message.row.channel}:${message.row.chatId} ${message.row.content}`]
          : []
      )
    );
  return { home, world, journal, tell, told };
}

Deno.test("OwnerNotices tell every owner whose channel is there, durably", async () => {
  const { home, journal, tell, told } = setUp();
  await using _ = home;
  await tell({ type: "alarm_raised", subject: "x", text: "It burns" });
  assert.deepEqual(told(), ["feishu:ou_boss It burns", "telegram:7 It burns"]);
  const { outbounds } = journal.rows();
  assert.equal(outbounds.length, 2);
  assert.ok(outbounds.every(isNotice));
});

Deno.test("OwnerNotices tell of a matter once until it is cleared, and not again at once", async () => {
  const { home, tell, told } = setUp(["feishu:ou_boss"]);
  await using _ = home;
  const raised = { type: "alarm_raised", subject: "x", text: "It burns" } as const;
  const cleared = { type: "alarm_cleared", subject: "x" } as const;
  await tell(raised, raised, cleared, raised, cleared);
  assert.equal(told().length, 1);
  await home.clock.advance(20 * 60_000);
  assert.equal(told().length, 1, "it is over");
  await tell(raised);
  assert.equal(told().length, 2);
  await tell(cleared, raised);
  await home.clock.advance(20 * 60_000);
  assert.equal(told().length, 3, "it came back and stayed");
});

Deno.test("OwnerNotices keep different matters apart", async () => {
  const { home, tell, told } = setUp(["feishu:ou_boss"]);
  await using _ = home;
  await tell(
    { type: "alarm_raised", subject: "x", text: "one" },
    { type: "alarm_raised", subject: "y", text: "two" },
    { type: "owners_informed", text: "three" },
  );
  assert.deepEqual(told(), ["feishu:ou_boss one", "feishu:ou_boss two", "feishu:ou_boss three"]);
});

Deno.test("OwnerNotices tell what the journal did not take once it does", async () => {
  const { home, world, tell, told } = setUp(["feishu:ou_boss"]);
  await using _ = home;
  world.isDiskFull = true;
  await tell({ type: "alarm_raised", subject: "x", text: "It burns" });
  await home.clock.advance(30_000);
  assert.deepEqual(told(), []);
  world.isDiskFull = false;
  await home.clock.advance(10_000);
  await settle();
  assert.deepEqual(told(), ["feishu:ou_boss It burns"]);
});

Deno.test("OwnerNotices do nothing where there are no owners", async () => {
  const { home, journal, tell } = setUp([]);
  await using _ = home;
  await tell({ type: "alarm_raised", subject: "x", text: "It burns" });
  assert.deepEqual(journal.rows().outbounds, []);
});

Deno.test("OwnerNotices tell once more of a matter that came and went, and then stays", async () => {
  const { home, tell, told } = setUp(["feishu:ou_boss"]);
  await using _ = home;
  await tell({ type: "alarm_raised", subject: "x", text: "It burns" });
  for (let n = 0; n < 5; n++) {
    await home.clock.advance(60_000);
    await tell(
      { type: "alarm_cleared", subject: "x" },
      { type: "alarm_raised", subject: "x", text: "It burns" },
    );
  }
  assert.equal(home.clock.pending, 1);
  await home.clock.advance(3 * 3_600_000);
  await tell();
  assert.equal(told().length, 2);
});
