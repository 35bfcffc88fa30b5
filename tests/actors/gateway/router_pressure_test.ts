import assert from "node:assert/strict";
import { routerActor, type RouterActorMessage } from "../../../actors/gateway/router.ts";
import type { Inbound, NewInbound } from "../../../actors/journal/journal.ts";
import { MemoryJournal } from "../../../actors/journal/memory_journal.ts";
import type { ActorContext } from "../../../actors/kernel/actor.ts";
import type { ActorRef } from "../../../actors/kernel/ref.ts";
import type { SessionMessage } from "../../../actors/session/ports.ts";
import { anInbound } from "../journal/fixtures.ts";
import { acting } from "../../support/acting.ts";
import { testSystem } from "../../support/system.ts";
import { settle } from "../../support/until.ts";

/** A router whose sessions do nothing by themselves. */
function setUp({ awakeMax, recovers = true }: { awakeMax: number; recovers?: boolean }) {
  const home = testSystem();
  const journal = new MemoryJournal({ clock: home.clock, defer: queueMicrotask });
  const started: string[] = [];
  const awake = new Map<string, SessionMessage[]>();
  let mostAwake = 0;
  const start = (): ActorRef<RouterActorMessage> =>
    home.system.spawn(routerActor({
      journal,
      recovers,
      awakeMax,
      startSession: (spawn, sessionKey) => {
        started.push(sessionKey);
        const heard: SessionMessage[] = [];
        awake.set(sessionKey, heard);
        mostAwake = Math.max(mostAwake, awake.size);
        const hear = (message: SessionMessage, context: ActorContext<SessionMessage>) => {
          heard.push(message);
          if (message.type === "sleep") context.stopSelf();
        };
        return spawn(acting<SessionMessage>(hear, {
          name: sessionKey.replaceAll(":", "_"),
          stopped: () => void awake.delete(sessionKey),
        }));
      },
    }));
  let messages = 0;
  const accept = async (sessionKey: string, more: Partial<NewInbound> = {}): Promise<Inbound> => {
    const platformId = `om_${++messages}`;
    const taken = await journal.accept(anInbound({ platformId, sessionKey, ...more }));
    if (taken.state !== "accepted") throw new Error("Cannot accept twice");
    return taken.inbound;
  };
  /** A session does all that waits for it. */
  const work = async (sessionKey: string) => {
    const waiting = await journal.waiting(sessionKey, 0, 100);
    await journal.commit({ inbounds: waiting.map(({ seq }) => ({ seq, state: "done" })) });
  };
  return { home, journal, started, awake, start, accept, work, mostAwake: () => mostAwake };
}

async function quiet(): Promise<void> {
  for (let n = 0; n < 4; n++) await settle();
}

Deno.test("Router wakes no more sessions than may be awake, oldest first", async () => {
  const { home, accept, start, started, awake, work, mostAwake } = setUp({ awakeMax: 3 });
  await using _ = home;
  for (let n = 0; n < 10; n++) await accept(`s${n}`);
  const router = start();
  await quiet();
  assert.deepEqual(started, ["s0", "s1", "s2"]);
  for (let n = 0; n < 10; n++) {
    await work(`s${n}`);
    router.tell({ type: "session_resting", sessionKey: `s${n}`, idleId: "i" });
    await quiet();
  }
  assert.deepEqual(started, Array.from({ length: 10 }, (_, n) => `s${n}`));
  assert.equal(mostAwake(), 3);
  assert.equal(awake.size, 3, "nobody waits for the room of the last ones");
});

Deno.test("Router lets a new message wait for room behind older ones, and forgets none", async () => {
  const { home, accept, start, started, work } = setUp({ awakeMax: 1 });
  await using _ = home;
  await accept("a");
  const router = start();
  await quiet();
  for (const sessionKey of ["b", "c", "b"]) {
    router.tell({ type: "inbound_accepted", inbound: await accept(sessionKey) });
  }
  await quiet();
  assert.deepEqual(started, ["a"]);
  for (const sessionKey of ["a", "b", "c"]) {
    await work(sessionKey);
    router.tell({ type: "session_resting", sessionKey, idleId: "i" });
    await quiet();
  }
  assert.deepEqual(started, ["a", "b", "c"]);
});

Deno.test("Router tells a session that is awake at once, however crowded it is", async () => {
  const { home, accept, start, awake } = setUp({ awakeMax: 1 });
  await using _ = home;
  await accept("a");
  await accept("b");
  const router = start();
  await quiet();
  const inbound = await accept("a");
  router.tell({ type: "inbound_accepted", inbound });
  await quiet();
  assert.deepEqual(awake.get("a")?.at(-1), { type: "inbound_accepted", inbound });
});

Deno.test("Router keeps a session awake that rests while nobody waits for its room", async () => {
  const { home, accept, start, awake, work } = setUp({ awakeMax: 2 });
  await using _ = home;
  await accept("a");
  const router = start();
  await quiet();
  await work("a");
  router.tell({ type: "session_resting", sessionKey: "a", idleId: "i" });
  await quiet();
  assert.ok(awake.has("a"));
});

