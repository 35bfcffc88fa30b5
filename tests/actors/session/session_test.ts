import assert from "node:assert/strict";
import { JournalError } from "../../../actors/journal/journal.ts";
import {
  type BenchTool,
  SessionBench,
  type SessionBenchOptions,
} from "../../support/session_bench.ts";
import type { ScriptedAnswer } from "../../support/scripted_provider.ts";
import { settle, until } from "../../support/until.ts";

/** A model call that takes until the test lets it go on. */
function slow(text: string): { answer: ScriptedAnswer; finish: () => void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { answer: { pieces: [text], after: promise }, finish: resolve };
}

/** A bench whose first model call runs, and waits. */
async function busyBench(options: SessionBenchOptions & { text?: string } = {}) {
  const first = slow(options.text ?? "one");
  const bench = new SessionBench({
    ...options,
    script: (_request, index) => index === 0 ? first.answer : `answer ${index}`,
  });
  const inbound = await bench.say("hi", { wantsStream: options.text !== undefined });
  await until(() => bench.provider.running === 1);
  return { bench, inbound, finish: first.finish };
}

Deno.test("Session answers a message and keeps both in its file", async () => {
  await using bench = new SessionBench({ script: ["hello"] });
  const inbound = await bench.say("hi", { context: { message_id: "om_1" } });
  await bench.quiet();
  assert.deepEqual(bench.story(), ["user hi", "assistant hello"]);
  const [row] = bench.rows();
  assert.deepEqual(
    [row?.content, row?.chatId, row?.context, row?.settles],
    ["hello", "oc_1", { message_id: "om_1" }, [
      { platformId: inbound.platformId, outcome: "done" },
    ]],
  );
});

Deno.test("Session runs what came one after the other, each with its own permit", async () => {
  await using bench = new SessionBench({
    script: (_request, index) => `answer ${index}`,
    settings: { joinsPerTurnMax: 0 },
  });
  await bench.say("one");
  await bench.say("two");
  await bench.quiet();
  await until(() => bench.permitsOut() === 0);
  assert.deepEqual(bench.replies(), ["answer 0", "answer 1"]);
  assert.deepEqual(bench.story(), [
    "user one",
    "assistant answer 0",
    "user two",
    "assistant answer 1",
  ]);
  const asked = bench.gate.received.filter(({ type }) => type === "request_permit");
  assert.ok(asked.length >= 2);
});

Deno.test("Session waits for its permit before it calls the model", async () => {
  await using bench = new SessionBench({ script: ["hello"], grantsPermits: false });
  await bench.say("hi");
  await until(() => bench.gate.received.length === 1);
  await settle();
  assert.equal(bench.provider.requests.length, 0);
  bench.grant();
  await bench.quiet();
  assert.deepEqual(bench.replies(), ["hello"]);
  await until(() => bench.permitsOut() === 0);
});

Deno.test("Session gives back a permit that it did not ask for", async () => {
  await using bench = new SessionBench({ grantsPermits: false });
  bench.session.tell({ type: "permit_granted", requestId: "stale" });
  await until(() => bench.gate.received.length === 1);
  assert.deepEqual(bench.gate.received, [{ type: "release_permit", requestId: "stale" }]);
});

Deno.test("Session answers a message once that it is told of twice", async () => {
  await using bench = new SessionBench({ script: ["hello"] });
  const inbound = await bench.say("hi");
  bench.session.tell({ type: "inbound_accepted", inbound });
  await bench.quiet();
  bench.session.tell({ type: "inbound_accepted", inbound });
  await until(() => bench.permitsOut() === 0);
  await settle();
  assert.equal(bench.provider.requests.length, 1);
});

Deno.test("Session finds in the journal what it was not told of", async () => {
  await using bench = new SessionBench({ script: ["hello"] });
  await bench.accept("hi");
  await bench.accept("/help");
  bench.session.tell({ type: "wake" });
  await bench.quiet();
  assert.match(bench.replies().join("\n"), /\/new[^]*hello|hello[^]*\/new/);
});

Deno.test("Session answers every message of a burst that its mailbox cannot hold", async () => {
  const texts = Array.from({ length: 400 }, (_, index) => `message ${index}`);
  await using bench = new SessionBench({ script: (_request, index) => `answer ${index}` });
  const inbounds = await Promise.all(texts.map((text) => bench.accept(text)));
  for (const inbound of inbounds) bench.session.tell({ type: "inbound_accepted", inbound });
  await bench.quiet();
  const users = bench.story().filter((line) => line.startsWith("user"));
  assert.deepEqual(users, texts.map((text) => `user ${text}`));
  assert.equal(bench.world.deadLetters.length, 0);
});

