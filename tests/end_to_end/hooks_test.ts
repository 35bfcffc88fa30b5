import assert from "node:assert/strict";
import { join } from "node:path";
import { z } from "zod";
import { callTool, ModelServer, say } from "../simulators/model_server.ts";
import { startInProcess } from "../support/gateway_in_process.ts";
import { configFor, GatewayHome } from "../support/gateway_process.ts";
import { until } from "../support/until.ts";

const PAGE = await Deno.readTextFile(new URL("../../docs/hooks.md", import.meta.url));

/** The example of a language in the handbook. */
function example(language: string): string {
  const text = new RegExp(`\`\`\`${language}\n([\\s\\S]*?)\n\`\`\``).exec(PAGE)?.[1];
  assert.ok(text !== undefined, `docs/hooks.md has an example in ${language}`);
  return text;
}

/** The handbook's configuration, its hooks in `folder`, and one more that writes all events down. */
async function placeHooks(folder: string) {
  await Deno.mkdir(join(folder, "diary"), { recursive: true });
  await Deno.writeTextFile(join(folder, "no_deploys.sh"), example("sh"), { mode: 0o755 });
  await Deno.writeTextFile(join(folder, "diary.ts"), example("ts"));
  const { hooks } = z.object({ hooks: z.array(z.json()) })
    .parse(JSON.parse(example("json").replaceAll("~/hooks", folder)));
  const names = ["message_in", "turn_start", "tool_after", "turn_end", "message_out"];
  const log = join(folder, "log.jsonl");
  const events = [...names, "channel_state"];
  return { log, hooks: [...hooks, { name: "log", on: events, command: ["tee", "-a", log] }] };
}

Deno.test("The hooks of the handbook keep calls from running, and hear what happens", async () => {
  await using home = await GatewayHome.make();
  await using model = await ModelServer.start([
    callTool("exec", { command: "./deploy.sh now" }),
    callTool("write_file", { path: "a.lock", content: "x" }),
    callTool("write_file", { path: "a.txt", content: "x" }),
    say("Done."),
  ]);
  const folder = join(home.path, "hooks");
  const { hooks, log } = await placeHooks(folder);
  await using gateway = await startInProcess(home, configFor({ model, config: { hooks } }));
  await gateway.probe.say("anna", "Deploy it");
  await until(() => gateway.probe.textsOf("anna").includes("Done."));
  const results = (model.requests.at(-1)?.body.messages ?? [])
    .filter(({ role }) => role === "tool").map(({ content }) => String(content));
  assert.match(results[0] ?? "", /^Error: exec was not allowed: .*deployments are for people/);
  assert.match(
    results[1] ?? "",
    /^Error: write_file was not allowed: .*a\.lock is made by programs/,
  );
  assert.match(results[2] ?? "", /a\.txt/);
  await gateway[Symbol.asyncDispose]();
  assert.match(
    await Deno.readTextFile(join(folder, "diary/turns.txt")),
    /^probe:anna: done after 3 rounds\n$/,
  );
  const told = (await Deno.readTextFile(log)).trim().split("\n").map((line) => JSON.parse(line));
  const ofChat = told.filter(({ event }) => event !== "channel_state");
  assert.deepEqual(ofChat.map(({ event }) => event), [
    "message_in",
    "turn_start",
    ...["tool_after", "tool_after", "tool_after"],
    "turn_end",
    "message_out",
  ]);
  assert.equal(ofChat.at(-1).text, "Done.");
  const states = told.filter(({ event }) => event === "channel_state");
  assert.partialDeepStrictEqual(states[0], { channel: "probe", state: "ready" });
});

Deno.test("A hook that cannot work says so, and what it has to agree to does not run", async () => {
  await using home = await GatewayHome.make();
  await using model = await ModelServer.start([
    callTool("list_dir", { path: "." }),
    say("Well."),
  ]);
  const inWorkspace = join(home.path, "workspace", "hook.sh");
  const hooks = [
    { name: "mine", on: ["tool_before"], command: [inWorkspace], onFailure: "allow" },
    { name: "gone", on: ["tool_before"], module: join(home.path, "gone.ts") },
  ];
  const lines: string[] = [];
  const config = configFor({ model, config: { hooks } });
  await using gateway = await startInProcess(home, config, { print: (line) => lines.push(line) });
  const text = lines.join("\n");
  assert.match(text, /^Hook mine: off: \S+hook\.sh stands where the assistant could change it/m);
  assert.match(text, /^Hook gone: off: .*; calls that it has to agree to are refused$/m);
  await gateway.probe.say("anna", "Look");
  await until(() => gateway.probe.textsOf("anna").includes("Well."));
  const result = model.requests.at(-1)?.body.messages.find(({ role }) => role === "tool");
  assert.match(String(result?.content), /not allowed: the hook "gone" has to agree/);
});
