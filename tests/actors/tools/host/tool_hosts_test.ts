import assert from "node:assert/strict";
import { join } from "node:path";
import { readFileTool } from "../../../../actors/tools/file_tools.ts";
import { hostedTool } from "../../../../actors/tools/host/hosted_tool.ts";
import { startHostInside } from "../../../../actors/tools/host/adapters/thread_link.ts";
import { hostBench, startFaultyHost } from "../../../support/host_bench.ts";
import { ManualClock } from "../../../support/manual_clock.ts";
import { toolBench } from "../../../support/tool_context.ts";
import { until } from "../../../support/until.ts";

/** Tools that do what no host may, and what is said of it. */
const DENIED: [string, RegExp][] = [
  ["read_outside", /read access/],
  ["run", /run access/],
  ["fetch", /net access/],
  ["import_package", /./],
];

Deno.test("A tool host runs a tool, stays warm, and ends after five idle minutes", async () => {
  const clock = new ManualClock();
  await using bench = await hostBench({ clock });
  await Deno.writeTextFile(join(bench.workspace, "a.txt"), "hello\n");
  assert.match(await bench.call("read_file", { path: "a.txt" }), /^1\| hello/);
  await clock.advance(299_000);
  assert.match(await bench.call("read_file", { path: "a.txt" }), /^1\| hello/);
  await clock.advance(299_000);
  assert.equal(bench.hosts.size, 1);
  await clock.advance(1_000);
  assert.equal(bench.hosts.size, 0);
  assert.match(await bench.call("read_file", { path: "a.txt" }), /^1\| hello/);
});

Deno.test("A tool host works in a folder that no flag can name, and nowhere else", async () => {
  const prefix = "troupe, hosts-";
  await using bench = await hostBench({ prefix });
  await Deno.writeTextFile(join(bench.workspace, "a.txt"), "hello\n");
  assert.match(await bench.call("read_file", { path: "a.txt" }), /^1\| hello/);
  await using faulty = await hostBench({ prefix, start: startFaultyHost });
  for (const [tool, reason] of DENIED) {
    await assert.rejects(faulty.call(tool), { message: reason, code: "tool_failed" });
  }
});

Deno.test("A tool host carries errors of tools over with their codes", async () => {
  await using bench = await hostBench();
  await assert.rejects(bench.call("read_file", { path: "../x" }), { code: "path_outside" });
  await assert.rejects(bench.call("read_file", { path: "x" }), { code: "path_missing" });
});

