import assert from "node:assert/strict";
import { join } from "node:path";
import { until } from "../../support/until.ts";
import { Harness } from "./harness.ts";

const PAGE = new URL("../../../docs/channels/websocket.md", import.meta.url);
const TOKEN = "a-token";

Deno.test("The client that the page shows asks, and prints the answer as it grows", async () => {
  const page = await Deno.readTextFile(PAGE);
  const [, code = ""] = /```js ignore\n([^]*?)```/.exec(page) ?? [];
  await using harness = await Harness.ready({ section: { token: TOKEN } });
  const program = join(harness.folder.path, "client.mjs");
  await Deno.writeTextFile(program, code);
  const url = `ws://127.0.0.1:${harness.port}/`;
  const client = new Deno.Command(Deno.execPath(), {
    args: ["run", "--no-config", "-A", program, url, TOKEN, "The weather?"],
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const output = client.output();
  await until(() => harness.gateway.inbounds.length === 1, { timeoutMs: 20_000 });
  const [asked] = harness.gateway.inbounds;
  assert.partialDeepStrictEqual(asked, { content: "The weather?", senderId: "example" });
  const answer = { key: "k1", chatId: asked?.chatId ?? "" };
  await harness.deliver({ ...answer, phase: "growing", text: "It will" });
  await harness.deliver({ ...answer, text: "It will rain." });
  const { stdout, stderr } = await output;
  const lines = new TextDecoder().decode(stdout).trim().split("\n");
  assert.equal(lines.at(-1), "It will rain.", new TextDecoder().decode(stderr));
  assert.equal(lines[0], "It will");
});
