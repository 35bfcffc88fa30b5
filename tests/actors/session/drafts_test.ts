import assert from "node:assert/strict";
import { type Inbound, JournalError } from "../../../actors/journal/journal.ts";
import { SessionBench } from "../../support/session_bench.ts";
import { settle, until } from "../../support/until.ts";

const DRAFT = { draft: { type: "audio" } };

async function complete(bench: SessionBench, { channel, platformId }: Inbound, content: string) {
  const inbound = await bench.journal.complete({ channel, platformId, content, media: [] });
  if (inbound !== null) bench.session.tell({ type: "inbound_accepted", inbound });
  return inbound;
}

Deno.test("Session keeps the order of a chat while a message is still a draft", async () => {
  await using bench = new SessionBench({ script: ["first", "second"] });
  const note = await bench.accept("", DRAFT);
  await bench.say("and this after it");
  await settle();
  assert.deepEqual(bench.provider.requests.length, 0);
  await complete(bench, note, "a voice note");
  await bench.quiet();
  assert.deepEqual(bench.story().filter((line) => line.startsWith("user")), [
    "user a voice note",
    "user and this after it",
  ]);
});

Deno.test("Session lets no draft hold up another chat", async () => {
  await using bench = new SessionBench({ script: ["elsewhere"] });
  await bench.accept("", DRAFT);
  await bench.say("from another chat", { chatId: "oc_2" });
  await until(() => bench.replies().length === 1);
  assert.deepEqual(bench.replies(), ["elsewhere"]);
});

Deno.test("Session takes no draft, and nothing behind it, into a running turn", async () => {
  const gate = Promise.withResolvers<string>();
  await using bench = new SessionBench({
    script: [{ calls: [{ name: "wait" }] }, "done", "later", "last"],
    tools: { wait: { run: () => gate.promise } },
  });
  await bench.say("start");
  await until(() => bench.ran.length === 1);
  await bench.say("joins");
  const note = await bench.accept("", DRAFT);
  await bench.say("behind the draft");
  gate.resolve("ok");
  await until(() => bench.replies().length === 1);
  assert.deepEqual(bench.story().filter((line) => line.startsWith("user")), [
    "user start",
    "user joins",
  ]);
  await complete(bench, note, "the draft");
  await bench.quiet();
  assert.equal(
    bench.story().filter((line) => line.startsWith("user")).at(-1)?.includes("behind"),
    true,
  );
});

Deno.test("Session answers a command at once though a draft waits before it", async () => {
  await using bench = new SessionBench();
  const note = await bench.accept("", DRAFT);
  await bench.say("/stop");
  await bench.quiet();
  assert.match(bench.replies().join(), /Stopped 1 waiting message/);
  assert.equal(await complete(bench, note, "too late"), null);
});

Deno.test("Session finds nothing to do in drafts when it wakes", async () => {
  await using bench = new SessionBench();
  await bench.accept("", DRAFT);
  bench.session.tell({ type: "wake" });
  await settle();
  assert.deepEqual(bench.gate.received, []);
});

Deno.test("Session drops a message that is taken back while it waits", async () => {
  const gate = Promise.withResolvers<string>();
  await using bench = new SessionBench({
    script: [{ calls: [{ name: "wait" }] }, "done", "third"],
    tools: { wait: { run: () => gate.promise } },
  });
  await bench.say("first");
  await until(() => bench.ran.length === 1);
  const second = await bench.say("second");
  await bench.say("third");
  bench.session.tell({ type: "inbound_withdrawn", inbound: second });
  gate.resolve("ok");
  await bench.quiet();
  const said = bench.story().filter((line) => line.startsWith("user"));
  assert.deepEqual(said, ["user first", "user third"]);
  assert.equal((await bench.journal.counts()).inbounds.stopped, 1);
});

Deno.test("Session drops a message that is taken back while its pictures are read", async () => {
  const reading = Promise.withResolvers<null>();
  await using bench = new SessionBench({
    script: ["for the second"],
    services: {
      readImage: (path) => path === "/slow.png" ? reading.promise : Promise.resolve(null),
    },
  });
  const first = await bench.say("first", { media: ["/slow.png"] });
  await bench.say("second");
  await settle();
  bench.session.tell({ type: "inbound_withdrawn", inbound: first });
  await settle();
  reading.resolve(null);
  await bench.quiet();
  assert.deepEqual(bench.story(), ["user second", "assistant for the second"]);
});

