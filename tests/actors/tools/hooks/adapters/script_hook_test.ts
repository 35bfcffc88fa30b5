import assert from "node:assert/strict";
import { scriptHook } from "../../../../../actors/tools/hooks/adapters/script_hook.ts";

const EVENT = { event: "tool_before", tool: "exec", arguments: { command: "ls" } };

function run(script: string, signal = new AbortController().signal) {
  return scriptHook({ words: ["sh", "-c", script], folder: Deno.cwd() })(EVENT, signal);
}

Deno.test("A script gets the event on its input, and answers on its output", async () => {
  assert.deepEqual(await run("cat"), EVENT);
  assert.equal(await run("cat >/dev/null"), null);
});

Deno.test.each([
  ["exit 3", /^it ended with code 3$/],
  ["echo broken >&2; exit 1", /^it ended with code 1: broken$/],
  ["kill -9 $$", /^it was killed$/],
  ["echo maybe", /^what it said is no JSON$/],
  ["head -c 70000 /dev/zero", /^it said more than 64 kB$/],
  ["yes", /^it said more than 64 kB$/],
])("A script that does %j has failed, and the reason says how", async (script, reason) => {
  await assert.rejects(run(script), { code: "hook_failed", message: reason });
});

Deno.test("A program that is not there is a failure like any other", async () => {
  const missing = scriptHook({ words: ["/nowhere/hook.sh"], folder: Deno.cwd() });
  await assert.rejects(missing(EVENT, new AbortController().signal), {
    message: /^it cannot be started: there is no program "\/nowhere\/hook.sh"$/,
  });
});

Deno.test("A script that hangs is ended when its time is over, with what it started", async () => {
  const over = new AbortController();
  const running = run("sleep 1000 & sleep 1000", over.signal);
  over.abort(new TypeError("too long"));
  await assert.rejects(running, /too long/);
});

Deno.test("A script sees none of the gateway's secrets", async () => {
  Deno.env.set("HOOK_TEST_TOKEN", "secret");
  try {
    assert.equal(await run('printf %s "${HOOK_TEST_TOKEN:-null}"'), null);
  } finally {
    Deno.env.delete("HOOK_TEST_TOKEN");
  }
});

Deno.test("What a script leaves behind does not keep its answer back", async () => {
  assert.deepEqual(await run("sleep 1000 & echo '{}'"), {});
});