Deno.test("Session lets follow-ups of its chat join after tools, three at a step", async () => {
  const gate = Promise.withResolvers<void>();
  await using bench = new SessionBench({
    script: [{ calls: [{ name: "work" }] }, { calls: [{ name: "quick" }] }, "all of it"],
    tools: { work: { run: () => gate.promise.then(() => "x") }, quick: { run: () => "y" } },
  });
  await bench.say("start");
  await until(() => bench.ran.length === 1);
  for (const text of ["a", "b", "c", "d"]) await bench.say(text);
  gate.resolve();
  await bench.quiet();
  assert.deepEqual(bench.story(), [
    "user start",
    "assistant [work call_0_0]",
    "tool call_0_0 x",
    "user a",
    "user b",
    "user c",
    "assistant [quick call_1_0]",
    "tool call_1_0 y",
    "user d",
    "assistant all of it",
  ]);
  assert.deepEqual(bench.replies(), ["all of it"]);
  assert.equal(bench.rows()[0]?.settles.length, 5);
  const request = JSON.stringify(bench.provider.requests[1]?.messages.at(-1));
  assert.match(request, /Chat: oc_1[^]*a[^]*Chat: oc_1[^]*b[^]*Chat: oc_1[^]*c/);
});

Deno.test("Session gives an answer before follow-ups join, and then theirs", async () => {
  const { bench, inbound, finish } = await busyBench({ text: "one" });
  await using _ = bench;
  const second = await bench.say("more", { wantsStream: true, context: { message_id: "om_2" } });
  finish();
  await bench.quiet();
  const rows = bench.rows();
  assert.deepEqual(rows.map(({ state, content }) => [state, content]), [
    ["open", ""],
    ["pending", "one"],
    ["open", ""],
    ["pending", "answer 1"],
  ]);
  assert.notEqual(rows[1]?.key, rows[3]?.key);
  assert.deepEqual(rows[3]?.context, { message_id: "om_2" });
  const settled = rows.map(({ settles }) => settles.map(({ platformId }) => platformId));
  assert.deepEqual(settled, [[], [inbound.platformId], [], [second.platformId]]);
  assert.deepEqual(bench.story(), [
    "user hi",
    "assistant one",
    "user more",
    "assistant answer 1",
  ]);
});

/** Sends a note home and, while it runs, lets a follow-up come in. */
function noteWhile(say: () => Promise<unknown>): BenchTool {
  return {
    run: async (_parameters, { send }) => {
      await send({ channel: "feishu", chatId: "oc_1", content: "a note", media: [] });
      await say();
      return "sent";
    },
  };
}

Deno.test("Session answers who joined after a message home", async () => {
  await using bench: SessionBench = new SessionBench({
    script: [{ calls: [{ name: "note" }] }, "for both"],
    tools: { note: noteWhile(() => bench.say("more")) },
  });
  await bench.say("hi");
  await bench.quiet();
  assert.deepEqual(bench.replies(), ["a note", "for both"]);
});

Deno.test("Session says nothing more when a tool told those that joined before", async () => {
  const first = Promise.withResolvers<string>();
  await using bench: SessionBench = new SessionBench({
    script: [{ calls: [{ name: "wait" }] }, { calls: [{ name: "note" }] }, {}, {}, {}],
    tools: { wait: { run: () => first.promise }, note: noteWhile(() => Promise.resolve()) },
  });
  await bench.say("hi");
  await until(() => bench.ran.length === 1);
  await bench.say("more");
  first.resolve("x");
  await bench.quiet();
  assert.deepEqual(bench.replies(), ["a note", ""]);
  assert.equal(bench.rows()[1]?.settles.length, 2);
});

Deno.test("Session lets nobody join more than five times a turn", async () => {
  const texts = Array.from({ length: 20 }, (_, index) => `m${index}`);
  await using bench = new SessionBench({
    script: (request) => ({
      calls: request.messages.length > 40 ? [] : [{ name: "work" }],
      text: "ok",
    }),
    tools: { work: { run: () => "x" } },
    settings: { toolIterationsMax: 7 },
    grantsPermits: false,
  });
  for (const text of texts) await bench.accept(text);
  bench.session.tell({ type: "wake" });
  await until(() => bench.permitsOut() === 1);
  bench.grant();
  await until(() => bench.rows().length === 1);
  assert.equal(bench.rows()[0]?.settles.length, 1 + 5 * 3);
});

