import assert from "node:assert/strict";
import type { ActorDefinition } from "../../../actors/kernel/actor.ts";
import type { ActorRef } from "../../../actors/kernel/ref.ts";
import { acting } from "../../support/acting.ts";
import { testSystem } from "../../support/system.ts";
import { settle } from "../../support/until.ts";

/** Long enough for one restart with the default back-off. */
const BACKOFF_MS = 150;

/** Handles words; "break" makes it throw. Its log survives it. */
function breakable(
  log: string[],
  options: Partial<ActorDefinition<string>> = {},
): ActorDefinition<string> {
  let lives = 0;
  return {
    name: "actor",
    create: () => {
      const life = ++lives;
      log.push(`life ${life}`);
      return {
        receive(word) {
          if (word === "break") throw new Error(`broke in life ${life}`);
          log.push(`${word} in life ${life}`);
        },
        stopped: () => void log.push(`end of life ${life}`),
      };
    },
    ...options,
  };
}

Deno.test("A restart makes the actor anew, keeps its mailbox, and repeats nothing", async () => {
  await using world = testSystem();
  const log: string[] = [];
  const actor = world.system.spawn(breakable(log));
  for (const word of ["a", "break", "b"]) actor.tell(word);
  await settle();
  actor.tell("c");
  assert.deepEqual(log, ["life 1", "a in life 1", "end of life 1"]);
  await world.clock.advance(BACKOFF_MS);
  assert.deepEqual(log.slice(3), ["life 2", "b in life 2", "c in life 2"]);
  const [letter, ...others] = world.deadLetters;
  assert.deepEqual(others, []);
  assert.equal(letter?.reason, "failed");
  assert.equal(letter?.message, "break");
  assert.equal(letter?.error?.message, "broke in life 1");
});

Deno.test("A restart is told, with the number of restarts and what was wrong", async () => {
  await using world = testSystem();
  const actor = world.system.spawn(breakable([]));
  actor.tell("break");
  actor.tell("break");
  await world.clock.advance(1_000);
  const restarts = world.events.filter(({ type }) => type === "actor_restarted");
  assert.deepEqual(restarts, [
    { type: "actor_restarted", actor: "/actor", restarts: 1, error: "broke in life 1" },
    { type: "actor_restarted", actor: "/actor", restarts: 2, error: "broke in life 2" },
  ]);
});

Deno.test("An actor that always fails ends after its allowance and tells its watchers why", async () => {
  await using world = testSystem();
  const log: string[] = [];
  const actor = world.system.spawn(breakable(log, { supervision: { restartsMax: 2 } }));
  const endings: string[] = [];
  world.system.watch(actor, (reason) => {
    endings.push(reason.type === "failed" ? reason.error.message : reason.type);
  });
  for (const word of ["break", "break", "break", "left over"]) actor.tell(word);
  await world.clock.advance(10_000);
  assert.deepEqual(endings, ["broke in life 3"]);
  assert.deepEqual(
    world.deadLetters.map(({ reason, message }) => `${reason} ${message}`),
    ["failed break", "failed break", "failed break", "stopped left over"],
  );
  assert.equal(world.clock.pending, 0);
});

Deno.test("A first life that cannot begin is tried again", async () => {
  await using world = testSystem();
  let attempts = 0;
  const handled: string[] = [];
  const actor = world.system.spawn<string>({
    name: "actor",
    create() {
      if (++attempts < 3) throw new Error("not yet");
      return { receive: (word) => void handled.push(word) };
    },
  });
  assert.equal(actor.tell("early"), "taken");
  await world.clock.advance(1_000);
  assert.equal(attempts, 3);
  assert.deepEqual(handled, ["early"]);
});

Deno.test("What the old life still delivers is dropped, also when it already waits", async () => {
  await using world = testSystem();
  const handled: string[] = [];
  const outcome = Promise.withResolvers<string>();
  const actor = world.system.spawn(acting<string>((word, context) => {
    handled.push(word);
    if (word === "begin") {
      context.pipe(() => outcome.promise, ({ state }) => `late outcome ${state}`);
      context.pipe(() => Promise.resolve(), () => "outcome that waits");
      context.after(50, "timer");
    }
    if (word === "break") throw new Error("broken");
  }));
  actor.tell("begin");
  actor.tell("break");
  await settle();
  outcome.resolve("x");
  await world.clock.advance(1_000);
  assert.deepEqual(handled, ["begin", "break"]);
  assert.equal(world.clock.pending, 0);
});

