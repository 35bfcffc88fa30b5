import assert from "node:assert/strict";
import { routerActor, type RouterActorMessage } from "../../../actors/gateway/router.ts";
import type { Inbound } from "../../../actors/journal/journal.ts";
import { MemoryJournal } from "../../../actors/journal/memory_journal.ts";
import { newInbound } from "../../../actors/journal/rules.ts";
import type { ActorRef, ReplyTo } from "../../../actors/kernel/ref.ts";
import type { SessionMessage } from "../../../actors/session/ports.ts";
import type { SessionErased } from "../../../actors/session/session_erasure.ts";
import { testSystem } from "../../support/system.ts";
import { anInbound } from "../journal/fixtures.ts";
import { settle } from "../../support/until.ts";

const KEY = "feishu:oc_1";

/** How a session takes it that it is asked to leave: "held" is answered when the test says so. */
type Manner = "leaves" | "stays" | "held" | "gone";

/** A router whose sessions note their lives, and erasures that end when the test says so. */
function setUp(manner: Manner = "leaves") {
  const home = testSystem();
  const journal = new MemoryJournal({ clock: home.clock, defer: queueMicrotask });
  const story: string[] = [];
  const asked: ReplyTo<boolean>[] = [];
  const erasing = Promise.withResolvers<SessionErased>();
  const router: ActorRef<RouterActorMessage> = home.system.spawn(routerActor({
    journal,
    recovers: false,
    startSession: (spawn) => {
      story.push("woken");
      return spawn({
        name: "session",
        create: (context) => ({
          receive: (message: SessionMessage) => {
            story.push(message.type);
            if (message.type !== "leave") return;
            if (manner === "held") asked.push(message.replyTo);
            else if (manner !== "gone") message.replyTo.reply(manner === "leaves");
            if (manner === "leaves" || manner === "gone") context.stopSelf();
          },
          stopped: () => void story.push("stopped"),
        }),
      });
    },
    eraseSession: (key) => {
      story.push(`erase ${key}`);
      return erasing.promise;
    },
  }));
  const erase = () =>
    router.ask<SessionErased>(
      (replyTo) => ({ type: "erase_session", sessionKey: KEY, replyTo }),
      { timeoutMs: 60_000 },
    );
  const wake = () => router.tell({ type: "compact_session", sessionKey: KEY, idleMs: 1 });
  const rest = () => router.tell({ type: "session_resting", sessionKey: KEY, idleId: "1" });
  return { home, story, asked, erasing, router, erase, wake, rest };
}

Deno.test("Router stops a session that rests before it is deleted, and wakes it after", async () => {
  const { home, story, erasing, erase, wake } = setUp();
  await using _ = home;
  wake();
  await settle();
  const erased = erase();
  await settle();
  assert.deepEqual(story, ["woken", "compact", "leave", "stopped", `erase ${KEY}`]);
  wake();
  await settle();
  assert.equal(story.length, 5, "what comes meanwhile waits");
  assert.equal(await erase(), "busy", "once at a time");
  erasing.resolve("deleted");
  assert.equal(await erased, "deleted");
  await settle();
  assert.deepEqual(story.slice(5), ["woken", "wake"]);
});

Deno.test("Router lets a session go on that is at work, whatever it told before", async () => {
  const { home, story, erase, wake, rest } = setUp("stays");
  await using _ = home;
  wake();
  rest(); // told before it went on
  await settle();
  assert.equal(await erase(), "busy");
  assert.deepEqual(story.slice(0, 3), ["woken", "compact", "leave"]);
  await settle();
  assert.ok(!story.includes("stopped"));
});

Deno.test("Router deletes a session that left while it was asked to", async () => {
  const { home, story, erasing, erase, wake } = setUp("gone");
  await using _ = home;
  wake();
  const erased = erase();
  erasing.resolve("deleted");
  assert.equal(await erased, "deleted");
  assert.deepEqual(story, ["woken", "compact", "leave", "stopped", `erase ${KEY}`]);
});

Deno.test("Router tells a session that stays of what was taken back meanwhile", async () => {
  const { home, story, asked, router, erase, wake } = setUp("held");
  await using _ = home;
  wake();
  const erased = erase();
  await settle();
  const inbound: Inbound = { ...newInbound(anInbound({ sessionKey: KEY }), 0), seq: 1 };
  router.tell({ type: "inbound_withdrawn", inbound });
  await settle();
  assert.deepEqual(story, ["woken", "compact", "leave"]);
  asked[0]?.reply(false);
  assert.equal(await erased, "busy");
  await settle();
  assert.equal(story[3], "inbound_withdrawn");
});

Deno.test("Router tells why a session could not be deleted, and goes on", async () => {
  const { home, story, erasing, erase, wake } = setUp();
  await using _ = home;
  const erased = erase();
  erasing.reject(new Error("no disk"));
  await assert.rejects(erased, /no disk/);
  wake();
  await settle();
  assert.deepEqual(story, [`erase ${KEY}`, "woken", "compact"]);
});

Deno.test("Router wakes a session again that left for a deletion and had work", async () => {
  const { home, story, erasing, erase, wake } = setUp();
  await using _ = home;
  wake();
  await settle();
  const erased = erase();
  erasing.resolve("busy");
  assert.equal(await erased, "busy");
  await settle();
  assert.deepEqual(story.slice(4), [`erase ${KEY}`, "woken", "wake"]);
});
