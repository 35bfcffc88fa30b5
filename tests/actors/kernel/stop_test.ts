import assert from "node:assert/strict";
import type { ActorContext } from "../../../actors/kernel/actor.ts";
import { acting } from "../../support/acting.ts";
import { testSystem } from "../../support/system.ts";
import { settle } from "../../support/until.ts";

Deno.test("A stop now ends the actor before what waits, which goes to dead letters", async () => {
  await using world = testSystem();
  const handled: number[] = [];
  const actor = world.system.spawn(acting<number>((value) => void handled.push(value)));
  actor.tell(1);
  actor.tell(2);
  await world.system.stop(actor);
  assert.deepEqual(handled, []);
  assert.deepEqual(world.deadLetters, [
    { actor: "/actor", reason: "stopped", message: 1 },
    { actor: "/actor", reason: "stopped", message: 2 },
  ]);
});

Deno.test("A stop with draining handles what waits and takes nothing new", async () => {
  await using world = testSystem();
  const handled: number[] = [];
  const actor = world.system.spawn(acting<number>((value) => void handled.push(value)));
  for (let value = 1; value <= 100; value++) actor.tell(value);
  const stopped = world.system.stop(actor, { mode: "drain" });
  assert.equal(actor.tell(101), "closed");
  await stopped;
  assert.equal(handled.length, 100);
});

Deno.test("An idle actor drains at once", async () => {
  await using world = testSystem();
  const actor = world.system.spawn(acting<number>(() => {}));
  await world.system.stop(actor, { mode: "drain" });
  assert.equal(actor.tell(1), "closed");
});

Deno.test("A stop now cuts a drain short", async () => {
  await using world = testSystem();
  const handled: number[] = [];
  const actor = world.system.spawn(acting<number>((value) => void handled.push(value)));
  actor.tell(1);
  const drained = world.system.stop(actor, { mode: "drain" });
  await Promise.all([world.system.stop(actor), drained]);
  assert.deepEqual(handled, []);
  assert.equal(world.system.deadLetters, 1);
});

Deno.test("A failure while draining ends the actor", async () => {
  await using world = testSystem();
  const actor = world.system.spawn(acting<number>((value) => {
    if (value === 1) throw new Error("broken");
  }));
  const reasons: string[] = [];
  world.system.watch(actor, ({ type }) => void reasons.push(type));
  actor.tell(1);
  actor.tell(2);
  await world.system.stop(actor, { mode: "drain" });
  assert.deepEqual(reasons, ["failed"]);
  assert.deepEqual(world.deadLetters.map(({ reason }) => reason), ["failed", "stopped"]);
});

Deno.test.each(["now", "drain"] as const)(
  "A stop (%s) during the back-off ends the actor and leaves no timer",
  async (mode) => {
    await using world = testSystem();
    let lives = 0;
    const actor = world.system.spawn<string>({
      name: "actor",
      create: () => {
        lives++;
        return {
          receive: () => {
            throw new Error("broken");
          },
        };
      },
    });
    actor.tell("break");
    actor.tell("waits");
    await settle();
    assert.equal(world.clock.pending, 1);
    await world.system.stop(actor, { mode });
    assert.equal(world.clock.pending, 0);
    await world.clock.advance(1_000);
    assert.equal(lives, 1);
    assert.deepEqual(world.deadLetters.map(({ reason }) => reason), ["failed", "stopped"]);
  },
);

Deno.test("A stop while a restart still waits for stopped() waits for it as well, once", async () => {
  await using world = testSystem();
  const ending = Promise.withResolvers<void>();
  let endings = 0;
  const actor = world.system.spawn(acting<string>(() => {
    throw new Error("broken");
  }, {
    stopped: () => {
      endings++;
      return ending.promise;
    },
  }));
  actor.tell("break");
  await settle();
  let isStopped = false;
  const stopped = world.system.stop(actor).then(() => void (isStopped = true));
  await settle();
  assert.equal(isStopped, false);
  ending.resolve();
  await stopped;
  assert.equal(endings, 1);
  assert.equal(world.clock.pending, 0);
});