Deno.test("Session lets nobody of another chat join, and answers each at home", async () => {
  const first = slow("for feishu");
  await using bench = new SessionBench({
    sessionKey: "unified:default",
    script: (_request, index) => index === 0 ? first.answer : "for telegram",
  });
  await bench.say("hi");
  await until(() => bench.provider.running === 1);
  await bench.say("hello", { channel: "telegram", chatId: "7" });
  first.finish();
  await bench.quiet();
  assert.deepEqual(bench.replies("feishu"), ["for feishu"]);
  assert.deepEqual(bench.replies("telegram"), ["for telegram"]);
  assert.match(JSON.stringify(bench.provider.requests[1]?.messages), /for feishu/);
});

Deno.test("Session answers commands while it waits for a permit", async () => {
  await using bench = new SessionBench({ grantsPermits: false });
  await bench.say("hi");
  await until(() => bench.gate.received.length === 1);
  for (const command of ["/help", " /STATUS ", "/new", "/stop"]) await bench.say(command);
  await bench.quiet();
  const [help, status, fresh, stop] = bench.replies();
  assert.match(help ?? "", /\/stop/);
  assert.match(status ?? "", /test-model[^]*1m 5s/);
  assert.match(fresh ?? "", /new session.*1 unfinished message was stopped/i);
  assert.match(stop ?? "", /stopped/i);
  assert.equal(bench.provider.requests.length, 0);
});

Deno.test("Session answers commands while a turn runs, which goes on", async () => {
  const { bench, finish } = await busyBench();
  await using _ = bench;
  const help = await bench.say("/help");
  const status = await bench.say("/status");
  await until(() => bench.replies().length === 2);
  assert.match(bench.replies()[1] ?? "", /Version: 1\.2\.3[^]*1 message\n[^]*1 active/);
  assert.deepEqual(bench.rows().map(({ settles }) => settles.map((s) => s.platformId)), [
    [help.platformId],
    [status.platformId],
  ]);
  finish();
  await bench.quiet();
  assert.deepEqual(bench.replies().slice(2), ["one"]);
  assert.deepEqual(bench.story(), ["user hi", "assistant one"]);
});

Deno.test("Session stops what runs and what waits, and runs nothing of it later", async () => {
  const { bench, inbound } = await busyBench({ settings: { joinsPerTurnMax: 0 } });
  await using _ = bench;
  const second = await bench.say("second");
  const third = await bench.say("third");
  const stop = await bench.say("/stop");
  await bench.quiet();
  assert.deepEqual(bench.replies(), ["Stopped 1 running and 2 waiting messages."]);
  assert.deepEqual(bench.rows()[0]?.settles, [
    { platformId: stop.platformId, outcome: "done" },
    { platformId: inbound.platformId, outcome: "stopped" },
    { platformId: second.platformId, outcome: "stopped" },
    { platformId: third.platformId, outcome: "stopped" },
  ]);
  assert.equal((await bench.journal.counts()).inbounds.stopped, 3);
  await until(() => bench.permitsOut() === 0);
  await settle();
  assert.equal(bench.provider.requests.length, 1);
  assert.equal(bench.provider.running, 0);
  await bench.say("fourth");
  await bench.quiet();
  assert.deepEqual(bench.story(), [
    "user hi",
    "assistant (This was stopped on request before an answer was given.)",
    "user fourth",
    "assistant answer 1",
  ]);
});

Deno.test("Session ends a growing answer at a stop with what there was", async () => {
  const { bench, inbound } = await busyBench({ text: "Half an answer" });
  await using _ = bench;
  await until(() => bench.outboxes.get("feishu")?.last?.type === "stream_grew");
  await bench.say("/stop");
  await bench.quiet();
  const rows = bench.rows();
  assert.deepEqual(rows.map(({ state, content }) => [state, content]), [
    ["open", ""],
    ["pending", "Half an answer\n\n(stopped)"],
    ["pending", "Stopped 1 running message."],
  ]);
  assert.equal(rows[0]?.key, rows[1]?.key);
  assert.deepEqual(rows[1]?.settles, [{ platformId: inbound.platformId, outcome: "stopped" }]);
});

