import assert from "node:assert/strict";
import { routerActor, type RouterActorMessage } from "../../../actors/gateway/router.ts";
import type { Inbound, NewInbound } from "../../../actors/journal/journal.ts";
import { MemoryJournal } from "../../../actors/journal/memory_journal.ts";
import { NO_ROWS } from "../../../actors/journal/memory_store.ts";
import type { ActorRef } from "../../../actors/kernel/ref.ts";
import type { SessionMessage } from "../../../actors/session/ports.ts";
import { acting } from "../../support/acting.ts";
import { ManualClock } from "../../support/manual_clock.ts";
import { testSystem } from "../../support/system.ts";
import { settle } from "../../support/until.ts";

const KEY = "feishu:oc_1";

/** A router over a journal; its sessions remember, by life, what they were told. */
function setUp({ recovers = false, rows = NO_ROWS } = {}) {
  const home = testSystem();
  const journal = new MemoryJournal({ clock: home.clock, defer: queueMicrotask, rows });
  const lives: SessionMessage[][] = [];
  const router: ActorRef<RouterActorMessage> = home.system.spawn(routerActor({
    journal,
    recovers,
    startSession: (spawn) => {
      const told: SessionMessage[] = [];
      lives.push(told);
      return spawn(acting<SessionMessage>((message, context) => {
        told.push(message);
        if (message.type === "sleep") context.stopSelf();
      }, { name: "session" }));
    },
  }));
  return { home, journal, lives, router, types: () => lives.map((told) => told.map(typeOf)) };
}

function typeOf({ type }: SessionMessage): SessionMessage["type"] {
  return type;
}

async function accept(journal: MemoryJournal, platformId: string): Promise<Inbound> {
  const inbound: NewInbound = {
    channel: "feishu",
    platformId,
    sessionKey: KEY,
    chatId: "oc_1",
    senderId: "ou_1",
    content: "hi",
    media: [],
    context: {},
    wantsStream: false,
  };
  const accepted = await journal.accept(inbound);
  assert.ok(accepted.state === "accepted");
  return accepted.inbound;
}

Deno.test("Router wakes a session for a message, lets it sleep, and wakes it for the next", async () => {
  const { home, journal, router, types } = setUp();
  await using _ = home;
  router.tell({ type: "inbound_accepted", inbound: await accept(journal, "om_1") });
  await settle();
  router.tell({ type: "session_idle", sessionKey: KEY, idleId: "1" });
  await settle();
  assert.deepEqual(types(), [["inbound_accepted", "sleep"]]);
  router.tell({ type: "inbound_accepted", inbound: await accept(journal, "om_2") });
  await settle();
  assert.deepEqual(types(), [["inbound_accepted", "sleep"], ["inbound_accepted"]]);
});

Deno.test("Router wakes a session again for what came too late to keep it awake", async () => {
  const { home, journal, router, types } = setUp();
  await using _ = home;
  router.tell({ type: "inbound_accepted", inbound: await accept(journal, "om_1") });
  await settle();
  const late = await accept(journal, "om_2");
  router.tell({ type: "session_idle", sessionKey: KEY, idleId: "1" });
  router.tell({ type: "inbound_accepted", inbound: late });
  router.tell({ type: "session_idle", sessionKey: KEY, idleId: "1" }); // told again, as before
  await settle();
  assert.deepEqual(types(), [["inbound_accepted", "sleep"], ["wake"]]);
});

Deno.test.each([true, false])("Router that recovers (%s) wakes what was left", async (recovers) => {
  const earlier = new MemoryJournal({ clock: new ManualClock(), defer: queueMicrotask });
  await accept(earlier, "om_1");
  const { home, router, types } = setUp({ recovers, rows: earlier.rows() });
  await using _ = home;
  await settle();
  assert.deepEqual(types(), recovers ? [["wake"]] : []);
  router.tell({ type: "rescan" });
  await settle();
  assert.deepEqual(types(), recovers ? [["wake", "wake"]] : [["wake"]]);
});

Deno.test.each<[RouterActorMessage, string]>([
  [{ type: "wake_session", sessionKey: KEY }, "wake"],
  [{ type: "compact_session", sessionKey: KEY, idleMs: 1_000 }, "compact"],
])("Router wakes a session that sleeps for %j", async (message, told) => {
  const { home, router, types } = setUp();
  await using _ = home;
  router.tell(message);
  await settle();
  assert.deepEqual(types(), [[told]]);
});