Deno.test("Router wakes a session again that got work while it fell asleep", async () => {
  const { home, accept, start, started, work } = setUp({ awakeMax: 2 });
  await using _ = home;
  await accept("a");
  const router = start();
  await quiet();
  await work("a");
  router.tell({ type: "session_idle", sessionKey: "a", idleId: "i" });
  router.tell({ type: "inbound_accepted", inbound: await accept("a") });
  await quiet();
  assert.deepEqual(started, ["a", "a"]);
});

Deno.test("Router lets those sleep that rested longest when a new session needs room", async () => {
  const { home, accept, start, started, awake, work } = setUp({ awakeMax: 2 });
  await using _ = home;
  await accept("a");
  await accept("b");
  const router = start();
  await quiet();
  for (const sessionKey of ["b", "a"]) {
    await work(sessionKey);
    router.tell({ type: "session_resting", sessionKey, idleId: "i" });
  }
  await quiet();
  assert.deepEqual([...awake.keys()].sort(), ["a", "b"]);
  router.tell({ type: "inbound_accepted", inbound: await accept("c") });
  await quiet();
  assert.deepEqual(started, ["a", "b", "c"]);
  assert.deepEqual([...awake.keys()].sort(), ["a", "c"]);
});

Deno.test("Router does not wake a session again and again for a draft", async () => {
  const { home, accept, start, started } = setUp({ awakeMax: 1 });
  await using _ = home;
  await accept("a", { draft: { type: "audio" } });
  await accept("b");
  const router = start();
  await quiet();
  router.tell({ type: "session_resting", sessionKey: "a", idleId: "i" });
  await quiet();
  assert.deepEqual(started, ["a", "b"]);
});

Deno.test("Router goes back for a draft that is complete while others wait for room", async () => {
  const { home, journal, accept, start, started, work } = setUp({ awakeMax: 1 });
  await using _ = home;
  const { channel, platformId } = await accept("drafted", { draft: { type: "audio" } });
  await accept("awake");
  const router = start();
  await quiet();
  router.tell({ type: "session_resting", sessionKey: "drafted", idleId: "i" });
  await quiet();
  router.tell({ type: "inbound_accepted", inbound: await accept("later") });
  const inbound = await journal.complete({ channel, platformId, content: "hi", media: [] });
  assert.ok(inbound !== null);
  router.tell({ type: "inbound_accepted", inbound });
  for (const sessionKey of ["awake", "drafted"]) {
    await quiet();
    await work(sessionKey);
    router.tell({ type: "session_resting", sessionKey, idleId: "i" });
  }
  await quiet();
  assert.deepEqual(started, ["drafted", "awake", "drafted", "later"]);
});

Deno.test("Router wakes what was left a few at a time, and a session that is written to at once", async () => {
  const { home, accept, start, started } = setUp({ awakeMax: 50 });
  await using _ = home;
  const left = Array.from({ length: 10 }, (_, n) => `s${n}`);
  for (const sessionKey of left) await accept(sessionKey);
  const router = start();
  await quiet();
  assert.deepEqual(started, left.slice(0, 4));
  router.tell({ type: "inbound_accepted", inbound: await accept("new") });
  await quiet();
  assert.deepEqual(started, [...left.slice(0, 4), "new"]);
  await home.clock.advance(20);
  assert.deepEqual(started, [...left.slice(0, 4), "new", ...left.slice(4)]);
});

Deno.test("Router takes a message back whose session has no room, and lets others go on", async () => {
  const { home, journal, accept, start, started, work } = setUp({ awakeMax: 1 });
  await using _ = home;
  await accept("awake");
  const draft = await accept("held", { draft: { type: "audio" } });
  await accept("held");
  const router = start();
  await quiet();
  router.tell({ type: "inbound_withdrawn", inbound: draft });
  await quiet();
  assert.equal((await journal.counts()).inbounds.stopped, 1);
  assert.deepEqual(started, ["awake"]);
  await work("awake");
  router.tell({ type: "session_resting", sessionKey: "awake", idleId: "i" });
  await quiet();
  assert.deepEqual(started, ["awake", "held"]);
});

Deno.test("Router passes by 20,000 waiting messages with a bounded number of sessions", async () => {
  const { home, journal, start, started, awake, mostAwake } = setUp({ awakeMax: 50 });
  await using _ = home;
  const router = start();
  const inbounds = await Promise.all(
    Array.from(
      { length: 20_000 },
      (_, n) => journal.accept(anInbound({ platformId: `p${n}`, sessionKey: `s${n % 10_000}` })),
    ),
  );
  for (const taken of inbounds) {
    if (taken.state === "accepted") {
      router.tell({ type: "inbound_accepted", inbound: taken.inbound });
    }
  }
  await home.clock.advance(1_000);
  assert.equal(mostAwake(), 50);
  assert.equal(awake.size, 50);
  assert.equal(started.length, 50);
});
