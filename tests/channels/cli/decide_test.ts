import assert from "node:assert/strict";
import { join } from "node:path";
import { main } from "../../../channels/cli/main.ts";
import { temporaryFolder } from "../../support/temporary_folder.ts";

async function run(...args: readonly string[]) {
  await using folder = await temporaryFolder();
  const config = join(folder.path, "config.json");
  const workspace = join(folder.path, "workspace");
  await Deno.writeTextFile(config, JSON.stringify({ agents: { defaults: { workspace } } }));
  let said = "";
  const code = await main([...args, "--config", config], {
    write: (text) => said += text,
    writeError: (text) => said += text,
    isInteractive: false,
    hasColors: false,
  });
  return { code, said };
}

Deno.test.each([
  [["retry", "in-7"], 'Cannot retry "in-7": no message of this id failed; see troupe failed'],
  [
    ["drop", "in-7"],
    'Cannot drop "in-7": no message of this id failed or waits; see troupe failed',
  ],
  [
    ["drop", "out-7"],
    'Cannot drop "out-7": no reply of this id waits or is in doubt; one that failed leaves troupe failed by itself',
  ],
])("%j says in one line why nothing can be done", async (args, why) => {
  assert.deepEqual(await run(...args), { code: 1, said: `Error: ${why}\n` });
});
