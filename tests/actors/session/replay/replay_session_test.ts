import assert from "node:assert/strict";
import { mock } from "node:test";
import type { RecallHit } from "../../../../actors/memory/recall/protocol.ts";
import { sessionFileName } from "../../../../actors/session/session_name.ts";
import { ProviderError } from "../../../../providers/provider.ts";
import { assertIdentical, replay } from "../../../support/bench_replay.ts";
import { type Disk, SessionBench } from "../../../support/session_bench.ts";
import { settle, until } from "../../../support/until.ts";

const DAY_MS = 24 * 3_600_000;

/** A turn with tools side by side, a long result, a message to the chat, and one that fails. */
const TOOLS = {
  look: { concurrency: "shared" as const, run: () => "seen" },
  long: { run: () => "x".repeat(9_000) },
  breaks: { run: () => Promise.reject(new Error("no such thing")) },
  message: {
    run: async (_args: unknown, { send, origin }: Parameters<Run>[1]) => {
      const { channel, chatId } = origin;
      await send({ channel, chatId, content: "a note", media: [] });
      return "sent";
    },
  },
};
type Run = NonNullable<NonNullable<ConstructorParameters<typeof SessionBench>[0]>["tools"]>[
  string
]["run"];

async function fullBench(): Promise<SessionBench> {
  const bench = new SessionBench({
    tools: TOOLS,
    script: [
      "hello",
      {
        text: "let me see",
        reasoning: "hm",
        calls: [
          { name: "look", id: "c1", args: { n: 1 } },
          { name: "look", id: "c2", args: { n: 2 } },
          { name: "long", id: "c3" },
          { name: "breaks", id: "c4" },
          { name: "look", id: "c5", invalid: "no JSON" },
          { name: "nowhere", id: "c6" },
        ],
      },
      { calls: [{ name: "message", id: "c7" }] },
      "done",
      { text: "cut", finishReason: "length" },
      " off",
      {
        error: new ProviderError("down", {
          code: "provider_auth",
          recovery: "give_up",
          userText: "The model is down.",
        }),
      },
      "",
      "",
      "",
    ],
  });
  for (const text of ["hi", "work", "write", "fails", "blank"]) {
    await bench.say(text, { media: text === "work" ? ["/media/a.png", "/media/b.txt"] : [] });
    await bench.quiet();
    await bench.world.clock.advance(7);
  }
  return bench;
}

/** No network, no program and no file can be reached until it is disposed of. */
function unreachableWorld(): Disposable {
  const refuse = (): never => {
    throw new TypeError("A replay reached for the world");
  };
  const world = [
    mock.method(globalThis, "fetch", refuse),
    mock.method(Deno, "connect", refuse),
    mock.method(Deno, "connectTls", refuse),
    mock.method(Deno, "resolveDns", refuse),
    mock.method(Deno, "open", refuse),
    mock.method(Deno.Command.prototype, "spawn", refuse),
    mock.method(Deno.Command.prototype, "output", refuse),
  ];
  return { [Symbol.dispose]: () => world.forEach((one) => one.mock.restore()) };
}

Deno.test("A session is replayed from its record, line by line, without model and tools", async () => {
  await using bench = await fullBench();
  const [asked, ran] = [bench.provider.requests.length, bench.ran.length];
  {
    using _world = unreachableWorld();
    assertIdentical(await replay(bench), bench.history().length);
  }
  assert.deepEqual([bench.provider.requests.length, bench.ran.length], [asked, ran]);
});

Deno.test.each([
  ["a reply", '"content":"done"', '"content":"gone"', /what the model was asked/],
  ["a result of a tool", '"content":"seen"', '"content":"seem"', /what the model was asked/],
  [
    "what the model was asked",
    '"content":"write"',
    '"content":"wrote"',
    /what the model was asked/,
  ],
  ["an argument of a call", '"value":{"n":1}', '"value":{"n":3}', /the course of the turn/],
])("A replay notices that %s was changed in the record", async (_name, was, is, what) => {
  await using bench = await fullBench();
  const report = await replay(bench, (text) => text.replace(was, is));
  assert.ok(report.state === "different", JSON.stringify(report));
  assert.match(report.divergence.what, what);
});

Deno.test("A replay notices that a line of the transcript was changed", async () => {
  await using bench = await fullBench();
  const name = sessionFileName(bench.sessionKey);
  const text = bench.files.texts.get(name) ?? "";
  bench.files.texts.set(name, text.replace("let me see", "let me be"));
  const report = await replay(bench);
  assert.ok(report.state === "different");
  assert.equal(report.divergence.what, "line 4");
  assert.match(report.divergence.replayed, /let me see/);
});

