import assert from "node:assert/strict";
import { loadSettings } from "./_load.ts";

const GUARD = { name: "guard", on: ["tool_before"], command: ["guard"] };

Deno.test("A hook has five seconds, all tools and the right to refuse where nothing is said", async () => {
  const { config } = await loadSettings({ hooks: [GUARD] });
  assert.deepEqual(config.hooks, [{
    ...GUARD,
    tools: ["*"],
    module: null,
    rights: { read: [], write: [], net: [] },
    timeout: 5,
    onFailure: "refuse",
  }]);
});

Deno.test.each<[object, RegExp]>([
  [
    { command: ["./hook.sh"] },
    /\[0\]\.command\[0\] is neither the name of a program nor a whole path/,
  ],
  [{ command: null }, /\[0\]\.command is missing, and so is "module"/],
  [{ module: "/a.ts" }, /\[0\]\.module is one too many beside "command"/],
  [{ rights: { net: ["a.org"] } }, /\[0\]\.rights is for modules/],
  [{ on: ["tool"] }, /\[0\]\.on\[0\] is none of turn_start/],
  [{ on: [] }, /\[0\]\.on /],
  [{ name: "" }, /\[0\]\.name is no name/],
])("A hook with %j is refused", async (change, problem) => {
  await assert.rejects(loadSettings({ hooks: [{ ...GUARD, ...change }] }), problem);
});

Deno.test("Two hooks of one name are refused", async () => {
  await assert.rejects(
    loadSettings({ hooks: [GUARD, GUARD] }),
    /hooks\[1\]\.name is the name of another hook/,
  );
});
