import assert from "node:assert/strict";
import { AskError } from "../../../actors/kernel/errors.ts";
import type { ReplyTo } from "../../../actors/kernel/ref.ts";
import type { Signal } from "../../../actors/kernel/worker_envelope.ts";
import { LinkProtocolError, WorkerLink } from "../../../actors/kernel/worker_link.ts";
import { ManualClock } from "../../support/manual_clock.ts";
import { Probe } from "../../support/probe.ts";
import { settle } from "../../support/until.ts";
import { portPair, type TestPort } from "./port_pair.ts";

type Message =
  | { readonly type: "note"; readonly value: number; readonly extra?: unknown }
  | { readonly type: "question"; readonly value: number; readonly replyTo: ReplyTo<unknown> };

const CREDIT_MAX = 8;

/** One end of a link with all that comes out of it. */
function makeEnd(port: TestPort, clock: ManualClock) {
  const target = new Probe<Message>({ name: "/target", clock });
  const signals: Signal[] = [];
  const broken: Error[] = [];
  let credits = 0;
  const link = new WorkerLink<Message, Message>({
    port,
    clock,
    target: () => target,
    parse: (body) => body as Message,
    onCredit: () => credits++,
    onSignal: (signal) => void signals.push(signal),
    onBroken: (error) => void broken.push(error),
  }, CREDIT_MAX);
  link.open();
  return { port, link, target, signals, broken, credits: () => credits };
}

function makeLink() {
  const clock = new ManualClock();
  const [leftPort, rightPort] = portPair();
  return { clock, left: makeEnd(leftPort, clock), right: makeEnd(rightPort, clock) };
}

/** Sends a question and returns what becomes of it. */
function ask(end: ReturnType<typeof makeEnd>, value: number): Promise<unknown> {
  const { promise, resolve, reject } = Promise.withResolvers<unknown>();
  end.link.send({ type: "question", value, replyTo: { reply: resolve, refuse: reject } });
  return promise;
}

/** The reply port of the newest message, which must be a question. */
function lastReplyTo(end: ReturnType<typeof makeEnd>): ReplyTo<unknown> {
  const last = end.target.last;
  assert.equal(last?.type, "question");
  return last.replyTo;
}

Deno.test("A link delivers messages in order in both directions", async () => {
  const { left, right } = makeLink();
  for (const value of [1, 2, 3]) {
    left.link.send({ type: "note", value });
    right.link.send({ type: "note", value: -value });
  }
  await settle();
  assert.deepEqual(right.target.received.map(({ value }) => value), [1, 2, 3]);
  assert.deepEqual(left.target.received.map(({ value }) => value), [-1, -2, -3]);
});

Deno.test("A link has no credit once a window is under way, and none is taken beyond it", async () => {
  const { left, right } = makeLink();
  right.target.answer = "full";
  for (let value = 1; value <= CREDIT_MAX; value++) left.link.send({ type: "note", value });
  await settle();
  assert.equal(left.link.hasCredit, false);
  assert.equal(left.link.unacknowledged, CREDIT_MAX);
  assert.throws(() => left.link.send({ type: "note", value: 9 }), { code: "invariant_broken" });
});

Deno.test("A full target gets its messages, in order, once it has room", async () => {
  const { clock, left, right } = makeLink();
  right.target.answer = "full";
  for (let value = 1; value <= CREDIT_MAX; value++) left.link.send({ type: "note", value });
  await clock.advance(100);
  assert.deepEqual(right.target.received, []);
  right.target.answer = "taken";
  await clock.advance(10);
  assert.deepEqual(right.target.received.map(({ value }) => value), [1, 2, 3, 4, 5, 6, 7, 8]);
  assert.equal(left.link.hasCredit, true);
  assert.ok(left.credits() > 0);
  assert.equal(clock.pending, 0);
});

Deno.test("A link moves any number of messages through its window", async () => {
  const { left, right } = makeLink();
  for (let value = 1; value <= 1_000; value++) {
    while (!left.link.hasCredit) await settle();
    left.link.send({ type: "note", value });
    assert.ok(left.link.unacknowledged <= CREDIT_MAX);
  }
  await settle();
  const values = right.target.received.map(({ value }) => value);
  assert.deepEqual(values, Array.from({ length: 1_000 }, (_, index) => index + 1));
});

Deno.test("A question is answered over the link", async () => {
  const { left, right } = makeLink();
  const answer = ask(left, 1);
  await settle();
  assert.equal(right.target.last?.value, 1);
  lastReplyTo(right).reply({ deep: ["value"] });
  assert.deepEqual(await answer, { deep: ["value"] });
});

Deno.test("A refusal keeps code, recovery and plain fields of its error", async () => {
  const { left, right } = makeLink();
  const answer = ask(left, 1);
  await settle();
  lastReplyTo(right).refuse(Object.assign(new RangeError("too much"), { retryAfterMs: 5 }));
  await assert.rejects(answer, {
    name: "RemoteError",
    message: "too much",
    code: "foreign",
    details: { retryAfterMs: 5 },
  });
});

Deno.test("An ask failure of the other side stays an AskError", async () => {
  const { left, right } = makeLink();
  const answer = ask(left, 1);
  await settle();
  lastReplyTo(right).refuse(new AskError("ask_timeout", "too late"));
  await assert.rejects(
    answer,
    (error) => error instanceof AskError && error.code === "ask_timeout",
  );
});