Deno.test("A replay ends calls side by side in the order in which they ended", async () => {
  let ran = 0;
  const first = Promise.withResolvers<string>();
  await using bench = new SessionBench({
    tools: { look: { concurrency: "shared", run: () => ++ran === 1 ? first.promise : "second" } },
    script: [
      { calls: [{ name: "look" }, { name: "look" }, { name: "look", invalid: "no JSON" }] },
      "done",
    ],
  });
  await bench.say("look twice");
  await until(() => ran === 2);
  await settle();
  first.resolve("first");
  await bench.quiet();
  const ends = bench.story().filter((line) => line.startsWith("tool"));
  assert.deepEqual(ends.map((line) => line.slice(0, 15)), [
    "tool call_0_2 E",
    "tool call_0_1 s",
    "tool call_0_0 f",
  ]);
  assertIdentical(await replay(bench), 6);
});

Deno.test("A replay has follow-ups join where they joined", async () => {
  const held = Promise.withResolvers<void>();
  const answered = Promise.withResolvers<void>();
  await using bench = new SessionBench({
    tools: { wait: { run: () => held.promise.then(() => "waited") } },
    script: [
      { calls: [{ name: "wait", id: "c1" }] },
      { text: "both", after: answered.promise },
      "and the third",
    ],
  });
  await bench.say("first");
  await until(() => bench.ran.length === 1);
  await bench.world.clock.advance(61_000);
  await bench.accept("second");
  held.resolve();
  await until(() => bench.provider.running === 1 && bench.provider.requests.length === 2);
  await bench.world.clock.advance(61_000);
  await bench.accept("third");
  answered.resolve();
  await bench.quiet();
  assert.equal(bench.replies().length, 2);
  assertIdentical(await replay(bench), 7);
});

/** A bench whose process dies in the middle of a turn, again and again. */
async function interrupted(lives: number): Promise<Disk> {
  let disk: Disk | undefined;
  for (let life = 0; life < lives; life++) {
    const never = Promise.withResolvers<string>();
    await using bench = new SessionBench({
      ...(disk !== undefined && { disk }),
      tools: { look: TOOLS.look, hang: { run: () => never.promise } },
      script: [{ calls: [{ name: "look", id: "c1" }, { name: "hang", id: "c2" }] }],
    });
    if (life === 0) await bench.say("work");
    else bench.session.tell({ type: "wake" });
    await until(() => bench.ran.length === 2);
    await bench.world.clock.advance(1_000);
    disk = bench.crash();
  }
  assert.ok(disk !== undefined);
  return disk;
}

Deno.test.each([1, 2, 4])("A replay interrupts what %d crashes interrupted", async (lives) => {
  await using bench = new SessionBench({
    disk: await interrupted(lives),
    script: ["done", "more"],
  });
  bench.session.tell({ type: "wake" });
  await bench.quiet();
  await bench.say("go on");
  await bench.quiet();
  assertIdentical(await replay(bench), bench.history().length);
});

Deno.test("A turn that is still under way is replayed as far as it has come", async () => {
  await using bench = new SessionBench({ disk: await interrupted(1), grantsPermits: false });
  assertIdentical(await replay(bench), 3);
});

Deno.test("A replay begins where the record does, and says what is gone", async () => {
  await using bench = new SessionBench({ script: ["one", "two", "three"] });
  for (const text of ["first", "second"]) {
    await bench.say(text);
    await bench.quiet();
    await bench.world.clock.advance(DAY_MS);
  }
  await bench.journal.prune({
    finishedBeforeMs: bench.world.clock.now() - DAY_MS,
    forgottenBeforeMs: 0,
    rowsMax: 99,
  });
  const report = await replay(bench);
  assertIdentical(report, 2);
  assert.ok(report.state === "identical");
  assert.equal(report.linesBefore, 2);
  await bench.say("/new");
  await bench.quiet();
  const gone = await replay(bench);
  assert.ok(gone.state === "gone");
  assert.match(gone.reason, /nothing is recorded/);
});

Deno.test("A replay leaves out what was taken back while it was read", async () => {
  const reading = Promise.withResolvers<void>();
  const held = Promise.withResolvers<null>();
  await using bench = new SessionBench({
    script: ["one"],
    services: {
      readImage: () => {
        reading.resolve();
        return held.promise;
      },
    },
  });
  const first = await bench.say("first", { media: ["/media/a.png"] });
  await reading.promise;
  bench.session.tell({ type: "inbound_withdrawn", inbound: first });
  await bench.say("second");
  held.resolve(null);
  await bench.quiet();
  assert.deepEqual(bench.replies(), ["one"]);
  assertIdentical(await replay(bench), 2);
});

Deno.test("A replay has nobody join a round of tools who joined the answer behind it", async () => {
  const answered = Promise.withResolvers<void>();
  await using bench = new SessionBench({
    tools: { look: TOOLS.look },
    script: [
      { calls: [{ name: "look", id: "c1" }] },
      { text: "one", after: answered.promise },
      "two",
    ],
  });
  await bench.say("first");
  await until(() => bench.provider.requests.length === 2);
  await bench.accept("second");
  answered.resolve();
  await bench.quiet();
  assertIdentical(await replay(bench), 6);
});

