import assert from "node:assert/strict";
import { join } from "node:path";
import { ClippedOutput } from "../../../actors/tools/clipped_output.ts";
import { execTool } from "../../../actors/tools/exec.ts";
import type { JsonObject } from "../../../actors/kernel/json.ts";
import { type ToolBench, toolBench } from "../../support/tool_context.ts";
import { until } from "../../support/until.ts";

async function exec(args: JsonObject, bench: ToolBench): Promise<string> {
  const { content } = await execTool(60).call(args, bench.context);
  assert.ok(typeof content === "string");
  return content;
}

function isAlive(pid: number): boolean {
  try {
    Deno.kill(pid, "SIGCONT");
    return true;
  } catch {
    return false;
  }
}

Deno.test("exec gives output, errors and exit code", async () => {
  await using bench = await toolBench();
  const text = await exec({ command: "echo 你好 😀; echo bad >&2; exit 3" }, bench);
  assert.equal(text, "你好 😀\nSTDERR:\nbad\nExit code: 3");
});

Deno.test("exec runs in the workspace, in a folder below it, and nowhere else", async () => {
  await using bench = await toolBench();
  await Deno.mkdir(join(bench.workspace, "sub"));
  assert.match(await exec({ command: "pwd" }, bench), new RegExp(`^${bench.workspace}\n`));
  assert.match(await exec({ command: "pwd", working_dir: "sub" }, bench), /workspace\/sub\n/);
  await assert.rejects(exec({ command: "pwd", working_dir: "/etc" }, bench), {
    code: "path_outside",
  });
});

Deno.test("exec gives a command no environment but its own", async () => {
  await using bench = await toolBench();
  Deno.env.set("TROUPE_TEST_SECRET", "hidden");
  const text = await exec({ command: "env" }, bench);
  Deno.env.delete("TROUPE_TEST_SECRET");
  assert.doesNotMatch(text, /TROUPE_TEST_SECRET/);
  assert.match(text, /LANG=C.UTF-8/);
});

Deno.test("exec ends a command and all that it started at its time limit", async () => {
  await using bench = await toolBench();
  const text = await exec({ command: "sleep 600 & echo $!; wait", timeout: 1 }, bench);
  assert.match(text, /^Error: the command was ended after its limit of 1 s\n\d+/);
  const pid = Number(/^\d+$/m.exec(text)?.[0]);
  await until(() => !isAlive(pid), { what: "the end of the grandchild" });
});

Deno.test("exec does not wait for what a command leaves running", async () => {
  await using bench = await toolBench();
  const text = await exec({ command: "sleep 600 & echo $!" }, bench);
  assert.match(text, /Exit code: 0$/);
  const pid = Number(/^\d+$/m.exec(text)?.[0]);
  await until(() => !isAlive(pid), { what: "the end of the background job" });
});

Deno.test("exec ends its command when the turn is stopped", async () => {
  await using bench = await toolBench();
  const stop = new AbortController();
  const context = { ...bench.context, signal: stop.signal };
  const marker = join(bench.workspace, "pid");
  const running = execTool(60).call({ command: "echo $$ > pid; exec sleep 600" }, context);
  const ended = assert.rejects(running, /stopped by the user/);
  let pid = 0;
  await until(async () => {
    pid = Number(await Deno.readTextFile(marker).catch(() => "0"));
    return pid > 0;
  });
  stop.abort(new Error("stopped by the user"));
  await ended;
  await until(() => !isAlive(pid), { what: "the end of the command" });
});

Deno.test("exec gives a command no input to wait for", async () => {
  await using bench = await toolBench();
  assert.match(await exec({ command: "cat; echo done" }, bench), /^done\nExit code: 0$/);
});

Deno.test("exec keeps the beginning and the end of long output", async () => {
  await using bench = await toolBench();
  const text = await exec({ command: "seq 1 100000" }, bench);
  assert.match(text, /^1\n2\n[\s\S]*bytes left out[\s\S]*100000\nExit code: 0$/);
  assert.ok(text.length < 11_000);
});

Deno.test("ClippedOutput keeps all that fits, whatever the chunks", () => {
  for (const size of [1, 3, 7, 100]) {
    const output = new ClippedOutput(20);
    const bytes = new TextEncoder().encode("0123456789abcdefghij");
    for (let at = 0; at < bytes.length; at += size) output.push(bytes.subarray(at, at + size));
    assert.equal(output.text(), "0123456789abcdefghij");
    output.push(new TextEncoder().encode("XYZ"));
    assert.equal(output.text(), "0123456789\n… 3 bytes left out …\ndefghijXYZ");
  }
});
