import assert from "node:assert/strict";
import { routerActor, type RouterActorMessage } from "../../../actors/gateway/router.ts";
import { MemoryJournal } from "../../../actors/journal/memory_journal.ts";
import type { ActorRef } from "../../../actors/kernel/ref.ts";
import type { SessionMessage } from "../../../actors/session/ports.ts";
import type { SessionErased } from "../../../actors/session/session_erasure.ts";
import { testSystem } from "../../support/system.ts";
import { settle } from "../../support/until.ts";

const KEY = "feishu:oc_1";

/** A router whose sessions note their lives, and erasures that end when the test says so. */
function setUp() {
  const home = testSystem();
  const journal = new MemoryJournal({ clock: home.clock, defer: queueMicrotask });
  const story: string[] = [];
  const erasing = Promise.withResolvers<SessionErased>();
  const router: ActorRef<RouterActorMessage> = home.system.spawn(routerActor({
    journal,
    recovers: false,
    startSession: (spawn) => {
      story.push("woken");
      return spawn({
        name: "session",
        create: () => ({
          receive: ({ type }: SessionMessage) => void story.push(type),
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
  return { home, story, erasing, erase, wake, rest };
}

Deno.test("Router stops a session that rests before it is deleted, and wakes it after", async () => {
  const { home, story, erasing, erase, wake, rest } = setUp();
  await using _ = home;
  wake();
  rest();
  await settle();
  const erased = erase();
  await settle();
  assert.deepEqual(story, ["woken", "compact", "stopped", `erase ${KEY}`]);
  wake();
  await settle();
  assert.equal(story.length, 4, "what comes meanwhile waits");
  assert.equal(await erase(), "busy", "once at a time");
  erasing.resolve("deleted");
  assert.equal(await erased, "deleted");
  await settle();
  assert.deepEqual(story.slice(4), ["woken", "wake"]);
});

Deno.test("Router deletes no session that is at work", async () => {
  const { home, story, erase, wake } = setUp();
  await using _ = home;
  wake();
  await settle();
  assert.equal(await erase(), "busy");
  assert.deepEqual(story, ["woken", "compact"]);
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

Deno.test("Router wakes a session again that was stopped for a deletion and had work", async () => {
  const { home, story, erasing, erase, wake, rest } = setUp();
  await using _ = home;
  wake();
  rest(); // told before it went on
  await settle();
  const erased = erase();
  erasing.resolve("busy");
  assert.equal(await erased, "busy");
  await settle();
  assert.deepEqual(story.slice(3), [`erase ${KEY}`, "woken", "wake"]);
});
