import assert from "node:assert/strict";
import * as fc from "fast-check";
import { ChannelMemory } from "../../../../channels/slack/receive/memory.ts";

function ts(second: number): string {
  return `${1_700_000_000 + second}.000100`;
}

function restored(memory: ChannelMemory): ChannelMemory {
  const next = new ChannelMemory();
  next.restore(JSON.parse(JSON.stringify(memory.stored)));
  return next;
}

Deno.test("ChannelMemory goes on behind the last message that was taken", () => {
  const memory = new ChannelMemory();
  for (const second of [1, 2]) {
    memory.begin("C1", ts(second));
    memory.taken("C1", ts(second));
  }
  assert.deepEqual(restored(memory).gaps, [{ channel: "C1", threadTs: "", since: ts(2) }]);
});

Deno.test("ChannelMemory stays before a message that was not taken", () => {
  const memory = new ChannelMemory();
  for (const second of [1, 2, 3]) memory.begin("C1", ts(second));
  for (const second of [1, 3]) memory.taken("C1", ts(second));
  const [gap] = restored(memory).gaps;
  assert.ok(gap !== undefined && gap.since >= ts(1) && gap.since < ts(2));
  memory.taken("C1", ts(2));
  assert.equal(restored(memory).gaps[0]?.since, ts(3));
});

Deno.test("ChannelMemory stays before a gap until that is closed", () => {
  const memory = new ChannelMemory();
  memory.begin("C1", ts(1));
  memory.taken("C1", ts(1));
  memory.beginGap();
  memory.begin("C1", ts(9));
  memory.taken("C1", ts(9));
  assert.equal(restored(memory).gaps[0]?.since, ts(1));
  memory.endGap(memory.gapCount);
  assert.equal(restored(memory).gaps[0]?.since, ts(9));
});

Deno.test("ChannelMemory leaves a gap open that began while an earlier one was looked into", () => {
  const memory = new ChannelMemory();
  memory.beginGap();
  const { gapCount } = memory;
  memory.beginGap();
  memory.endGap(gapCount);
  assert.equal(memory.hasGap, true);
  memory.endGap(memory.gapCount);
  assert.equal(memory.hasGap, false);
});

Deno.test("ChannelMemory looks into the threads that it takes part in", () => {
  const memory = new ChannelMemory();
  memory.begin("C1", ts(1));
  memory.taken("C1", ts(1));
  memory.join("C1", ts(0));
  const next = restored(memory);
  assert.equal(next.takesPart("C1", ts(0)), true);
  assert.equal(next.takesPart("C2", ts(0)), false);
  assert.deepEqual(next.gaps.map(({ threadTs }) => threadTs), ["", ts(0)]);
});

Deno.test.each([null, 7, "x", { read: 1 }, { read: { C1: 2 }, threads: [] }])(
  "ChannelMemory begins anew with %j",
  (stored) => {
    const memory = new ChannelMemory();
    memory.restore(stored);
    assert.deepEqual(memory.gaps, []);
    assert.equal(memory.newest, "");
  },
);

Deno.test("ChannelMemory never passes over a message, whatever order they are taken in", () => {
  const seconds = fc.uniqueArray(fc.nat(50), { minLength: 1, maxLength: 20 });
  fc.assert(fc.property(seconds, fc.nat(20), (order, count) => {
    const memory = new ChannelMemory();
    for (const second of order.toSorted((a, b) => a - b)) memory.begin("C1", ts(second));
    const taken = new Set(order.slice(0, count));
    for (const second of taken) memory.taken("C1", ts(second));
    const since = restored(memory).gaps[0]?.since ?? "";
    for (const second of order) assert.ok(taken.has(second) || ts(second) > since);
  }));
});
