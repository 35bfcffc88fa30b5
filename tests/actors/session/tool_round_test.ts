import assert from "node:assert/strict";
import { batches, type PlacedCall, runToolRound } from "../../../actors/session/tool_round.ts";
import type { ToolConcurrency } from "../../../actors/tools/tool.ts";
import type { RequestedCall } from "../../../providers/provider.ts";
import { settle } from "../../support/until.ts";

function call(name: string): RequestedCall {
  return {
    call: { id: name, type: "function", function: { name, arguments: "{}" } },
    parsed: { state: "ok", value: {} },
  };
}

/** `read…` is shared, everything else runs alone. */
function concurrency(name: string): ToolConcurrency {
  return name.startsWith("read") ? "shared" : "exclusive";
}

/** Runs calls that end when the test says so; `running` are those under way. */
function controlled(names: string[], signal: AbortSignal = new AbortController().signal) {
  const running = new Map<string, PromiseWithResolvers<string>>();
  const started: string[] = [];
  const round = runToolRound(names.map(call), {
    concurrency,
    signal,
    run: async ({ requested }: PlacedCall, signal) => {
      const { name } = requested.call.function;
      started.push(name);
      const end = Promise.withResolvers<string>();
      running.set(name, end);
      signal.addEventListener("abort", () => end.reject(signal.reason), { once: true });
      try {
        return await end.promise;
      } finally {
        running.delete(name);
      }
    },
  });
  return { running, started, round };
}

Deno.test.each([
  [["read1", "read2", "write", "read3"], [["read1", "read2"], ["write"], ["read3"]]],
  [["write1", "write2"], [["write1"], ["write2"]]],
  [["read"], [["read"]]],
  [[], []],
])("Batches of %j are %j", (names, expected) => {
  const made = batches(names.map(call), concurrency);
  assert.deepEqual(
    made.map((batch) => batch.map(({ requested }) => requested.call.function.name)),
    expected,
  );
});

Deno.test("Tool round runs shared neighbours side by side and a write after both", async () => {
  const { running, started, round } = controlled(["read1", "read2", "write"]);
  await settle();
  assert.deepEqual([...running.keys()], ["read1", "read2"]);
  running.get("read2")?.resolve("two");
  await settle();
  assert.deepEqual(started, ["read1", "read2"]);
  running.get("read1")?.resolve("one");
  await settle();
  running.get("write")?.resolve("three");
  assert.deepEqual(await round, ["one", "two", "three"]);
});

Deno.test("Tool round runs at most eight calls at once", async () => {
  const names = Array.from({ length: 20 }, (_, index) => `read${index}`);
  const { running, started, round } = controlled(names);
  let most = 0;
  while (started.length < names.length || running.size > 0) {
    await settle();
    most = Math.max(most, running.size);
    const [name, end] = [...running][0] ?? [];
    end?.resolve(String(name));
  }
  assert.equal(most, 8);
  assert.deepEqual(await round, names);
});

Deno.test("Tool round aborts the neighbours of a call that rejects and starts no other", async () => {
  const { running, started, round } = controlled(["read1", "read2", "write"]);
  await settle();
  running.get("read1")?.reject(new Error("journal is gone"));
  await assert.rejects(round, /journal is gone/);
  assert.equal(running.size, 0);
  assert.deepEqual(started, ["read1", "read2"]);
});

Deno.test("Tool round ends with the reason of an abort and starts no further call", async () => {
  const controller = new AbortController();
  const { started, round } = controlled(["read1", "write"], controller.signal);
  await settle();
  controller.abort(new Error("stopped"));
  await assert.rejects(round, /stopped/);
  assert.deepEqual(started, ["read1"]);
});
