import assert from "node:assert/strict";
import { LiveHooks } from "../../../actors/gateway/hook_wiring.ts";
import { systemWorld } from "../../../actors/gateway/adapters/system_world.ts";
import type { HookedCall } from "../../../actors/tools/hooks/hook_event.ts";
import { temporaryFolder } from "../../support/temporary_folder.ts";
import { loadText } from "../config/_load.ts";

const CALL: HookedCall = {
  ...{ session: "cli:direct", turn: "t1", channel: "cli", chat: "direct", sender: "me" },
  ...{ source: "person", call: "c1", tool: "exec", arguments: {} },
};

/** A configuration with one hook that refuses, by a word of its own; none for null. */
async function refusing(word: string | null) {
  const answer = JSON.stringify({ decision: "refuse", reason: word });
  const command = ["sh", "-c", `echo '${answer}'`];
  const hooks = word === null ? [] : [{ name: word, on: ["tool_before"], command }];
  return await loadText(JSON.stringify({ hooks }));
}

Deno.test("Edited hooks take the place of those that were there", async () => {
  await using workspace = await temporaryFolder();
  const lines: string[] = [];
  await using hooks = await LiveHooks.open({
    loaded: await refusing(null),
    workspace: workspace.path,
    world: systemWorld(),
    print: (line) => lines.push(line),
  });
  const ask = () => hooks.refusal(CALL, new AbortController().signal);
  assert.equal(await ask(), null);
  await hooks.change(await refusing("first"));
  assert.match(await ask() ?? "", /first/);
  await hooks.change(await refusing("second"));
  assert.match(await ask() ?? "", /second/);
  await hooks.change(await refusing(null));
  assert.equal(await ask(), null);
  assert.deepEqual(lines, ["Hook first: on tool_before", "Hook second: on tool_before"]);
});