Deno.test("Session closes the tool calls of a turn that is stopped", async () => {
  let aborted = false;
  await using bench = new SessionBench({
    script: [
      {
        calls: [{ name: "quick", id: "a" }, { name: "hang", id: "b" }, { name: "quick", id: "c" }],
      },
      "later",
    ],
    tools: {
      quick: { run: () => "x" },
      hang: {
        run: (_parameters, { signal }) => {
          signal.addEventListener("abort", () => aborted = true);
          return new Promise(() => {}); // it ignores the abort
        },
      },
    },
  });
  await bench.say("hi");
  await until(() => bench.ran.length === 2);
  await bench.say("/stop");
  await bench.quiet();
  assert.ok(aborted);
  assert.deepEqual(bench.ran.length, 2);
  await bench.say("again");
  await bench.quiet();
  const INTERRUPTED = /^tool (b|c) Error:.*interrupted/;
  const story = bench.story();
  assert.deepEqual(story.slice(0, 3), [
    "user hi",
    "assistant [quick a][hang b][quick c]",
    "tool a x",
  ]);
  assert.match(story[3] ?? "", INTERRUPTED);
  assert.match(story[4] ?? "", INTERRUPTED);
  assert.equal(story.length, 8);
});

Deno.test("Session tells a stopped chat of a stop from another one", async () => {
  const first = slow("never");
  await using bench = new SessionBench({
    sessionKey: "unified:default",
    script: () => first.answer,
  });
  const running = await bench.say("hi");
  await until(() => bench.provider.running === 1);
  const waiting = await bench.say("me too", { chatId: "oc_2" });
  await bench.say("/stop", { channel: "telegram", chatId: "7" });
  await bench.quiet();
  assert.deepEqual(bench.replies("telegram"), ["Stopped 1 running and 1 waiting messages."]);
  assert.deepEqual(bench.rows().map(({ chatId, settles }) => [chatId, settles]), [
    ["oc_1", [{ platformId: running.platformId, outcome: "stopped" }]],
    ["oc_2", [{ platformId: waiting.platformId, outcome: "stopped" }]],
  ]);
});

Deno.test("Session says that nothing was stopped when nothing runs", async () => {
  await using bench = new SessionBench();
  await bench.say("/stop");
  await bench.quiet();
  assert.match(bench.replies()[0] ?? "", /nothing was stopped/i);
});

Deno.test("Session stops nothing for a stop that it hears of twice", async () => {
  await using bench = new SessionBench({ script: ["hello"] });
  const stop = await bench.say("/stop");
  await bench.quiet();
  await bench.say("hi");
  bench.session.tell({ type: "inbound_accepted", inbound: stop });
  await bench.quiet();
  assert.deepEqual(bench.replies().slice(1), ["hello"]);
});

Deno.test("Session begins anew: the turn is stopped and the conversation gone", async () => {
  const { bench } = await busyBench({ text: "Half" });
  await using _ = bench;
  await bench.say("waits too", { wantsStream: true });
  await bench.say("/new");
  await bench.quiet();
  assert.match(bench.replies()[0] ?? "", /^Half\n\n\(stopped\)$/);
  assert.match(bench.replies()[1] ?? "", /new session.* 2 unfinished messages/i);
  await until(() => bench.story().length === 0);
  await bench.say("hello");
  await bench.quiet();
  assert.equal(bench.provider.requests[1]?.messages.length, 2);
  assert.deepEqual(bench.story(), ["user hello", "assistant answer 1"]);
});

Deno.test("Session treats unknown slash words as words", async () => {
  await using bench = new SessionBench({ script: ["a", "b"] });
  await bench.say("/dance");
  await bench.quiet();
  await bench.say("/new please");
  await bench.quiet();
  assert.deepEqual(bench.replies(), ["a", "b"]);
});

