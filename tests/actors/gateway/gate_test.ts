import assert from "node:assert/strict";
import fc from "fast-check";
import { gateActor, type GateReport } from "../../../actors/gateway/gate.ts";
import type { ActorRef } from "../../../actors/kernel/ref.ts";
import type { PermitNews } from "../../../actors/session/ports.ts";
import { testSystem } from "../../support/system.ts";
import { settle } from "../../support/until.ts";

interface Holder {
  readonly ref: ActorRef<PermitNews>;
  readonly granted: string[];
  readonly delayed: string[];
}

function setUp(permitsMax: number) {
  const home = testSystem();
  const gate = home.system.spawn(gateActor(permitsMax));
  let holders = 0;
  const holder = (): Holder => {
    const granted: string[] = [];
    const delayed: string[] = [];
    const ref = home.system.spawn<PermitNews>({
      name: `holder_${holders++}`,
      create: () => ({
        receive: ({ type, requestId }) => {
          (type === "permit_granted" ? granted : delayed).push(requestId);
        },
      }),
    });
    return { ref, granted, delayed };
  };
  const report = () =>
    gate.ask<GateReport>((replyTo) => ({ type: "report_permits", replyTo }), { timeoutMs: 1_000 });
  return { home, gate, holder, report };
}

Deno.test("Gate grants permits first come, first served, up to its limit", async () => {
  const { home, gate, holder, report } = setUp(2);
  await using _ = home;
  const { ref, granted, delayed } = holder();
  for (const requestId of ["a", "b", "c", "d"]) {
    gate.tell({ type: "request_permit", requestId, holder: ref });
  }
  await settle();
  assert.deepEqual(granted, ["a", "b"]);
  assert.deepEqual(delayed, ["c", "d"], "who must wait is told at once");
  gate.tell({ type: "release_permit", requestId: "a" });
  await settle();
  assert.deepEqual(granted, ["a", "b", "c"]);
  assert.deepEqual(await report(), { permitsMax: 2, held: 2, waiting: 1 });
});

Deno.test.each([0, -1])("Gate with a limit of %s never makes anyone wait", async (permitsMax) => {
  const { home, gate, holder } = setUp(permitsMax);
  await using _ = home;
  const { ref, granted } = holder();
  for (let n = 0; n < 50; n++) {
    gate.tell({ type: "request_permit", requestId: `${n}`, holder: ref });
  }
  await settle();
  assert.equal(granted.length, 50);
});

Deno.test("Gate leaves one of several permits free of work in the background", async () => {
  const { home, gate, holder, report } = setUp(3);
  await using _ = home;
  const { ref, granted } = holder();
  for (const requestId of ["a", "b", "c", "d"]) {
    gate.tell({ type: "request_permit", requestId, holder: ref, isBackground: true });
  }
  gate.tell({ type: "request_permit", requestId: "person", holder: ref });
  await settle();
  assert.deepEqual(granted, ["a", "b", "person"]);
  gate.tell({ type: "release_permit", requestId: "a" });
  await settle();
  assert.deepEqual(granted, ["a", "b", "person", "c"], "the rest keeps its order");
  assert.deepEqual(await report(), { permitsMax: 3, held: 3, waiting: 1 });
});

Deno.test("Gate gives its only permit to work in the background in its turn", async () => {
  const { home, gate, holder } = setUp(1);
  await using _ = home;
  const { ref, granted } = holder();
  gate.tell({ type: "request_permit", requestId: "a", holder: ref, isBackground: true });
  gate.tell({ type: "request_permit", requestId: "person", holder: ref });
  gate.tell({ type: "request_permit", requestId: "b", holder: ref, isBackground: true });
  for (const requestId of ["a", "person"]) gate.tell({ type: "release_permit", requestId });
  await settle();
  assert.deepEqual(granted, ["a", "person", "b"]);
});

Deno.test("Gate takes permits and requests back when their holder dies", async () => {
  const { home, gate, holder, report } = setUp(1);
  await using _ = home;
  const [first, second, third] = [holder(), holder(), holder()];
  gate.tell({ type: "request_permit", requestId: "1", holder: first.ref });
  gate.tell({ type: "request_permit", requestId: "2", holder: second.ref });
  gate.tell({ type: "request_permit", requestId: "3", holder: third.ref });
  await settle();
  await home.system.stop(second.ref);
  await home.system.stop(first.ref);
  await settle();
  assert.deepEqual(third.granted, ["3"]);
  assert.deepEqual(await report(), { permitsMax: 1, held: 1, waiting: 0 });
});

Deno.test("Gate passes over a holder that stopped while it waited", async () => {
  const { home, gate, holder, report } = setUp(1);
  await using _ = home;
  const [gone, next] = [holder(), holder()];
  await home.system.stop(gone.ref);
  gate.tell({ type: "request_permit", requestId: "gone", holder: gone.ref });
  gate.tell({ type: "request_permit", requestId: "next", holder: next.ref });
  await settle();
  assert.deepEqual([gone.granted, next.granted], [[], ["next"]]);
  assert.equal((await report()).held, 1);
});

Deno.test("Gate that closes grants nothing more and answers when all permits are back", async () => {
  const { home, gate, holder } = setUp(1);
  await using _ = home;
  const { ref, granted } = holder();
  gate.tell({ type: "request_permit", requestId: "a", holder: ref });
  gate.tell({ type: "request_permit", requestId: "b", holder: ref });
  let isEmpty = false;
  const emptied = gate.ask((replyTo) => ({ type: "close_gate", replyTo }), { timeoutMs: 10_000 })
    .then(() => isEmpty = true);
  await settle();
  assert.equal(isEmpty, false);
  gate.tell({ type: "release_permit", requestId: "a" });
  await emptied;
  assert.deepEqual(granted, ["a"]);
});

Deno.test("Gate holds its limit and loses no request whatever the order of events", async () => {
  const step = fc.record({
    action: fc.constantFrom("request", "release", "die"),
    who: fc.nat({ max: 4 }),
  });
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 3 }), fc.array(step), async (limit, steps) => {
      const { home, gate, holder, report } = setUp(limit);
      await using _ = home;
      const holders = Array.from({ length: 5 }, holder);
      const alive = new Set(holders);
      const released = new Set<string>();
      let requests = 0;
      const owner = new Map<string, Holder>();
      for (const { action, who } of steps) {
        const subject = holders[who];
        assert.ok(subject);
        const held = subject.granted.find((id) => !released.has(id));
        if (action === "request" && alive.has(subject)) {
          const requestId = `${requests++}`;
          owner.set(requestId, subject);
          gate.tell({ type: "request_permit", requestId, holder: subject.ref });
        } else if (action === "release" && held !== undefined) {
          released.add(held);
          gate.tell({ type: "release_permit", requestId: held });
        } else if (action === "die" && alive.delete(subject)) {
          await home.system.stop(subject.ref);
        }
        await settle();
        const open = [...owner].filter(([id]) => !released.has(id))
          .filter(([, holder]) => alive.has(holder));
        const { held: heldNow, waiting } = await report();
        assert.ok(heldNow <= limit);
        assert.equal(heldNow + waiting, open.length);
        assert.equal(heldNow, Math.min(limit, open.length));
      }
    }),
    { numRuns: 60 },
  );
});
