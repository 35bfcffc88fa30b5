import assert from "node:assert/strict";
import type { ActorContext, StopReason } from "../../../actors/kernel/actor.ts";
import { acting } from "../../support/acting.ts";
import { Probe } from "../../support/probe.ts";
import { testSystem } from "../../support/system.ts";
import { settle } from "../../support/until.ts";

type Seen = string | { readonly ended: StopReason };

/** An actor that keeps what it hears and lends out its context. */
function watcher(world: ReturnType<typeof testSystem>) {
  const seen: Seen[] = [];
  let context: ActorContext<Seen> | undefined;
  const ref = world.system.spawn<Seen>({
    name: "watcher",
    create(given) {
      context = given;
      return {
        receive(message) {
          if (message === "break") throw new Error("broken");
          seen.push(message);
        },
      };
    },
  });
  return {
    seen,
    ref,
    watch: (...args: Parameters<ActorContext<Seen>["watch"]>) => context?.watch(...args),
  };
}

Deno.test("A watcher hears of the end after all that the ended actor told it", async () => {
  await using world = testSystem();
  const { seen, ref, watch } = watcher(world);
  const watched = world.system.spawn(acting<string>((word, context) => {
    ref.tell(word);
    context.stopSelf();
  }));
  watch(watched, (ended) => ({ ended }));
  watched.tell("last word");
  await settle();
  assert.deepEqual(seen, ["last word", { ended: { type: "stopped" } }]);
});

Deno.test("A watcher hears of a failure with its error, however late it watches", async () => {
  await using world = testSystem();
  const { seen, watch } = watcher(world);
  const error = new Error("broken");
  const watched = world.system.spawn(acting<string>(() => {
    throw error;
  }, { supervision: { restart: "never" } }));
  watch(watched, (ended) => ({ ended }));
  watched.tell("break");
  await settle();
  watch(watched, (ended) => ({ ended }));
  await settle();
  const ended = { type: "failed", error };
  assert.deepEqual(seen, [{ ended }, { ended }]);
});

Deno.test("A restart of the watched actor is no end", async () => {
  await using world = testSystem();
  const { seen, watch } = watcher(world);
  const watched = world.system.spawn(acting<string>(() => {
    throw new Error("broken");
  }));
  watch(watched, (ended) => ({ ended }));
  watched.tell("break");
  await world.clock.advance(1_000);
  assert.deepEqual(seen, []);
});

Deno.test("A watch ends with the life that asked for it", async () => {
  await using world = testSystem();
  const { seen, ref, watch } = watcher(world);
  const watched = world.system.spawn(acting<string>(() => {}));
  watch(watched, (ended) => ({ ended }));
  ref.tell("break");
  await world.clock.advance(1_000);
  await world.system.stop(watched);
  await settle();
  assert.deepEqual(seen, []);
});

Deno.test("Only actors of this process can be watched", async () => {
  await using world = testSystem();
  assert.throws(() => world.system.watch(new Probe(), () => {}), { code: "invariant_broken" });
});

Deno.test("A watch can be taken back", async () => {
  await using world = testSystem();
  const watched = world.system.spawn(acting<string>(() => {}));
  let ends = 0;
  const unwatch = world.system.watch(watched, () => ends++);
  unwatch();
  await world.system.stop(watched);
  assert.equal(ends, 0);
});