Deno.test("Session tries a step until its journal takes it, and loses and doubles nothing", async () => {
  let isFull = false;
  await using bench = new SessionBench({
    script: (_request, index) => index === 0 ? { calls: [{ name: "look" }] } : "done",
    tools: {
      look: {
        run: () => {
          isFull = true;
          return "seen";
        },
      },
    },
    onCommit: (phase) => {
      if (phase === "after" || !isFull) return;
      throw new JournalError("journal_full", "Cannot write: no room");
    },
  });
  await bench.say("hi");
  await until(() => isFull);
  await bench.world.clock.advance(100_000);
  assert.equal(bench.provider.requests.length, 1);
  isFull = false;
  await bench.world.clock.advance(30_000);
  await bench.quiet();
  assert.deepEqual(bench.replies(), ["done"]);
  assert.equal(bench.ran.length, 1);
  assert.deepEqual(bench.story(), [
    "user hi",
    "assistant [look call_0_0]",
    "tool call_0_0 seen",
    "assistant done",
  ]);
  assert.equal(bench.world.events.filter(({ type }) => type === "actor_restarted").length, 0);
});

Deno.test("Session leaves a step that its journal does not take when it is stopped", async () => {
  let isFull = false;
  await using bench = new SessionBench({
    script: () => {
      isFull = true;
      return "done";
    },
    onCommit: (phase) => {
      if (phase === "before" && isFull) throw new JournalError("journal_full", "no room");
    },
  });
  await bench.say("hi");
  await until(() => isFull);
  await bench.world.clock.advance(10_000);
  await bench[Symbol.asyncDispose]();
  isFull = false;
  const rows = bench.journal.rows();
  assert.deepEqual(rows.inbounds.map(({ state }) => state), ["running"]);
  await using next = new SessionBench({
    disk: { rows, files: Object.fromEntries(bench.files.texts) },
    script: ["done"],
  });
  await next.quiet();
  assert.deepEqual(next.story(), ["user hi", "assistant done"]);
});

Deno.test("Session takes nothing into a turn that came after a command which ends the turn", async () => {
  const { promise, resolve } = Promise.withResolvers<string>();
  await using bench = new SessionBench({
    script: [{ calls: [{ name: "wait" }] }, "to the first", "to the second"],
    tools: { wait: { run: () => promise } },
  });
  await bench.say("first");
  await until(() => bench.ran.length === 1);
  const stop = await bench.accept("/stop"); // nobody has told the session yet
  const second = await bench.accept("second");
  resolve("ok");
  await until(() => bench.replies().length === 1);
  bench.session.tell({ type: "inbound_accepted", inbound: stop });
  bench.session.tell({ type: "inbound_accepted", inbound: second });
  await bench.quiet();
  const replies = bench.replies();
  assert.deepEqual([replies[0], replies.length, replies[2]], ["to the first", 3, "to the second"]);
  assert.match(replies[1] ?? "", /nothing was stopped/i);
});

Deno.test("Session runs a command that ends all before it, then what came after it", async () => {
  await using bench = new SessionBench({ script: ["to the second"] });
  await bench.accept("first");
  await bench.accept("/new");
  await bench.accept("second");
  bench.session.tell({ type: "wake" });
  await bench.quiet();
  assert.deepEqual(bench.story(), ["user second", "assistant to the second"]);
});

Deno.test("Session sleeps when it had nothing to do for a while, and not before", async () => {
  await using bench = new SessionBench({ script: ["hello"], settings: { idleMs: 60_000 } });
  await bench.world.clock.advance(30_000);
  await bench.say("hi");
  await bench.quiet();
  await until(() => bench.permitsOut() === 0);
  await settle();
  const idle = () => bench.router.received.filter(({ type }) => type === "session_idle");
  await bench.world.clock.advance(59_000);
  assert.equal(idle().length, 0);
  await bench.world.clock.advance(2_000);
  const [told, ...more] = idle();
  assert.deepEqual([told?.sessionKey, more], ["feishu:oc_1", []]);
  bench.session.tell({ type: "sleep", idleId: told?.idleId ?? "" });
  await until(() => bench.world.events.some(({ type }) => type === "actor_stopped"));
});

Deno.test("Session stays awake when a message crosses the word that lets it sleep", async () => {
  await using bench = new SessionBench({ script: ["hello"], settings: { idleMs: 60_000 } });
  await settle();
  await bench.world.clock.advance(61_000);
  const idleId = bench.router.received.at(-1)?.idleId ?? "";
  await bench.say("hi");
  bench.session.tell({ type: "sleep", idleId });
  await bench.quiet();
  bench.session.tell({ type: "sleep", idleId });
  await settle();
  assert.deepEqual(bench.replies(), ["hello"]);
  assert.ok(!bench.world.events.some(({ type }) => type === "actor_stopped"));
});