Deno.test("stopped() is called after the handler that stops its own actor, not inside it", async () => {
  await using world = testSystem();
  const log: string[] = [];
  const actor = world.system.spawn(acting<string>((_, context) => {
    log.push("handler begins");
    context.stopSelf();
    log.push("handler ends");
  }, { stopped: () => void log.push("stopped") }));
  actor.tell("stop");
  await settle();
  assert.deepEqual(log, ["handler begins", "handler ends", "stopped"]);
});

Deno.test("An actor that stops itself while it begins is ended properly", async () => {
  await using world = testSystem();
  const log: string[] = [];
  const actor = world.system.spawn<string>({
    name: "actor",
    create(context) {
      context.stopSelf();
      return { receive: () => {}, stopped: () => void log.push("stopped") };
    },
  });
  await settle();
  assert.deepEqual(log, ["stopped"]);
  assert.equal(actor.tell("late"), "closed");
});

Deno.test("stopped() that hangs holds up the stop no longer than shutdownMs", async () => {
  await using world = testSystem();
  const actor = world.system.spawn(
    acting<string>(() => {}, { shutdownMs: 200, stopped: () => new Promise(() => {}) }),
  );
  let isStopped = false;
  const stopped = world.system.stop(actor).then(() => void (isStopped = true));
  await world.clock.advance(199);
  assert.equal(isStopped, false);
  await world.clock.advance(1);
  await stopped;
  assert.equal(world.clock.pending, 0);
});

Deno.test.each(
  [
    ["throws", () => {
      throw new Error("at once");
    }],
    ["rejects", () => Promise.reject(new Error("later"))],
  ] as const,
)("stopped() that %s does not keep the actor from ending", async (_, stopped) => {
  await using world = testSystem();
  const actor = world.system.spawn(acting<string>(() => {}, { stopped }));
  await world.system.stop(actor);
  assert.equal(world.events.at(-1)?.type, "actor_stopped");
});

Deno.test("A name is free again once its actor has stopped", async () => {
  await using world = testSystem();
  const first = world.system.spawn(acting<string>(() => {}));
  await world.system.stop(first);
  const second = world.system.spawn(acting<string>(() => {}));
  assert.equal(second.tell("hello"), "taken");
});

Deno.test("Disposing the system ends all actors, newest first, and starts no more", async () => {
  const world = testSystem();
  const ended: string[] = [];
  for (const name of ["first", "second"]) {
    world.system.spawn(acting(() => {}, { name, stopped: () => void ended.push(name) }));
  }
  await world.system[Symbol.asyncDispose]();
  await world.system[Symbol.asyncDispose]();
  assert.deepEqual(ended, ["second", "first"]);
  assert.throws(() => world.system.spawn(acting(() => {})), { code: "invariant_broken" });
});

Deno.test("A life that is over takes no work, timers or watches", async () => {
  await using world = testSystem();
  let context: ActorContext<string> | undefined;
  const actor = world.system.spawn<string>({
    name: "actor",
    create(given) {
      context = given;
      return { receive: () => {} };
    },
  });
  const other = world.system.spawn(acting(() => {}, { name: "other" }));
  await world.system.stop(actor);
  let hasWorked = false;
  context?.pipe(() => {
    hasWorked = true;
    return Promise.resolve();
  }, () => "done").abort(new Error("too late"));
  context?.after(10, "tick").cancel();
  context?.watch(other, () => "gone");
  context?.stopSelf();
  assert.equal(hasWorked, false);
  assert.equal(world.clock.pending, 0);
  assert.equal(context?.signal.aborted, true);
  assert.throws(() => context?.spawn(acting(() => {})), { code: "invariant_broken" });
});
