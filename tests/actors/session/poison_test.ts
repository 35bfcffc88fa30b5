import assert from "node:assert/strict";
import { JournalError } from "../../../actors/journal/journal.ts";
import type { ChatRequest } from "../../../providers/provider.ts";
import type { ScriptedAnswer } from "../../support/scripted_provider.ts";
import { type Disk, SessionBench, type SessionBenchOptions } from "../../support/session_bench.ts";
import { settle, until } from "../../support/until.ts";

/** A model that breaks at a request with this word in it. */
function breaksAt(word: string, answer: (request: ChatRequest) => string | ScriptedAnswer) {
  return (request: ChatRequest) => {
    if (JSON.stringify(request.messages).includes(word)) throw new Error(`broke at ${word}`);
    return answer(request);
  };
}

/** Lets time pass, so that the session's restarts come due, until all is answered or parked. */
async function outlast(bench: SessionBench): Promise<void> {
  await until(async () => {
    await bench.world.clock.advance(500);
    const { inbounds } = await bench.journal.counts();
    return inbounds.accepted + inbounds.running === 0;
  }, { what: "the end of all messages" });
  await bench.quiet();
}

/** A life that ends in the middle of the model's call. */
async function dieInCall(disk?: Disk, options: SessionBenchOptions = {}): Promise<Disk> {
  const bench = new SessionBench({
    ...options,
    ...(disk && { disk }),
    script: [{ text: "never", after: new Promise(() => {}) }],
  });
  if (disk === undefined) await bench.say("poison");
  await until(() => bench.provider.running === 1);
  const left = bench.crash();
  await bench[Symbol.asyncDispose]();
  return left;
}

async function attemptsOf(bench: SessionBench): Promise<number | undefined> {
  return (await bench.journal.interrupted(bench.sessionKey))?.turn.attempts;
}

Deno.test("Session parks a message that breaks every attempt, tells its sender, and goes on", async () => {
  const heard: string[] = [];
  await using bench = new SessionBench({
    script: breaksAt("poison", ({ messages }) => {
      heard.push(JSON.stringify(messages));
      return "fine";
    }),
  });
  await bench.say("good morning");
  await bench.quiet();
  const inbound = await bench.say("poison");
  await outlast(bench);
  assert.equal((await bench.journal.counts()).inbounds.parked, 1);
  assert.match(bench.replies().at(-1) ?? "", /set it aside/);
  const last = bench.rows().findLast(({ state }) => state === "pending");
  assert.deepEqual(last?.settles, [{ platformId: inbound.platformId, outcome: "failed" }]);
  const restarts = bench.world.events.filter(({ type }) => type === "actor_restarted").length;
  assert.equal(restarts, 4);
  await bench.say("good evening");
  await outlast(bench);
  assert.deepEqual(bench.replies().at(-1), "fine");
  assert.ok(!heard.at(-1)?.includes("poison"), "the model does not see it again");
  assert.match(heard.at(-1) ?? "", /good morning/);
  await until(() => bench.permitsOut() === 0);
});

Deno.test("Session does not show what it parked after it slept either", async () => {
  await using bench = new SessionBench({ script: breaksAt("poison", () => "fine") });
  await bench.say("poison");
  await outlast(bench);
  assert.deepEqual(bench.story().map((line) => line.split(" ")[0]), ["user", "assistant"]);
  const disk = bench.crash();
  await using next = new SessionBench({ disk, script: breaksAt("poison", () => "fine") });
  await next.say("hello");
  await next.quiet();
  assert.deepEqual(next.replies(), ["fine"]);
});