Deno.test("Session leaves when it is asked to, unless a turn runs", async () => {
  const { bench, finish } = await busyBench();
  await using _ = bench;
  const leave = () =>
    bench.session.ask<boolean>((replyTo) => ({ type: "leave", replyTo }), { timeoutMs: 60_000 });
  assert.equal(await leave(), false);
  finish();
  await bench.quiet();
  assert.deepEqual(bench.story(), ["user hi", "assistant one"]);
  await until(() => bench.permitsOut() === 0);
  await settle();
  assert.equal(await leave(), true);
  await until(() => bench.world.events.some(({ type }) => type === "actor_stopped"));
});

Deno.test("Session does not sleep while a turn runs, and says when it rests", async () => {
  const { bench, finish } = await busyBench();
  await using _ = bench;
  const rests = () => bench.router.received.filter(({ type }) => type === "session_resting").length;
  const before = rests();
  await bench.world.clock.advance(120_000);
  assert.equal(bench.router.received.length, before);
  finish();
  await bench.quiet();
  await until(() => rests() > before);
});

Deno.test("Session leaves a turn for the next start when it is stopped", async () => {
  const { bench } = await busyBench();
  await bench[Symbol.asyncDispose]();
  assert.equal(bench.provider.running, 0);
  const interrupted = await bench.journal.interrupted("feishu:oc_1");
  assert.equal(interrupted?.inbounds.length, 1);
});

Deno.test("Session keeps lines in the journal, with their messages, while their file fails", async () => {
  await using bench = new SessionBench({ script: ["one", "two"] });
  bench.files.fault = (action) => {
    if (action === "append") throw new Error("no room");
  };
  const inbound = await bench.say("hi");
  await until(() => bench.replies().length === 1);
  const lines = await bench.journal.unfiledLines(bench.sessionKey);
  assert.deepEqual(lines.map(({ line, inboundSeq }) => [line, inboundSeq]), [
    [0, inbound.seq],
    [1, null],
  ]);
  bench.files.fault = () => {};
  await bench.say("again");
  await bench.quiet();
  assert.deepEqual(bench.story(), ["user hi", "assistant one", "user again", "assistant two"]);
});

Deno.test("Session is done with a restart before it asks for it", async () => {
  const states: (string | undefined)[] = [];
  await using bench: SessionBench = new SessionBench({
    services: {
      isOwner: ({ senderId }) => senderId === "ou_1",
      restart: {
        noteFor: ({ seq }) => ({ key: "restart", value: seq }),
        request: () => {
          const { inbounds, outbounds } = bench.journal.rows();
          states.push(inbounds[0]?.state, outbounds[0]?.content);
        },
      },
    },
  });
  const { seq } = await bench.say("/restart");
  await bench.quiet();
  await until(() => states.length === 2);
  assert.equal(states[0], "done");
  assert.match(states[1] ?? "", /^Restarting/);
  assert.equal(await bench.journal.note("restart"), seq);
  await bench.say("/restart", { senderId: "ou_2" });
  await bench.quiet();
  assert.match(bench.replies().at(-1) ?? "", /Only an owner/);
  assert.equal(states.length, 2);
});

Deno.test("Session cannot restart a process that does not offer it", async () => {
  await using bench = new SessionBench();
  await bench.say("/restart");
  await bench.quiet();
  assert.match(bench.replies()[0] ?? "", /cannot restart/);
});

Deno.test("Session begins anew as soon as its disk lets it, and adds nothing before", async () => {
  let isBroken = true;
  await using bench = new SessionBench({ script: ["one", "two"] });
  bench.files.fault = (action) => {
    if (isBroken && action === "replace") throw new Error("no space left");
  };
  await bench.say("hello");
  await bench.quiet();
  await bench.say("/new");
  await until(() => bench.world.events.some(({ type }) => type === "actor_restarted"));
  await bench.say("and now");
  await bench.world.clock.advance(10_000);
  assert.deepEqual(bench.story(), ["user hello", "assistant one"]);
  isBroken = false;
  await until(async () => {
    await bench.world.clock.advance(1_000);
    return bench.replies().includes("two");
  });
  await bench.quiet();
  assert.deepEqual(bench.story(), ["user and now", "assistant two"]);
  assert.equal(bench.provider.requests[1]?.messages.length, 2);
});
