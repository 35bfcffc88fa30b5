import assert from "node:assert/strict";
import type { ActorRef } from "../../../actors/kernel/ref.ts";
import { workerActor, type WorkerNotice } from "../../../actors/kernel/worker_actor.ts";
import { Probe } from "../../support/probe.ts";
import { type TestSystem, testSystem } from "../../support/system.ts";
import { settle } from "../../support/until.ts";
import { portPair, type TestPort } from "./port_pair.ts";

interface Note {
  readonly type: "note";
}

/** A thread that is only a port, whose far end the test plays. */
interface FakeThread {
  readonly far: TestPort;
  readonly fail: (error: Error) => void;
  isTerminated: boolean;
}

/** A Worker actor on simulated time, with one fake thread per life. */
function fakeWorker(world: TestSystem) {
  const threads: FakeThread[] = [];
  const parent = new Probe<Note | WorkerNotice>({ clock: world.clock });
  const worker: ActorRef<Note> = world.system.spawn(workerActor<Note, Note>({
    name: "worker",
    entry: new URL("file:///fake.ts"),
    init: null,
    parent,
    supervision: { backoffMinMs: 10, backoffMaxMs: 10 },
    heartbeatMs: 1_000,
    heartbeatMissesMax: 2,
    startMs: 500,
    stopGraceMs: 300,
    launch({ onError }) {
      const [near, far] = portPair();
      const thread = { far, fail: onError, isTerminated: false };
      threads.push(thread);
      return { port: near, terminate: () => void (thread.isTerminated = true) };
    },
  }));
  const notices = () => parent.received.map((message) => message.type);
  return { threads, parent, worker, notices };
}

/** The far end's envelopes, whatever they are. */
function listen(thread: FakeThread | undefined): string[] {
  const kinds: string[] = [];
  thread?.far.listen((data) => {
    if (typeof data === "object" && data !== null && "kind" in data) kinds.push(String(data.kind));
  });
  return kinds;
}

Deno.test("A Worker that is not ready in time is given up and replaced", async () => {
  await using world = testSystem();
  const { threads, worker, notices } = fakeWorker(world);
  worker.tell({ type: "note" });
  await world.clock.advance(499);
  assert.deepEqual(notices(), []);
  await world.clock.advance(1);
  assert.deepEqual(notices(), ["worker_stuck", "worker_died"]);
  assert.equal(threads[0]?.isTerminated, true);
  await world.clock.advance(20);
  assert.equal(threads.length, 2);
  const kinds = listen(threads[1]);
  threads[1]?.far.post({ kind: "ready" });
  await settle();
  assert.deepEqual(kinds, ["beat", "tell"]);
});

Deno.test("A Worker that sends anything at all is alive", async () => {
  await using world = testSystem();
  const { threads, notices } = fakeWorker(world);
  threads[0]?.far.post({ kind: "ready" });
  await settle();
  for (let sequence = 1; sequence <= 5; sequence++) {
    threads[0]?.far.post({ kind: "tell", sequence, body: { type: "note" } });
    await world.clock.advance(1_000);
  }
  assert.equal(notices().includes("worker_died"), false);
  await world.clock.advance(3_000);
  assert.deepEqual(notices().slice(-2), ["worker_stuck", "worker_died"]);
});

Deno.test("A Worker that is asked to stop has its grace, then its thread is ended", async () => {
  await using world = testSystem();
  const { threads, worker, notices } = fakeWorker(world);
  const kinds = listen(threads[0]);
  threads[0]?.far.post({ kind: "ready" });
  await settle();
  const stopped = world.system.stop(worker);
  await world.clock.advance(299);
  assert.deepEqual(kinds, ["beat", "stop"]);
  assert.equal(threads[0]?.isTerminated, false);
  await world.clock.advance(1);
  await stopped;
  assert.equal(threads[0]?.isTerminated, true);
  assert.deepEqual(notices(), ["worker_ready", "worker_stuck"]);
  assert.equal(world.clock.pending, 0);
});

Deno.test("A Worker that dies while it is stopping is not waited for", async () => {
  await using world = testSystem();
  const { threads, worker, notices } = fakeWorker(world);
  threads[0]?.far.post({ kind: "ready" });
  await settle();
  const stopped = world.system.stop(worker);
  await settle();
  threads[0]?.fail(new Error("died"));
  await stopped;
  assert.deepEqual(notices(), ["worker_ready"]);
});

Deno.test("Only one of many reasons for a death counts", async () => {
  await using world = testSystem();
  const { threads, notices } = fakeWorker(world);
  threads[0]?.fail(new Error("first"));
  threads[0]?.fail(new Error("second"));
  threads[0]?.far.post({ kind: "goodbye", farewell: "exited" });
  await settle();
  assert.deepEqual(notices(), ["worker_died"]);
});

Deno.test("A thread that cannot be started is reported and tried again", async () => {
  await using world = testSystem();
  const parent = new Probe<WorkerNotice>({ clock: world.clock });
  let launches = 0;
  world.system.spawn(workerActor<Note, never>({
    name: "worker",
    entry: new URL("file:///fake.ts"),
    init: null,
    parent,
    launch() {
      launches++;
      throw new Error("Can't escalate parent thread permissions");
    },
  }));
  await world.clock.advance(200);
  assert.equal(launches, 2);
  assert.equal(parent.last?.type, "worker_died");
});

Deno.test("What waits for a Worker goes to the next one when it dies before it is ready", async () => {
  await using world = testSystem();
  const { threads, worker } = fakeWorker(world);
  worker.tell({ type: "note" });
  threads[0]?.fail(new Error("died early"));
  await world.clock.advance(20);
  const kinds = listen(threads[1]);
  threads[1]?.far.post({ kind: "ready" });
  await settle();
  assert.equal(kinds.filter((kind) => kind === "tell").length, 1);
});
