import assert from "node:assert/strict";
import type { ActorContext, Outcome, Work } from "../../../actors/kernel/actor.ts";
import { sleep } from "../../../actors/kernel/clock.ts";
import { acting } from "../../support/acting.ts";
import { testSystem } from "../../support/system.ts";
import { settle } from "../../support/until.ts";

type Message = { readonly type: "begin" } | {
  readonly type: "ended";
  readonly outcome: Outcome<string>;
};

/** Starts `work` in an actor; returns what the actor hears of it. */
async function outcomesOf(
  world: ReturnType<typeof testSystem>,
  work: (signal: AbortSignal, context: ActorContext<Message>) => Promise<string>,
  onStart: (work: Work) => void = () => {},
): Promise<Outcome<string>[]> {
  const outcomes: Outcome<string>[] = [];
  const actor = world.system.spawn(acting<Message>((message, context) => {
    if (message.type === "ended") return void outcomes.push(message.outcome);
    onStart(
      context.pipe((signal) => work(signal, context), (outcome) => ({ type: "ended", outcome })),
    );
  }));
  actor.tell({ type: "begin" });
  await settle();
  return outcomes;
}

Deno.test("Work beside the mailbox comes back as one message", async () => {
  await using world = testSystem();
  const outcomes = await outcomesOf(world, () => Promise.resolve("done"));
  assert.deepEqual(outcomes, [{ state: "ok", value: "done" }]);
});

Deno.test("Work that throws at once or later comes back as failed", async () => {
  await using world = testSystem();
  const error = new Error("broken");
  const thrown = await outcomesOf(world, () => {
    throw error;
  });
  assert.deepEqual(thrown, [{ state: "failed", error }]);
});

Deno.test("Work that rejects with no Error comes back with one", async () => {
  await using world = testSystem();
  const [outcome] = await outcomesOf(world, () => Promise.reject("just words"));
  assert.equal(outcome?.state === "failed" && outcome.error.message, "just words");
});

Deno.test("An actor goes on with messages while its work runs", async () => {
  await using world = testSystem();
  const done = Promise.withResolvers<string>();
  const handled: string[] = [];
  const actor = world.system.spawn(acting<string>((word, context) => {
    handled.push(word);
    if (word === "begin") context.pipe(() => done.promise, () => "work ended");
  }));
  actor.tell("begin");
  actor.tell("meanwhile");
  await settle();
  done.resolve("x");
  await settle();
  assert.deepEqual(handled, ["begin", "meanwhile", "work ended"]);
});

Deno.test("Aborted work still comes back, once, with the reason", async () => {
  await using world = testSystem();
  let work: Work | undefined;
  const outcomes = await outcomesOf(
    world,
    (signal, context) => sleep(context.clock, 1_000, signal).then(() => "slept"),
    (started) => work = started,
  );
  assert.deepEqual(outcomes, []);
  const reason = new Error("changed plans");
  work?.abort(reason);
  work?.abort(new Error("again"));
  await settle();
  assert.deepEqual(outcomes, [{ state: "failed", error: reason }]);
  assert.equal(world.clock.pending, 0);
});

Deno.test("A stop aborts work and drops what it delivers", async () => {
  await using world = testSystem();
  let signal: AbortSignal | undefined;
  const outcomes = await outcomesOf(world, (given, context) => {
    signal = given;
    return sleep(context.clock, 1_000, given).then(() => "slept");
  });
  await world.system[Symbol.asyncDispose]();
  assert.equal(signal?.aborted, true);
  assert.deepEqual(outcomes, []);
  assert.equal(world.clock.pending, 0);
});

Deno.test("A timer sends its message once, and never after it was cancelled", async () => {
  await using world = testSystem();
  const handled: string[] = [];
  const actor = world.system.spawn(acting<string>((word, context) => {
    handled.push(word);
    if (word !== "begin") return;
    context.after(10, "tick");
    const cancelled = context.after(5, "cancelled");
    cancelled.cancel();
    cancelled.cancel();
  }));
  actor.tell("begin");
  await world.clock.advance(9);
  assert.deepEqual(handled, ["begin"]);
  await world.clock.advance(100);
  assert.deepEqual(handled, ["begin", "tick"]);
});

Deno.test("A sleep ends early, without a timer left, when its signal aborts", async () => {
  await using world = testSystem();
  const abort = new AbortController();
  const sleeping = sleep(world.clock, 1_000, abort.signal);
  abort.abort(new Error("woken"));
  await assert.rejects(sleeping, { message: "woken" });
  await assert.rejects(sleep(world.clock, 1_000, abort.signal), { message: "woken" });
  assert.equal(world.clock.pending, 0);
});