Deno.test("A question to a target that has stopped fails, and does not block the link", async () => {
  const { left, right } = makeLink();
  right.target.answer = "closed";
  const answer = ask(left, 1);
  await assert.rejects(answer, { code: "ask_closed" });
  right.target.answer = "taken";
  left.link.send({ type: "note", value: 2 });
  await settle();
  assert.deepEqual(right.target.received.map(({ value }) => value), [2]);
});

Deno.test("An answer that cannot be cloned fails the ask, not the one who answers", async () => {
  const { left, right } = makeLink();
  const answer = ask(left, 1);
  await settle();
  lastReplyTo(right).reply(() => {});
  await assert.rejects(answer, { message: /could not be cloned/ });
});

Deno.test("A message that cannot be cloned is thrown back and takes no number", async () => {
  const { left, right } = makeLink();
  assert.throws(() => left.link.send({ type: "note", value: 1, extra: () => {} }), DOMException);
  left.link.send({ type: "note", value: 2 });
  await settle();
  assert.deepEqual(right.target.received.map(({ value }) => value), [2]);
  assert.deepEqual(right.broken, []);
});

Deno.test("Closing a link fails what was asked over it and ends its timers", async () => {
  const { clock, left, right } = makeLink();
  left.target.answer = "full";
  right.link.send({ type: "note", value: 1 });
  const answer = ask(left, 1);
  await settle();
  const replyTo = lastReplyTo(right);
  left.link.close(new AskError("worker_died", "gone"));
  left.link.close(new AskError("worker_died", "gone twice"));
  await assert.rejects(answer, { code: "worker_died", message: "gone" });
  replyTo.reply("too late");
  left.link.signal({ kind: "beat" });
  await settle();
  assert.equal(left.port.isClosed, true);
  assert.equal(clock.pending, 0);
});

Deno.test("A stop does not overtake the messages sent before it", async () => {
  const { clock, left, right } = makeLink();
  right.target.answer = "full";
  left.link.send({ type: "note", value: 1 });
  left.link.signal({ kind: "stop" });
  left.link.signal({ kind: "beat" });
  await settle();
  assert.deepEqual(right.signals, [{ kind: "beat" }]);
  right.target.answer = "taken";
  await clock.advance(10);
  assert.equal(right.target.received.length, 1);
  assert.deepEqual(right.signals, [{ kind: "beat" }, { kind: "stop" }]);
});

Deno.test("Asks that ended on this side do not pile up", async () => {
  const { left, right } = makeLink();
  right.target.answer = "taken";
  const clock = new ManualClock();
  const asker = new Probe<Message>({ clock, onMessage: (message) => left.link.send(message) });
  const failures: unknown[] = [];
  for (let value = 1; value <= 3_000; value++) {
    while (!left.link.hasCredit) await settle();
    const asked = asker.ask<unknown>((replyTo) => ({ type: "question", value, replyTo }), {
      timeoutMs: 1,
    });
    asked.catch((error) => failures.push(error.code));
    if (value % 500 === 0) await clock.advance(1);
  }
  assert.ok(left.link.openAsks <= 1_025, `${left.link.openAsks} asks are open`);
  await clock.advance(1);
  assert.equal(failures.length, 3_000);
});

Deno.test.each([
  ["nothing at all", undefined],
  ["an unknown kind", { kind: "order" }],
  ["a message without a number", { kind: "tell", body: 1 }],
  ["a message out of order", { kind: "tell", sequence: 2, body: 1 }],
  ["an ask without a body to hold its port", { kind: "ask", sequence: 1, ask: 1, body: "x" }],
  ["an acknowledgement of nothing", { kind: "ack", upTo: 1 }],
  ["a refusal without an error", { kind: "refusal", ask: 1, error: "no" }],
  ["a fault without an error", { kind: "fault" }],
  ["a farewell of unknown kind", { kind: "goodbye", farewell: "forever" }],
  ["a negative count", { kind: "beat_back", deadLetters: -1 }],
])("A link that gets %s is broken", (_, data) => {
  const { left } = makeLink();
  left.port.receive(data);
  assert.equal(left.broken.length, 1);
  assert.ok(left.broken[0] instanceof LinkProtocolError);
});

Deno.test("A link whose other end sends beyond its credit is broken", () => {
  const { left } = makeLink();
  left.target.answer = "full";
  for (let sequence = 1; sequence <= CREDIT_MAX + 1; sequence++) {
    left.port.receive({ kind: "tell", sequence, body: { type: "note", value: sequence } });
  }
  assert.equal(left.broken.length, 1);
});

Deno.test("A link whose parser refuses a message is broken, with the reason", () => {
  const clock = new ManualClock();
  const [port] = portPair();
  const broken: Error[] = [];
  const link = new WorkerLink<Message, Message>({
    port,
    clock,
    target: () => new Probe<Message>(),
    parse: () => {
      throw new TypeError("no such message");
    },
    onCredit: () => {},
    onSignal: () => {},
    onBroken: (error) => void broken.push(error),
  });
  link.open();
  port.receive({ kind: "tell", sequence: 1, body: {} });
  assert.match(String(broken[0]?.cause), /no such message/);
});
