import assert from "node:assert/strict";
import { nextTurn } from "../../../actors/kernel/adapters/event_loop.ts";
import {
  systemClock,
  systemNewId,
  systemRandom,
} from "../../../actors/kernel/adapters/system_clock.ts";
import { AskError } from "../../../actors/kernel/errors.ts";
import type { KernelEvent } from "../../../actors/kernel/events.ts";
import type { ActorRef } from "../../../actors/kernel/ref.ts";
import { FairScheduler } from "../../../actors/kernel/scheduler.ts";
import { ActorSystem } from "../../../actors/kernel/system.ts";
import {
  workerActor,
  type WorkerActorOptions,
  WorkerError,
  type WorkerNotice,
} from "../../../actors/kernel/worker_actor.ts";
import { Probe } from "../../support/probe.ts";
import { settle, until } from "../../support/until.ts";
import type { Breakage, Count, FromWorker, ToWorker } from "./workers/protocol.ts";

const ENTRY = new URL("./workers/test_worker.ts", import.meta.url);
const ASK = { timeoutMs: 10_000 };
/** Soon enough for a test, and many beats a Worker that is only slow still answers. */
const HEARTBEAT = { heartbeatMs: 200, heartbeatMissesMax: 4 };
const SUPERVISION = { backoffMinMs: 1, backoffMaxMs: 1 };

type Parent = Probe<FromWorker | WorkerNotice>;
type Options = Partial<WorkerActorOptions<ToWorker, FromWorker>>;

interface World extends AsyncDisposable {
  readonly parent: Parent;
  readonly worker: ActorRef<ToWorker>;
  readonly system: ActorSystem;
  readonly events: readonly KernelEvent[];
}

/** A real Worker under a real system, with a probe as its parent. */
function startWorker(options: Options = {}): World {
  const events: KernelEvent[] = [];
  const system = new ActorSystem({
    clock: systemClock,
    random: systemRandom,
    newId: systemNewId,
    scheduler: new FairScheduler(nextTurn),
    onEvent: (event) => void events.push(event),
  });
  const parent: Parent = new Probe({
    clock: systemClock,
    onMessage: (message) => {
      if (message.type === "shout") message.replyTo.reply(message.text.toUpperCase());
    },
  });
  const worker = system.spawn(workerActor<ToWorker, FromWorker>({
    name: "worker",
    entry: ENTRY,
    init: null,
    parent,
    supervision: SUPERVISION,
    ...options,
  }));
  return {
    parent,
    worker,
    system,
    events,
    [Symbol.asyncDispose]: () => system[Symbol.asyncDispose](),
  };
}

function echo(worker: ActorRef<ToWorker>, text: string): Promise<string> {
  return worker.ask<string>((replyTo) => ({ type: "echo", text, replyTo }), ASK);
}

/** How the Worker died that an ask was under way to. */
async function deathOf(asked: Promise<unknown>): Promise<string> {
  const error = await asked.then(() => undefined, (reason: unknown) => reason);
  assert.ok(error instanceof AskError);
  assert.equal(error.code, "worker_died");
  assert.ok(error.cause instanceof WorkerError);
  return error.cause.code;
}

function heard(parent: Parent, type: (FromWorker | WorkerNotice)["type"]): number {
  return parent.received.filter((message) => message.type === type).length;
}

Deno.test("An actor in a Worker gets its start data and answers asks", async () => {
  await using world = startWorker({ init: { answer: 42 } });
  assert.equal(await echo(world.worker, "hello"), "hello");
  assert.deepEqual(world.parent.received, [
    { type: "worker_ready", worker: "/worker" },
    { type: "started", init: { answer: 42 } },
  ]);
});

Deno.test("An actor in a Worker can ask its parent", async () => {
  await using world = startWorker();
  world.worker.tell({ type: "ask_parent", text: "loud" });
  await until(() => heard(world.parent, "shouted") === 1);
  assert.deepEqual(world.parent.last, { type: "shouted", text: "LOUD" });
});

