import assert from "node:assert/strict";
import { seededRandom } from "../../../actors/kernel/random.ts";
import { ActorSystem } from "../../../actors/kernel/system.ts";
import { acting } from "../../support/acting.ts";
import { SeededScheduler } from "../../support/seeded_scheduler.ts";
import { testSystem } from "../../support/system.ts";
import { settle } from "../../support/until.ts";

Deno.test("An actor handles messages in the order in which they were told", async () => {
  await using world = testSystem();
  const handled: number[] = [];
  const actor = world.system.spawn(acting<number>((value) => void handled.push(value)));
  for (let value = 0; value < 200; value++) assert.equal(actor.tell(value), "taken");
  assert.deepEqual(handled, []);
  await settle();
  assert.deepEqual(handled, Array.from({ length: 200 }, (_, index) => index));
});

Deno.test("An actor handles one message to its end before the next", async () => {
  await using world = testSystem();
  const steps: string[] = [];
  const actor = world.system.spawn(acting<string>((value, context) => {
    steps.push(`begin ${value}`);
    if (value === "first") context.self.tell("second");
    steps.push(`end ${value}`);
  }));
  actor.tell("first");
  await settle();
  assert.deepEqual(steps, ["begin first", "end first", "begin second", "end second"]);
});

Deno.test("A busy actor does not keep others from their messages", async () => {
  await using world = testSystem();
  const order: string[] = [];
  const busy = world.system.spawn(
    acting<number>((value) => void order.push(`busy ${value}`), { name: "busy" }),
  );
  const quiet = world.system.spawn(
    acting<string>((value) => void order.push(value), { name: "quiet" }),
  );
  for (let value = 1; value <= 1_000; value++) busy.tell(value);
  quiet.tell("quiet");
  await settle();
  assert.equal(order.indexOf("quiet"), 64);
});

Deno.test("A full mailbox refuses, and the message goes to dead letters", async () => {
  await using world = testSystem();
  const handled: number[] = [];
  const actor = world.system.spawn(
    acting<number>((value) => void handled.push(value), { mailboxMax: 2 }),
  );
  assert.deepEqual([1, 2, 3].map((value) => actor.tell(value)), ["taken", "taken", "full"]);
  await settle();
  assert.deepEqual(handled, [1, 2]);
  assert.deepEqual(world.deadLetters, [{ actor: "/actor", reason: "full", message: 3 }]);
  assert.equal(world.system.deadLetters, 1);
  assert.deepEqual(world.events.at(-1), { type: "dead_letter", actor: "/actor", reason: "full" });
});

Deno.test("A full mailbox that drops its oldest message says which", async () => {
  await using world = testSystem();
  const handled: number[] = [];
  const actor = world.system.spawn(
    acting<number>((value) => void handled.push(value), {
      mailboxMax: 2,
      overflow: { type: "drop_oldest" },
    }),
  );
  for (const value of [1, 2, 3]) assert.equal(actor.tell(value), "taken");
  await settle();
  assert.deepEqual(handled, [2, 3]);
  assert.deepEqual(world.deadLetters, [{ actor: "/actor", reason: "dropped_oldest", message: 1 }]);
});

Deno.test("A full mailbox merges what can be one, and refuses the rest", async () => {
  await using world = testSystem();
  const handled: string[] = [];
  const actor = world.system.spawn(
    acting<string>((value) => void handled.push(value), {
      mailboxMax: 1,
      overflow: { type: "merge", merge: (a, b) => a[0] === b[0] ? a + b : undefined },
    }),
  );
  assert.deepEqual(["a", "a", "b"].map((value) => actor.tell(value)), ["taken", "taken", "full"]);
  await settle();
  assert.deepEqual(handled, ["aa"]);
  assert.deepEqual(world.deadLetters.map(({ message }) => message), ["b"]);
});

Deno.test("A merge that throws fails the actor it belongs to, not the sender", async () => {
  await using world = testSystem();
  const actor = world.system.spawn(
    acting<string>(() => {}, {
      mailboxMax: 1,
      overflow: {
        type: "merge",
        merge: () => {
          throw new Error("cannot merge");
        },
      },
    }),
  );
  actor.tell("a");
  assert.equal(actor.tell("b"), "full");
  assert.deepEqual(world.events.at(-1), { type: "dead_letter", actor: "/actor", reason: "full" });
  assert.equal(world.events.at(-2)?.type, "actor_restarted");
});

Deno.test("An actor's own message is neither dropped nor counted at the bound", async () => {
  const scheduler = new SeededScheduler({ random: seededRandom(1) });
  await using world = testSystem({ scheduler });
  const handled: string[] = [];
  const actor = world.system.spawn(
    acting<string>((value, context) => {
      handled.push(value);
      if (value === "start") context.after(10, "own");
    }, { mailboxMax: 1, overflow: { type: "drop_oldest" } }),
  );
  actor.tell("start");
  await settle();
  scheduler.hold();
  await world.clock.advance(10);
  for (const value of ["1", "2", "3"]) assert.equal(actor.tell(value), "taken");
  scheduler.release();
  await settle();
  assert.deepEqual(handled, ["start", "own", "3"]);
});

Deno.test("A message to a stopped actor goes to dead letters", async () => {
  await using world = testSystem();
  const actor = world.system.spawn(acting<string>(() => {}));
  await world.system.stop(actor);
  assert.equal(actor.tell("late"), "closed");
  assert.deepEqual(world.deadLetters, [{ actor: "/actor", reason: "closed", message: "late" }]);
});

Deno.test("Observers that throw do not disturb the actors", async () => {
  await using world = testSystem();
  const throwing = () => {
    throw new Error("observer");
  };
  await using system = new ActorSystem({
    clock: world.clock,
    random: world.system.random,
    newId: world.system.newId,
    scheduler: world.system.scheduler,
    onDeadLetter: throwing,
    onEvent: throwing,
  });
  const handled: string[] = [];
  const actor = system.spawn(
    acting<string>((value) => {
      if (value === "bad") throw new Error("handler");
      handled.push(value);
    }),
  );
  actor.tell("bad");
  actor.tell("good");
  await world.clock.advance(1_000);
  assert.deepEqual(handled, ["good"]);
  assert.equal(system.deadLetters, 1);
});

Deno.test("Two siblings cannot have one name", async () => {
  await using world = testSystem();
  world.system.spawn(acting(() => {}));
  assert.throws(() => world.system.spawn(acting(() => {})), { code: "invariant_broken" });
});

Deno.test("A mailbox must have room for a message", async () => {
  await using world = testSystem();
  assert.throws(() => world.system.spawn(acting(() => {}, { mailboxMax: 0 })), {
    code: "invariant_broken",
  });
});