Deno.test("A hosted tool checks its arguments before a host is started for it", async () => {
  await using files = await toolBench();
  await using bench = await hostBench();
  const tool = hostedTool(readFileTool, bench.hosts);
  await assert.rejects(tool.call({ limit: 3 }, files.context), { code: "arguments_invalid" });
  assert.equal(bench.hosts.size, 0);
  await Deno.writeTextFile(join(bench.workspace, "a.txt"), "1\n2\n3\n");
  const cast = await tool.call({ path: "a.txt", limit: "1", unknown: true }, files.context);
  assert.match(String(cast.content), /^1\| 1\n\n\(Lines? 1/);
});

Deno.test.each(DENIED)(
  "A tool host is denied what it has no right to: %s",
  async (tool, reason) => {
    await using bench = await hostBench({ start: startFaultyHost });
    await assert.rejects(bench.call(tool), { message: reason, code: "tool_failed" });
  },
);

Deno.test("A tool host sees nothing of the environment", async () => {
  Deno.env.set("TROUPE_TEST_SECRET", "s3cret");
  await using bench = await hostBench({ start: startFaultyHost });
  assert.equal(await bench.call("environment").catch(() => "{}"), "{}");
  Deno.env.delete("TROUPE_TEST_SECRET");
});

Deno.test.each([
  ["throw_late", /ended with code 70/],
  ["nonsense", /makes no sense/],
  ["flood", /line of more than|makes no sense/],
])("A tool that does this costs its own call only: %s", async (tool, reason) => {
  await using bench = await hostBench({ start: startFaultyHost });
  await assert.rejects(bench.call(tool), { code: "host_failed", message: reason });
  assert.equal(await bench.call("fine"), "fine");
});

Deno.test("A tool that eats memory gets no more than its host may have", async () => {
  await using bench = await hostBench({ start: startFaultyHost });
  // Either the system refuses it, or the host's own watch ends it.
  await assert.rejects(bench.call("eat"), /allocation failed|more memory than it may have/);
  assert.equal(await bench.call("fine"), "fine");
});

Deno.test("A tool that spins is ended when its call is, and others go on beside it", async () => {
  await using bench = await hostBench({ start: startFaultyHost });
  assert.equal(await bench.call("fine"), "fine");
  const limit = new AbortController();
  const spinning = bench.call("spin", {}, limit.signal);
  spinning.catch(() => {});
  // Asked too soon it shares the host; asked once more it goes elsewhere.
  let answered = "";
  let patienceMs = 500; // grows: a busy machine needs seconds to start a host
  await until(async () => {
    const soon = AbortSignal.timeout(patienceMs *= 2);
    answered = await bench.call("fine", {}, soon).catch(() => "");
    return answered === "fine";
  }, { timeoutMs: 60_000 });
  limit.abort(new DOMException("time is up", "TimeoutError"));
  await assert.rejects(spinning, { name: "TimeoutError" });
  await until(() => bench.hosts.size <= 1, { timeoutMs: 30_000 });
  assert.equal(await bench.call("fine"), "fine");
});

Deno.test("Calls that hang are ended by their signal; the host is replaced", async () => {
  await using bench = await hostBench({ start: startFaultyHost });
  const stop = new AbortController();
  const hanging = bench.call("hang", {}, stop.signal);
  stop.abort();
  await assert.rejects(hanging, { name: "AbortError" });
  await until(() => bench.hosts.size === 0, { timeoutMs: 30_000 });
  assert.equal(await bench.call("fine"), "fine");
});

Deno.test("Hosts end with their gateway, and open calls are told", async () => {
  await using bench = await hostBench({ start: startFaultyHost });
  const hanging = bench.call("hang");
  hanging.catch(() => {});
  await bench.hosts[Symbol.asyncDispose]();
  await assert.rejects(hanging, { code: "host_failed", message: /the gateway stops/ });
  assert.equal(bench.hosts.size, 0);
});

Deno.test("A host inside the process has no more rights than one outside", async () => {
  await using bench = await hostBench({ start: startHostInside, rules: { isRestricted: false } });
  await Deno.writeTextFile(join(bench.workspace, "a.txt"), "hello\n");
  assert.match(await bench.call("read_file", { path: "a.txt" }), /^1\| hello/);
  const outside = join(bench.root, "secret.txt");
  await Deno.writeTextFile(outside, "secret");
  await assert.rejects(bench.call("read_file", { path: outside }), /not allowed/);
});

Deno.test("Deno's flags hold where the path policy would not", async () => {
  await using bench = await hostBench({ rules: { isRestricted: false } });
  const outside = join(bench.root, "secret.txt");
  await Deno.writeTextFile(outside, "secret");
  await assert.rejects(bench.call("read_file", { path: outside }), /not allowed/);
  const write = bench.call("write_file", { path: outside, content: "x" });
  await assert.rejects(write, /not allowed/);
  assert.equal(await Deno.readTextFile(outside), "secret");
});

Deno.test("What the policy protects is refused by Deno as well", async () => {
  await using bench = await hostBench();
  const state = join(bench.workspace, "notes.db");
  const rights = { denyWrite: [state] };
  await using guarded = await hostBench({
    rules: { workspace: bench.workspace },
    rights: {
      ...rights,
      read: [bench.workspace],
      write: [bench.workspace],
    },
  });
  await Deno.writeTextFile(state, "kept");
  await assert.rejects(guarded.call("write_file", { path: state, content: "x" }));
  assert.equal(await Deno.readTextFile(state), "kept");
});
