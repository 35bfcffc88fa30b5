import assert from "node:assert/strict";
import { join } from "node:path";
import { callTool, type ModelReply, ModelServer, say } from "../simulators/model_server.ts";
import { startInProcess } from "../support/gateway_in_process.ts";
import { configFor, GatewayHome } from "../support/gateway_process.ts";
import { until } from "../support/until.ts";

function editing(path: string, from: string, to: string): ModelReply {
  return callTool("edit_file", { path, old_text: from, new_text: to });
}

Deno.test("A model's edit of SOUL.md is a version; Dream remembers; and both can be taken back", async () => {
  await using home = await GatewayHome.make();
  const soul = join(home.path, "workspace/SOUL.md");
  await using model = await ModelServer.start([
    editing("SOUL.md", "calm", "cheerful"),
    say("I am cheerful now."),
    say("[MEMORY] Anna drinks tea"),
    editing("memory/MEMORY.md", "## Notes", "## Notes\n\n- Anna drinks tea"),
    say("Done."),
  ]);
  await Deno.mkdir(join(home.path, "workspace/memory"), { recursive: true });
  await Deno.writeTextFile(soul, "I am calm.\n");
  const entry = { cursor: 1, timestamp: "2026-04-30 12:00", content: "Anna drinks tea" };
  const history = join(home.path, "workspace/memory/history.jsonl");
  await Deno.writeTextFile(history, `${JSON.stringify(entry)}\n`);
  await using running = await startInProcess(home, configFor({ model }));
  const { probe } = running;
  const answer = async (said: string, pattern: RegExp) => {
    await probe.say("p1", said);
    await until(() => probe.textsOf("p1").some((text) => pattern.test(text)), {
      what: `${pattern} in ${JSON.stringify(probe.textsOf("p1"))}`,
      timeoutMs: 20_000,
    });
    return probe.textsOf("p1").findLast((text) => pattern.test(text)) ?? "";
  };
  await answer("Be cheerful", /cheerful now/);
  assert.equal(await Deno.readTextFile(soul), "I am cheerful.\n");
  await answer("/dream", /Dream has started/);
  await answer("/status", /Version/);
  await answer("/help", /dream-restore/);
  await until(() => probe.textsOf("p1").some((text) => /Dream is done after/.test(text)), {
    what: `the end of Dream in ${JSON.stringify(probe.textsOf("p1"))}`,
    timeoutMs: 20_000,
  });
  const memory = join(home.path, "workspace/memory/MEMORY.md");
  assert.match(await Deno.readTextFile(memory), /## Notes\n\n- Anna drinks tea/);
  const log = await answer("/dream-log", /Memory version/);
  assert.match(log, /Changed: memory\/MEMORY.md\n/);
  assert.match(log, /^\+- Anna drinks tea$/m);
  const list = await answer("/dream-restore", /newest first/);
  const id = /^([0-9a-f]{8}) .* Asked for in probe:p1$/m.exec(list)?.[1] ?? "";
  await answer(`/dream-restore ${id}`, /Took back/);
  assert.equal(await Deno.readTextFile(soul), "I am calm.\n");
  assert.match(await Deno.readTextFile(memory), /Anna drinks tea/);
});

Deno.test("What one person told is neither shown nor read to another, where memory is by person", async () => {
  await using home = await GatewayHome.make();
  const read = (path: string) => callTool("read_file", { path });
  await using model = await ModelServer.start([
    callTool("write_file", { path: "memory/MEMORY.md", content: "- the code is 4711\n" }),
    say("Noted."),
    read("memory/MEMORY.md"),
    read("memory/scopes/person%3Aprobe%3Aanna/MEMORY.md"),
    callTool("grep", { pattern: "4711" }),
    read(".nanobot/tool-results/probe_3Aanna/1.txt"),
    callTool("exec", { command: "cat .nanobot/tool-results/*/*" }),
    callTool("read_file", { path: "sessions/probe_anna.jsonl" }),
    say("I know nothing."),
    read("memory/MEMORY.md"),
    say("I know it."),
  ]);
  const bucket = join(home.path, "workspace/.nanobot/tool-results/probe_3Aanna");
  await Deno.mkdir(bucket, { recursive: true });
  await Deno.writeTextFile(join(bucket, "1.txt"), "4711\n");
  const config = configFor({
    model,
    defaults: { memoryScope: "person" },
    config: { tools: { exec: { sandbox: "virtual" } } },
  });
  await using running = await startInProcess(home, config);
  const { probe } = running;
  const answered = async (chat: string, said: string, text: string) => {
    await probe.say(chat, said);
    await until(() => probe.textsOf(chat).includes(text), {
      what: `"${text}" in ${JSON.stringify(probe.textsOf(chat))}`,
      timeoutMs: 20_000,
    });
  };
  await answered("anna", "Remember the code 4711", "Noted.");
  await answered("bert", "What is the code?", "I know nothing.");
  const seen = model.requests.slice(2, 9).map(({ body }) => JSON.stringify(body));
  for (const request of seen) {
    assert.doesNotMatch(request.replaceAll('\\"pattern\\":\\"4711\\"', ""), /4711/);
  }
  assert.match(seen.at(-1) ?? "", /not allowed/);
  assert.match(seen.at(-1) ?? "", /No such file or directory\\nExit code: 1/);
  await answered("anna", "What is the code?", "I know it.");
  assert.match(JSON.stringify(model.requests.at(-2)?.body), /# Memory.*the code is 4711/);
});