Deno.test("A replay tells the model what time it was, although others joined a minute later", async () => {
  const answered = Promise.withResolvers<void>();
  await using bench = new SessionBench({
    disk: await interrupted(1),
    script: [{ text: "one", after: answered.promise }, "two"],
  });
  bench.session.tell({ type: "wake" });
  await until(() => bench.provider.running === 1);
  await bench.world.clock.advance(61_000);
  await bench.accept("second");
  answered.resolve();
  await bench.quiet();
  assert.deepEqual(bench.replies(), ["one", "two"]);
  assertIdentical(await replay(bench), 7);
});

Deno.test("A replay has those join in order who were read in another", async () => {
  const answered = Promise.withResolvers<void>();
  const late = Promise.withResolvers<null>();
  await using bench = new SessionBench({
    script: [{ text: "one", after: answered.promise }, "two"],
    services: { readImage: () => late.promise },
  });
  await bench.say("first");
  await until(() => bench.provider.running === 1);
  await bench.accept("second", { media: ["/media/a.png"] });
  await bench.accept("third");
  answered.resolve();
  await until(() => bench.replies().length === 0 && bench.provider.running === 0);
  late.resolve(null);
  await bench.quiet();
  assert.equal(bench.replies().length, 2);
  assertIdentical(await replay(bench), 5);
});

Deno.test("A replay recalls what came to mind each time, were it nothing", async () => {
  const hit: RecallHit = {
    ...{ text: "it rained", kind: "session", path: "sessions/a.jsonl", line: 1 },
    ...{ sessionKey: "feishu:a", role: "user", atMs: 0, isForeign: false },
  };
  const recalled: RecallHit[][] = [[], [hit], []];
  const remind = () => Promise.resolve(recalled.shift() ?? []);
  const never = Promise.withResolvers<string>();
  let disk: Disk | undefined;
  for (let life = 0; life < 2; life++) {
    await using bench = new SessionBench({
      ...(disk !== undefined && { disk }),
      tools: { look: TOOLS.look, hang: { run: () => never.promise } },
      script: [{ calls: [{ name: "look", id: "c1" }, { name: "hang", id: "c2" }] }],
      services: { remind },
    });
    if (life === 0) await bench.say("work");
    else bench.session.tell({ type: "wake" });
    await until(() => bench.ran.length === 2);
    disk = bench.crash();
  }
  assert.ok(disk !== undefined);
  await using bench = new SessionBench({ disk, script: ["done"], services: { remind } });
  bench.session.tell({ type: "wake" });
  await bench.quiet();
  assert.deepEqual([bench.replies(), recalled], [["done"], []]);
  assertIdentical(await replay(bench), bench.history().length);
});

Deno.test("A replay takes a round for as long as it took: waiting is no loop", async () => {
  const isLong = (round: number) => round % 2 === 0;
  let round = 0;
  await using bench = new SessionBench({
    tools: {
      poll: {
        run: async (_args) => {
          if (isLong(round++)) await bench.world.clock.advance(1_200);
          return "not yet";
        },
      },
    },
    script: [
      ...Array.from({ length: 12 }, (_, n) => ({ calls: [{ name: "poll", id: `c${n}` }] })),
      "ready",
    ],
  });
  await bench.say("wait for it");
  await bench.quiet();
  assert.deepEqual(bench.replies(), ["ready"]);
  assertIdentical(await replay(bench), 26);
});

Deno.test("A replay begins behind what another version recorded in its own way", async () => {
  await using bench = new SessionBench({ script: ["one", "two"] });
  for (const text of ["first", "second"]) {
    await bench.say(text);
    await bench.quiet();
  }
  const report = await replay(
    bench,
    (text) => text.replace('"content":"first"', '"words":"first"'),
  );
  assert.ok(report.state === "identical", JSON.stringify(report));
  assert.deepEqual([report.linesBefore, report.lines], [2, 2]);
});

Deno.test("A replay takes up again what was set aside and retried", async () => {
  let disk: Disk | undefined;
  for (let life = 0; life < 4; life++) {
    const never = Promise.withResolvers<string>();
    const script = [{ text: "half", after: never.promise }];
    await using dying = new SessionBench({ ...(disk !== undefined && { disk }), script });
    if (life === 0) await dying.say("poison");
    else dying.session.tell({ type: "wake" });
    await until(() => dying.provider.running === 1);
    disk = dying.crash();
  }
  assert.ok(disk !== undefined);
  await using bench = new SessionBench({ disk, script: ["done"] });
  bench.session.tell({ type: "wake" });
  await bench.quiet();
  const { inbounds: [parked] } = await bench.journal.stuck(1);
  assert.ok(parked !== undefined);
  await bench.journal.retry({ kind: "inbound", number: parked.seq });
  bench.session.tell({ type: "wake" });
  await bench.quiet();
  assert.equal(bench.replies().at(-1), "done");
  assertIdentical(await replay(bench), bench.history().length);
});
