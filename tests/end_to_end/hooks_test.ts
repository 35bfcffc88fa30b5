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

/** Hooks that cannot work: one that lets calls run all the same, and one that does not. */
function brokenHooks(home: GatewayHome) {
  const inWorkspace = join(home.path, "workspace", "..hooks", "hook.sh");
  return [
    { name: "mine", on: ["tool_before"], command: [inWorkspace], onFailure: "allow" },
    { name: "near", on: ["tool_before"], command: ["sh", "./hook.sh"], onFailure: "allow" },
    {
      name: "gone",
      on: ["tool_before"],
      tools: ["list_*"],
      module: join(home.path, "gone.ts"),
    },
  ];
}

Deno.test("Hooks keep calls from running, hear what happens, and are told of where they are off", async () => {
  await using home = await GatewayHome.make();
  await using model = await ModelServer.start([
    callTool("exec", { command: "./deploy.sh now" }),
    callTool("write_file", { path: "a.lock", content: "x" }),
    callTool("write_file", { path: "a.txt", content: "x" }),
    callTool("list_dir", { path: "." }),
    say("Done."),
  ]);
  const folder = join(home.path, "hooks");
  const placed = await placeHooks(folder);
  const config = configFor({ model, config: { hooks: [...placed.hooks, ...brokenHooks(home)] } });
  const lines: string[] = [];
  await using gateway = await startInProcess(home, config, { print: (line) => lines.push(line) });
  const start = lines.join("\n");
  assert.match(start, /^Hook no deploys: on tool_before$/m);
  assert.match(start, /^Hook mine: off: .+hook\.sh stands where the assistant could change it/m);
  assert.match(start, /^Hook near: off: .+hook\.sh stands where the assistant could change it/m);
  assert.match(start, /^Hook gone: off: .*; calls that it has to agree to are refused$/m);
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
  assert.match(results[3] ?? "", /not allowed: the hook "gone" has to agree/);
  await gateway[Symbol.asyncDispose]();
  assert.match(
    await Deno.readTextFile(join(folder, "diary/turns.txt")),
    /^probe:anna: done after 4 rounds\n$/,
  );
  const text = await Deno.readTextFile(placed.log);
  const told = text.trim().split("\n").map((line) => JSON.parse(line));
  const ofChat = told.filter(({ event }) => event !== "channel_state");
  assert.deepEqual(ofChat.map(({ event }) => event), [
    "message_in",
    "turn_start",
    ...["tool_after", "tool_after", "tool_after", "tool_after"],
    "turn_end",
    "message_out",
  ]);
  assert.equal(ofChat.at(-1).text, "Done.");
  const states = told.filter(({ event }) => event === "channel_state");
  assert.partialDeepStrictEqual(states[0], { channel: "probe", state: "ready" });
});