Deno.test("A refusal in a Worker reaches the asker with its plain fields", async () => {
  await using world = startWorker();
  const asked = world.worker.ask<string>((replyTo) => ({ type: "refuse", replyTo }), ASK);
  await assert.rejects(asked, { name: "RemoteError", message: "no", details: { retryAfterMs: 7 } });
});

Deno.test("200,000 messages reach a Worker in order, and never more than the bound wait", async () => {
  await using world = startWorker({ mailboxMax: 500 });
  let refusals = 0;
  for (let value = 1; value <= 200_000;) {
    if (world.worker.tell({ type: "count", value }) === "taken") value++;
    else {
      refusals++;
      await settle();
    }
  }
  await until(async () => (await count(world.worker)).messages === 200_000, { timeoutMs: 20_000 });
  assert.deepEqual(await count(world.worker), {
    messages: 200_000,
    last: 200_000,
    isInOrder: true,
  });
  assert.ok(refusals > 100, `the bound of 500 pushed back only ${refusals} times`);
});

Deno.test("A slow parent pushes back on its Worker, and gets what was taken in order", async () => {
  await using world = startWorker();
  await echo(world.worker, "ready");
  world.parent.answer = "full";
  world.worker.tell({ type: "flood_parent", messages: 200_000 });
  await echo(world.worker, "flooded");
  world.parent.answer = "taken";
  await until(() => heard(world.parent, "flood") === 1_000);
  await echo(world.worker, "nothing more");
  const values = world.parent.received.flatMap((message) =>
    message.type === "flood" ? [message.value] : []
  );
  assert.deepEqual(values, Array.from({ length: 1_000 }, (_, index) => index + 1));
});

Deno.test.each<[Breakage, string]>([
  ["throw_in_handler", "worker_fault"],
  ["throw_in_timer", "worker_fault"],
  ["reject_unhandled", "worker_fault"],
  ["close", "worker_closed"],
  ["exit", "worker_exited"],
  ["process_exit", "worker_exited"],
])("A Worker that ends by %s is found dead as %s and replaced", async (how, code) => {
  await using world = startWorker();
  const inFlight = world.worker.ask<string>(
    (replyTo) => ({ type: "never_answer", replyTo }),
    ASK,
  );
  world.worker.tell({ type: "break", how });
  assert.equal(await deathOf(inFlight), code);
  assert.equal(await echo(world.worker, "back"), "back");
  assert.equal(heard(world.parent, "worker_died"), 1);
  assert.equal(heard(world.parent, "worker_ready"), 2);
  assert.equal(heard(world.parent, "worker_stuck"), 0);
});

Deno.test("A Worker that spins is missed, replaced, and its core reported as lost", async () => {
  await using world = startWorker(HEARTBEAT);
  await echo(world.worker, "ready");
  const inFlight = world.worker.ask<string>(
    (replyTo) => ({ type: "never_answer", replyTo }),
    ASK,
  );
  world.worker.tell({ type: "break", how: "spin" });
  assert.equal(await deathOf(inFlight), "worker_silent");
  assert.equal(await echo(world.worker, "back"), "back");
  assert.equal(heard(world.parent, "worker_stuck"), 1);
  assert.deepEqual(world.events.filter(({ type }) => type === "worker_stuck"), [
    { type: "worker_stuck", actor: "/worker" },
  ]);
});

Deno.test("A main thread that was blocked does not take its Workers for dead", async () => {
  await using world = startWorker({ heartbeatMs: 500, heartbeatMissesMax: 1 });
  await echo(world.worker, "ready");
  const endMs = performance.now() + 1_200;
  while (performance.now() < endMs);
  await echo(world.worker, "still there");
  assert.equal(heard(world.parent, "worker_died"), 0);
});