Deno.test("Session finds the one that breaks a turn of several, and answers the others", async () => {
  const gate = Promise.withResolvers<string>();
  await using bench = new SessionBench({
    script: breaksAt("poison", ({ messages }) => {
      const text = JSON.stringify(messages);
      return text.includes("call_0_0") ? "fine" : { calls: [{ name: "wait" }] };
    }),
    tools: { wait: { run: () => gate.promise } },
  });
  await bench.say("first");
  await until(() => bench.ran.length === 1);
  await bench.say("poison");
  await bench.say("third");
  gate.resolve("ok");
  await outlast(bench);
  const { inbounds } = await bench.journal.counts();
  assert.deepEqual([inbounds.done, inbounds.parked], [2, 1]);
  assert.equal(bench.ran.length, 1, "no tool runs again by itself");
  const replies = bench.replies();
  assert.equal(replies.filter((reply) => reply === "fine").length, 2);
  assert.equal(replies.filter((reply) => /set it aside/.test(reply)).length, 1);
});

Deno.test("Session lets each message that runs alone have the last word before its answer", async () => {
  const lastWords: string[] = [];
  const gate = Promise.withResolvers<string>();
  await using bench = new SessionBench({
    script: breaksAt("poison", ({ messages }) => {
      const last = messages.at(-1);
      lastWords.push(`${last?.role} ${JSON.stringify(last?.content)}`);
      return messages.length > 2 ? "fine" : { calls: [{ name: "wait" }] };
    }),
    tools: { wait: { run: () => gate.promise } },
  });
  await bench.say("first");
  await until(() => bench.ran.length === 1);
  await bench.say("poison");
  await bench.say("third");
  gate.resolve("ok");
  await outlast(bench);
  assert.match(lastWords.at(-1) ?? "", /^user .*third/);
});

Deno.test("Session counts the deaths of the process, and parks what caused four of them", async () => {
  let disk = await dieInCall();
  for (const attempts of [2, 3, 4]) {
    disk = await dieInCall(disk);
    assert.equal(disk.rows.turns[0]?.attempts, attempts);
  }
  await using bench = new SessionBench({ disk, script: ["fine"] });
  await outlast(bench);
  assert.equal((await bench.journal.counts()).inbounds.parked, 1);
  assert.equal(bench.provider.requests.length, 0, "it is not tried a fifth time");
  await bench.say("hello");
  await bench.quiet();
  assert.equal(bench.replies().at(-1), "fine");
});

Deno.test("Session that cannot wake has its last line in the file before it tries again", async () => {
  let disk = await dieInCall();
  for (const _ of [2, 3, 4]) disk = await dieInCall(disk);
  await using bench = new SessionBench({ disk });
  const { files, journal, world } = bench;
  const waiting = journal.waiting.bind(journal);
  journal.waiting = () => {
    journal.waiting = waiting;
    return Promise.reject(new JournalError("journal_failed", "Cannot read: input/output error"));
  };
  const slow = Promise.withResolvers<void>();
  const append = files.append.bind(files);
  files.append = async (name, text) => {
    await slow.promise;
    await append(name, text);
  };
  for (let n = 0; n < 10; n++) {
    await settle();
    await world.clock.advance(100); // a restart comes due
  }
  slow.resolve();
  await outlast(bench);
  assert.equal(world.events.filter(({ type }) => type === "actor_restarted").length, 1);
  assert.deepEqual(bench.story().map((line) => line.split(" ")[0]), ["user", "assistant"]);
});

Deno.test("Session answers what the last try shows to be harmless", async () => {
  let disk = await dieInCall();
  for (const _ of [2, 3]) disk = await dieInCall(disk);
  await using bench = new SessionBench({ disk, script: ["fine"] });
  await outlast(bench);
  assert.deepEqual(bench.replies(), ["fine"]);
  assert.deepEqual(bench.story(), ["user poison", "assistant fine"]);
});

