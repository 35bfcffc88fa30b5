import assert from "node:assert/strict";
import { join } from "node:path";
import { startHostInside } from "../../../actors/tools/host/adapters/thread_link.ts";
import { hostBench } from "../../support/host_bench.ts";
import {
  DENIED,
  HARMLESS,
  HOSTILE,
  messageOf,
  placed,
  trappedBench,
  tryCalls,
} from "../../support/path_traps.ts";

Deno.test("No hostile path gets a tool out of the workspace, or at the agent's own state", async () => {
  await using bench = await trappedBench();
  assert.ok(HOSTILE.length >= 60);
  assert.deepEqual(await tryCalls(HOSTILE, bench), []);
  assert.equal(await Deno.readTextFile(join(bench.outside, "secret.txt")), "secret");
  assert.deepEqual(await namesIn(bench.outside), ["secret.txt"]);
  const session = join(bench.workspace, "sessions", "cli_direct.jsonl");
  assert.equal(await Deno.readTextFile(session), "kept");
});

Deno.test("What searches find never comes from outside the workspace", async () => {
  await using bench = await trappedBench();
  assert.match(await bench.call("grep", { pattern: "secret" }), /Nothing matches/);
  assert.doesNotMatch(await bench.call("glob", { pattern: "**/secret.txt" }), /secret\.txt\n/);
  const listed = await bench.call("list_dir", { path: ".", recursive: true });
  assert.match(listed, /^folder_link@$/m);
  assert.doesNotMatch(listed, /secret/);
});

Deno.test.each([
  ["read_file", { path: "/dev/zero" }],
  ["read_file", { path: "/proc/self/environ" }],
  ["read_file", { path: "zero_link" }],
  ["read_file", { path: "^/config.json" }],
  ["write_file", { path: "^/state/journal.db", content: "x" }],
  ["write_file", { path: "sessions/x.jsonl", content: "x" }],
  ["write_file", { path: "SOUL.md", content: "x" }],
])("Without the restriction %s still refuses %o", async (tool, args) => {
  await using bench = await trappedBench({ isRestricted: false });
  await assert.rejects(bench.call(tool, placed(args, bench)), { message: DENIED });
});

Deno.test("Without the restriction tools reach other files", async () => {
  await using bench = await trappedBench({ isRestricted: false });
  assert.match(await bench.call("read_file", { path: "file_link" }), /1\| secret/);
});

Deno.test("Everyday calls pass without a question", async () => {
  await using bench = await trappedBench();
  assert.ok(HARMLESS.length >= 30);
  assert.deepEqual(await tryCalls(HARMLESS, bench), []);
});

Deno.test("A hard link to one of the gateway's own files is not read", async () => {
  await using outer = await hostBench();
  const own = join(outer.root, "config.json");
  await Deno.writeTextFile(own, '{"key":"secret"}');
  await Deno.link(own, join(outer.workspace, "innocent.json"));
  await Deno.writeTextFile(join(outer.workspace, "plain.txt"), "plain");
  await Deno.link(join(outer.workspace, "plain.txt"), join(outer.workspace, "twin.txt"));
  const { dev, ino } = await Deno.stat(own);
  await using bench = await hostBench({
    rules: { workspace: outer.workspace, protectedIdentities: [`${dev}:${ino}`] },
    rights: { read: [outer.workspace], write: [outer.workspace] },
  });
  await assert.rejects(bench.call("read_file", { path: "innocent.json" }), { message: DENIED });
  assert.match(await bench.call("grep", { pattern: "secret" }), /cannot be read/);
  assert.match(await bench.call("read_file", { path: "twin.txt" }), /1\| plain/);
  // Writing makes a new file of that name; the gateway's own stays as it is.
  await bench.call("write_file", { path: "innocent.json", content: "mine" });
  assert.equal(await Deno.readTextFile(own), '{"key":"secret"}');
});

Deno.test("A host inside the process refuses the same", async () => {
  await using bench = await trappedBench({ start: startHostInside });
  assert.deepEqual(await tryCalls(HOSTILE, bench), []);
  assert.deepEqual(await tryCalls(HARMLESS, bench), []);
});

Deno.test("A folder that turns into a link and back gains nothing", async () => {
  await using bench = await trappedBench();
  const inside = join(bench.workspace, "inside");
  await Deno.mkdir(inside);
  await Deno.writeTextFile(join(inside, "secret.txt"), "harmless");
  const script = "while :; do ln -sfn inside turn; ln -sfn ../outside turn; done";
  const child = new Deno.Command("sh", { args: ["-c", script], cwd: bench.workspace }).spawn();
  try {
    const answers = new Set<string>();
    for (let n = 0; n < 60; n++) {
      answers.add(
        await bench.call("read_file", { path: "turn/secret.txt", force: true }).catch(messageOf),
      );
      await bench.call("write_file", { path: "turn/new.txt", content: "x" }).catch(() => "");
    }
    assert.deepEqual([...answers].filter((answer) => answer.startsWith("1| secret")), []);
    assert.deepEqual(await namesIn(bench.outside), ["secret.txt"]);
  } finally {
    child.kill("SIGKILL");
    await child.status;
  }
});

async function namesIn(folder: string): Promise<string[]> {
  return (await Array.fromAsync(Deno.readDir(folder))).map(({ name }) => name);
}