Deno.test("A Worker that cannot start is tried again within its allowance, then given up", async () => {
  await using world = startWorker({
    init: "fail_at_start",
    supervision: { ...SUPERVISION, restartsMax: 2 },
  });
  const ended = Promise.withResolvers<string>();
  world.system.watch(world.worker, (reason) => ended.resolve(reason.type));
  assert.equal(await ended.promise, "failed");
  assert.equal(heard(world.parent, "worker_died"), 3);
  assert.equal(heard(world.parent, "worker_ready"), 0);
  assert.equal(world.worker.tell({ type: "stop_yourself" }), "closed");
});

Deno.test("A Worker whose module is missing is reported", async () => {
  await using world = startWorker({
    entry: new URL("./workers/no_such_module.ts", import.meta.url),
    supervision: { restart: "never" },
  });
  await until(() => heard(world.parent, "worker_died") === 1);
  assert.match(causeOfDeath(world.parent), /no_such_module/);
});

Deno.test("A Worker has no right that it was not given", async () => {
  using server = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  using other = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  await using world = startWorker({ permissions: { net: [`127.0.0.1:${server.addr.port}`] } });
  const connect = (port: number) =>
    world.worker.ask<string>((replyTo) => ({ type: "connect", port, replyTo }), ASK);
  assert.equal(await connect(server.addr.port), "connected");
  assert.equal(await connect(other.addr.port), "NotCapable");
});

Deno.test("An actor in a Worker that stops itself is not started again", async () => {
  await using world = startWorker();
  const ended = Promise.withResolvers<string>();
  world.system.watch(world.worker, (reason) => ended.resolve(reason.type));
  world.worker.tell({ type: "stop_yourself" });
  assert.equal(await ended.promise, "stopped");
  assert.equal(heard(world.parent, "last_words"), 1);
  assert.equal(heard(world.parent, "worker_died"), 0);
});

Deno.test("A stop with draining lets the Worker handle what it was sent, and say its last words", async () => {
  await using world = startWorker();
  await echo(world.worker, "ready");
  for (let value = 1; value <= 100; value++) world.worker.tell({ type: "count", value });
  const counted = count(world.worker);
  await world.system.stop(world.worker, { mode: "drain" });
  assert.equal((await counted).messages, 100);
  assert.equal(heard(world.parent, "last_words"), 1);
});

Deno.test("A Worker that is stopped before it is ready leaves nothing behind", async () => {
  await using world = startWorker();
  const asked = echo(world.worker, "too early");
  await world.system.stop(world.worker);
  await assert.rejects(asked, { code: "ask_closed" });
});

Deno.test("A Worker that does not stop in time is ended", async () => {
  await using world = startWorker({ stopGraceMs: 50 });
  await echo(world.worker, "ready");
  world.worker.tell({ type: "break", how: "spin" });
  await settle();
  await world.system.stop(world.worker);
  assert.equal(heard(world.parent, "worker_stuck"), 1);
});

Deno.test("A message that cannot be cloned goes to dead letters and harms nobody", async () => {
  await using world = startWorker();
  const bad: ToWorker & { readonly callback: () => void } = {
    type: "count",
    value: 1,
    callback: () => {},
  };
  assert.equal(world.worker.tell(bad), "taken");
  assert.equal(await echo(world.worker, "fine"), "fine");
  assert.equal(world.system.deadLetters, 1);
  assert.equal(heard(world.parent, "worker_died"), 0);
});

Deno.test("A message out of a Worker that the parser refuses ends that Worker", async () => {
  await using world = startWorker({
    supervision: { restart: "never" },
    parse: () => {
      throw new TypeError("not a message of ours");
    },
  });
  await until(() => heard(world.parent, "worker_died") === 1);
  assert.match(causeOfDeath(world.parent), /not a message of ours/);
});

/** What the first notice of a death says, with all that led to it. */
function causeOfDeath(parent: Parent): string {
  const notice = parent.received.find((message) => message.type === "worker_died");
  assert.ok(notice?.type === "worker_died");
  return Deno.inspect(notice.error);
}

function count(worker: ActorRef<ToWorker>): Promise<Count> {
  return worker.ask<Count>((replyTo) => ({ type: "report_count", replyTo }), ASK);
}