Deno.test("Session begins nothing that is taken back just when it was read", async () => {
  for (let microtasks = 0; microtasks < 40; microtasks++) {
    const reading = Promise.withResolvers<null>();
    await using bench = new SessionBench({
      script: ["answer"],
      services: { readImage: () => reading.promise },
    });
    const inbound = await bench.say("first", { media: ["/slow.png"] });
    await settle();
    reading.resolve(null);
    for (let passed = 0; passed < microtasks; passed++) await Promise.resolve();
    bench.session.tell({ type: "inbound_withdrawn", inbound });
    await bench.quiet();
    const restarts = bench.world.events.filter(({ type }) => type === "actor_restarted");
    assert.deepEqual(restarts, [], `taken back ${microtasks} microtasks after it was read`);
  }
});

Deno.test("Session lets nothing join that is taken back just when it was read", async () => {
  for (let microtasks = 0; microtasks < 40; microtasks++) {
    const reading = Promise.withResolvers<null>();
    const gate = Promise.withResolvers<string>();
    await using bench = new SessionBench({
      script: [{ calls: [{ name: "wait" }] }, "done", "second"],
      tools: { wait: { run: () => gate.promise } },
      services: { readImage: () => reading.promise },
    });
    await bench.say("first");
    await until(() => bench.ran.length === 1);
    const second = await bench.say("second", { media: ["/slow.png"] });
    gate.resolve("ok");
    await settle();
    reading.resolve(null);
    for (let passed = 0; passed < microtasks; passed++) await Promise.resolve();
    bench.session.tell({ type: "inbound_withdrawn", inbound: second });
    await bench.quiet();
    const restarts = bench.world.events.filter(({ type }) => type === "actor_restarted");
    assert.deepEqual(restarts, [], `taken back ${microtasks} microtasks after it was read`);
  }
});

Deno.test("Session goes on with a message that is taken back while it is worked on", async () => {
  const gate = Promise.withResolvers<string>();
  await using bench = new SessionBench({
    script: [{ calls: [{ name: "wait" }] }, "done"],
    tools: { wait: { run: () => gate.promise } },
  });
  const inbound = await bench.say("first");
  await until(() => bench.ran.length === 1);
  bench.session.tell({ type: "inbound_withdrawn", inbound });
  gate.resolve("ok");
  await bench.quiet();
  assert.deepEqual(bench.replies(), ["done"]);
});

Deno.test("Session goes on with what waited behind a draft that is taken back", async () => {
  await using bench = new SessionBench({ script: ["answer"] });
  const draft = await bench.accept("", DRAFT);
  await bench.say("behind it");
  await settle();
  bench.session.tell({ type: "inbound_withdrawn", inbound: draft });
  await bench.quiet();
  assert.deepEqual(bench.replies(), ["answer"]);
});

Deno.test("Session stays awake while a slow disk takes a draft back that others wait behind", async () => {
  await using bench = new SessionBench({ script: ["answer"], settings: { idleMs: 60_000 } });
  const held = Promise.withResolvers<void>();
  const { journal } = bench;
  const withdraw = journal.withdraw.bind(journal);
  journal.withdraw = async (seq) => {
    await held.promise;
    return await withdraw(seq);
  };
  const draft = await bench.accept("", DRAFT);
  await bench.say("behind it");
  await settle();
  bench.session.tell({ type: "inbound_withdrawn", inbound: draft });
  await bench.world.clock.advance(120_000);
  await settle();
  const idleId = bench.router.received.at(-1)?.idleId ?? "";
  bench.session.tell({ type: "sleep", idleId });
  await settle();
  held.resolve();
  await bench.quiet();
  assert.deepEqual(bench.replies(), ["answer"]);
});

Deno.test("Session comes back when it cannot drop what is taken back just then", async () => {
  const reading = Promise.withResolvers<null>();
  let isFull = false;
  await using bench = new SessionBench({
    script: ["answer"],
    services: { readImage: () => reading.promise },
    onCommit: (phase) => {
      if (phase === "after" || !isFull) return;
      throw new JournalError("journal_full", "Cannot commit: no space left on device");
    },
  });
  const inbound = await bench.say("first", { media: ["/slow.png"] });
  await settle();
  isFull = true;
  bench.session.tell({ type: "inbound_withdrawn", inbound });
  reading.resolve(null);
  await until(() => bench.world.events.some(({ type }) => type === "actor_restarted"));
  isFull = false;
  await bench.world.clock.advance(1_000);
  await bench.quiet();
  assert.deepEqual(bench.replies(), ["answer"]);
});
