import assert from "node:assert/strict";
import { eachUntilAborted } from "../../../actors/kernel/aborting.ts";

/** Yields 1, and then hangs, also when it is told to close. */
function hanging(): AsyncIterable<number> & { readonly isClosed: () => boolean } {
  const { promise: never } = Promise.withResolvers<IteratorResult<number>>();
  let step = 0;
  let isClosed = false;
  return {
    isClosed: () => isClosed,
    [Symbol.asyncIterator]: () => ({
      next: () => step++ === 0 ? Promise.resolve({ value: 1, done: false }) : never,
      return: () => {
        isClosed = true;
        return never;
      },
    }),
  };
}

Deno.test("eachUntilAborted ends with the signal's reason while its source hangs", async () => {
  const controller = new AbortController();
  const source = hanging();
  const seen: number[] = [];
  const reading = (async () => {
    for await (const value of eachUntilAborted(source, controller.signal)) {
      seen.push(value);
      queueMicrotask(() => controller.abort(new Error("stop")));
    }
  })();
  await assert.rejects(reading, { message: "stop" });
  assert.deepEqual(seen, [1]);
  assert.equal(source.isClosed(), true);
});

Deno.test("eachUntilAborted lets go of a source that hangs when its reader has enough", async () => {
  const source = hanging();
  for await (const value of eachUntilAborted(source, new AbortController().signal)) {
    assert.equal(value, 1);
    break;
  }
  assert.equal(source.isClosed(), true);
});