Deno.test("A restart aborts the work of the old life and its signal", async () => {
  await using world = testSystem();
  const signals: AbortSignal[] = [];
  const actor = world.system.spawn(acting<string>((word, context) => {
    if (word === "break") throw new Error("broken");
    signals.push(context.signal);
    context.pipe((signal) => {
      signals.push(signal);
      return new Promise(() => {});
    }, () => "never");
  }));
  actor.tell("begin");
  await settle();
  assert.deepEqual(signals.map(({ aborted }) => aborted), [false, false]);
  actor.tell("break");
  await settle();
  assert.deepEqual(signals.map(({ reason }) => reason.code), [
    "incarnation_ended",
    "incarnation_ended",
  ]);
});

Deno.test("Children end, newest first, before their parent ends and starts again", async () => {
  await using world = testSystem();
  const log: string[] = [];
  const child = (name: string) =>
    acting<string>(() => {}, { name, stopped: () => void log.push(`${name} ended`) });
  const parent = world.system.spawn<string>({
    name: "parent",
    create(context) {
      log.push("parent begins");
      context.spawn(child("elder"));
      context.spawn(child("younger"));
      return {
        receive: () => {
          throw new Error("broken");
        },
        stopped: () => void log.push("parent ended"),
      };
    },
  });
  parent.tell("break");
  await world.clock.advance(BACKOFF_MS);
  const ends = ["younger ended", "elder ended", "parent ended"];
  assert.deepEqual(log, ["parent begins", ...ends, "parent begins"]);
});

Deno.test("A child that escalates lets its parent restart", async () => {
  await using world = testSystem();
  let lives = 0;
  let child: ActorRef<string> | undefined;
  world.system.spawn<string>({
    name: "parent",
    create(context) {
      lives++;
      child = context.spawn(breakable([], {
        name: "child",
        supervision: { restartsMax: 0, beyond: "escalate" },
      }));
      return { receive: () => {} };
    },
  });
  child?.tell("break");
  await world.clock.advance(BACKOFF_MS);
  assert.equal(lives, 2);
  child?.tell("fine");
  await settle();
  assert.deepEqual(world.deadLetters.map(({ message }) => message), ["break"]);
});

Deno.test("A parent whose child escalates while the parent begins restarts cleanly", async () => {
  await using world = testSystem();
  let attempts = 0;
  const log: string[] = [];
  const parent = world.system.spawn<string>({
    name: "parent",
    create(context) {
      const life = ++attempts;
      context.spawn<string>({
        name: "child",
        supervision: { restartsMax: 0, beyond: "escalate" },
        create() {
          if (life === 1) throw new Error("child cannot begin");
          return { receive: () => {} };
        },
      });
      return {
        receive: (word) => void log.push(`${word} in life ${life}`),
        stopped: () => void log.push(`end of life ${life}`),
      };
    },
  });
  parent.tell("hello");
  await world.clock.advance(BACKOFF_MS);
  assert.deepEqual(log, ["end of life 1", "hello in life 2"]);
});

Deno.test("A failure that escalates past the top ends the actor at the top", async () => {
  await using world = testSystem();
  const actor = world.system.spawn(
    breakable([], { supervision: { restartsMax: 0, beyond: "escalate" } }),
  );
  actor.tell("break");
  await settle();
  assert.equal(actor.tell("more"), "closed");
});

Deno.test("A message that cannot be made from an outcome fails the actor, not the process", async () => {
  await using world = testSystem();
  const actor = world.system.spawn(acting<string>((_, context) => {
    context.pipe(() => Promise.resolve(), () => {
      throw new Error("cannot tell");
    });
  }));
  actor.tell("begin");
  await settle();
  assert.equal(world.events.at(-1)?.type, "actor_restarted");
});

Deno.test("A restart waits for stopped(), but no longer than it may take", async () => {
  await using world = testSystem();
  let lives = 0;
  const actor = world.system.spawn<string>({
    name: "actor",
    shutdownMs: 1_000,
    create: () => {
      lives++;
      return {
        receive: () => {
          throw new Error("broken");
        },
        stopped: () => new Promise(() => {}),
      };
    },
  });
  actor.tell("break");
  await world.clock.advance(999 + BACKOFF_MS);
  await world.clock.advance(0);
  assert.equal(lives, 2);
  await Promise.all([world.system.stop(actor), world.clock.advance(1_000)]);
  assert.equal(world.clock.pending, 0);
});