Deno.test("Session does not count attempts that were ended in good order", async () => {
  let disk: Disk | undefined;
  for (let life = 0; life < 6; life++) {
    const bench = new SessionBench({
      ...(disk && { disk }),
      script: [{ text: "never", after: new Promise(() => {}) }],
    });
    if (disk === undefined) await bench.say("hi");
    await until(() => bench.provider.running === 1);
    assert.equal(await attemptsOf(bench), 1);
    await bench[Symbol.asyncDispose]();
    assert.equal(await attemptsOf(bench), 0);
    disk = { rows: bench.journal.rows(), files: Object.fromEntries(bench.files.texts) };
  }
});

Deno.test("Session still counts a death when the next attempt never came to its first step", async () => {
  const disk = await dieInCall();
  let refused = 0;
  let isFull = true;
  const bench = new SessionBench({
    disk,
    onCommit: (phase) => {
      if (phase === "after" || !isFull) return;
      refused++;
      throw new JournalError("journal_full", "Cannot write: the disk is full");
    },
  });
  bench.session.tell({ type: "wake" });
  await until(() => refused > 0);
  await settle();
  isFull = false;
  await bench[Symbol.asyncDispose]();
  assert.equal(await attemptsOf(bench), 1);
});

Deno.test("Session counts anew when a turn gets further than before", async () => {
  await using bench = new SessionBench({
    script: [{ calls: [{ name: "look" }, { name: "look" }] }, {
      text: "never",
      after: new Promise(() => {}),
    }],
    tools: { look: { run: () => "seen", concurrency: "shared" } },
  });
  await bench.say("hi");
  await until(() => bench.provider.requests.length === 2);
  await settle();
  assert.equal(await attemptsOf(bench), 0);
});

Deno.test("Session parks a message whose tool kills the process each time", async () => {
  let disk: Disk | undefined;
  for (let life = 1; life <= 5; life++) {
    const bench = new SessionBench({
      ...(disk && { disk }),
      script: ({ messages }) =>
        JSON.stringify(messages).includes("poison")
          ? { calls: [{ name: "look" }, { name: "kill" }] }
          : "fine",
      tools: {
        look: { run: () => "seen", concurrency: "shared" },
        kill: { run: () => new Promise(() => {}), concurrency: "shared" },
      },
    });
    if (disk === undefined) {
      await bench.say("hi");
      await bench.quiet();
      await bench.say("poison");
    }
    await until(() => bench.ran.length === 2);
    await settle();
    disk = bench.crash();
    await bench[Symbol.asyncDispose]();
  }
  await using bench = new SessionBench({ ...(disk && { disk }), script: ["fine"] });
  await outlast(bench);
  assert.equal((await bench.journal.counts()).inbounds.parked, 1);
  assert.equal(bench.provider.requests.length, 0);
  await bench.say("hello");
  await bench.quiet();
  const shown = bench.provider.requests[0]?.messages.map((message) =>
    message.role === "assistant"
      ? `${message.content}, ${message.tool_calls?.length ?? 0} calls`
      : message.role
  );
  assert.deepEqual(shown, ["system", "user", "fine, 0 calls", "user"]);
});

Deno.test("Session stops, on request, also what waits for its turn alone", async () => {
  const gate = Promise.withResolvers<string>();
  let isCalm = false;
  await using bench = new SessionBench({
    script: ({ messages }) => {
      if (!JSON.stringify(messages).includes("call_0_0")) return { calls: [{ name: "wait" }] };
      if (!isCalm) throw new Error("broke");
      return { text: "never", after: new Promise(() => {}) };
    },
    tools: { wait: { run: () => gate.promise } },
  });
  await bench.say("first");
  await until(() => bench.ran.length === 1);
  await bench.say("second");
  gate.resolve("ok");
  await until(async () => {
    await bench.world.clock.advance(200);
    return await attemptsOf(bench) === 3;
  });
  isCalm = true;
  await until(async () => {
    await bench.world.clock.advance(200);
    return bench.provider.running === 1;
  });
  await bench.say("/stop");
  await bench.quiet();
  assert.equal((await bench.journal.counts()).inbounds.stopped, 2);
  assert.match(bench.replies().join(), /Stopped 2 running/);
});
