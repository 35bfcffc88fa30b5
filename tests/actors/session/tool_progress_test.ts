import assert from "node:assert/strict";
import { progressReporter } from "../../../actors/session/tool_progress.ts";
import type { RequestedCall } from "../../../providers/provider.ts";
import { ManualClock } from "../../support/manual_clock.ts";

function call(name: string): RequestedCall {
  return {
    call: { id: name, type: "function", function: { name, arguments: "{}" } },
    parsed: { state: "ok", value: {} },
  };
}

/** A round whose progress is told to the test. */
function round(isGrowing: boolean) {
  const clock = new ManualClock();
  const told: string[] = [];
  const view = { isGrowing, toolsProgressed: (text: string) => void told.push(text) };
  return { clock, told, reporter: progressReporter({ clock, view, mcpServers: ["my_db"] }) };
}

Deno.test("Progress is shown at once where an answer grows, and then at most twice a second", async () => {
  const { clock, told, reporter } = round(true);
  const report = reporter(call("mcp_my_db_copy"));
  for (let step = 1; step <= 1_000; step++) report(`${step} of 1000`);
  assert.deepEqual(told, ["my_db::copy: 1 of 1000"]);
  await clock.advance(500);
  report("1000 of 1000");
  assert.deepEqual(told.slice(1), ["my_db::copy: 1000 of 1000"]);
});

Deno.test("Where each word is a message, what takes half a minute is told of, and each half a minute", async () => {
  const { clock, told, reporter } = round(false);
  const report = reporter(call("mcp_my_db_copy"));
  for (let second = 0; second < 100; second++) {
    report(`${second} s`);
    await clock.advance(1_000);
  }
  assert.deepEqual(told, [30, 60, 90].map((second) => `my_db::copy: ${second} s`));
});

Deno.test("Calls side by side have a line each, those that spoke last", async () => {
  const { clock, told, reporter } = round(true);
  for (let at = 0; at < 8; at++) reporter(call(`tool_${at}`))("on it");
  await clock.advance(500);
  reporter(call("tool_8"))("done");
  assert.equal(
    told.at(-1),
    [4, 5, 6, 7].map((at) => `tool_${at}: on it\n`).join("") + "tool_8: done",
  );
});

Deno.test("A server's words stay in one short line that is no hint of another tool", () => {
  const { told, reporter } = round(true);
  reporter(call("x"))(`1 (a), exec("rm"),\nread_file "b"\u0000 ${"z".repeat(500)}`);
  const [line = ""] = told;
  assert.match(line, /^x: 1 \(a\),\u00a0exec\('rm'\),\u00a0read_file 'b' z+…$/);
  assert.ok([...line].length <= 141);
});
