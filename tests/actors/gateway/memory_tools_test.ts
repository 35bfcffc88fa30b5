import assert from "node:assert/strict";
import { join } from "node:path";
import { memoryTool } from "../../../actors/gateway/memory_tools.ts";
import { systemClock } from "../../../actors/kernel/adapters/system_clock.ts";
import type { JsonObject } from "../../../actors/kernel/json.ts";
import { DiskMemoryFiles } from "../../../actors/memory/adapters/disk_memory_files.ts";
import { memoryActor } from "../../../actors/memory/memory_actor.ts";
import { MemoryKeeper } from "../../../actors/memory/memory_keeper.ts";
import { memoryScope, type MemoryScopeSetting } from "../../../actors/memory/scope.ts";
import { FILE_TOOLS } from "../../../actors/tools/file_tools.ts";
import { newJournal } from "../memory/_dream.ts";
import { ManualClock } from "../../support/manual_clock.ts";
import { NO_SKILLS } from "../../support/no_skills.ts";
import { ScriptedProvider } from "../../support/scripted_provider.ts";
import { testSystem } from "../../support/system.ts";
import { toolBench } from "../../support/tool_context.ts";

async function bench(setting: MemoryScopeSetting = "global") {
  const tools = await toolBench();
  const home = testSystem();
  const files = new DiskMemoryFiles(tools.workspace);
  const keeper = new MemoryKeeper({ files, clock: systemClock, timezone: "UTC" });
  const ref = home.system.spawn(memoryActor({
    keeper,
    journal: newJournal(new ManualClock()),
    dream: {
      model: {
        ...{ provider: new ScriptedProvider([]), model: "m", tokensMax: 1, temperature: 0 },
        ...{ reasoningEffort: null, batchCharsMax: 1 },
        reserve: () => Promise.resolve({ state: "allowed", release: () => {} }),
        book: () => Promise.resolve(),
      },
      settings: { batchMax: 1, iterationsMax: 1, annotatesLineAges: false, timezone: "UTC" },
      mark: (text) => text,
      skills: NO_SKILLS,
      schedule: undefined,
      gate: () => undefined,
      alarm: () => {},
    },
  }));
  const memory = {
    ref,
    scopeOf: memoryScope.bind(undefined, setting),
    read: (path: string) => files.read(path),
  };
  const registry = new Map(FILE_TOOLS.map((tool) => [tool.name, memoryTool(tool, memory)]));
  return {
    ...tools,
    write: async (path: string, text: string) => {
      await Deno.mkdir(join(tools.workspace, path, ".."), { recursive: true });
      await Deno.writeTextFile(join(tools.workspace, path), text);
    },
    text: (path: string) => Deno.readTextFile(join(tools.workspace, path)),
    async run(name: string, args: JsonObject, senderId = "ou_1"): Promise<string> {
      const { context } = tools;
      const origin = { channel: "feishu", chatId: "oc_1", sessionKey: "feishu:oc_1", senderId };
      const result = await registry.get(name)?.call(args, { ...context, origin });
      return String(result?.content);
    },
    async [Symbol.asyncDispose]() {
      await home[Symbol.asyncDispose]();
      await tools[Symbol.asyncDispose]();
    },
  };
}

Deno.test.each(["SOUL.md", "./SOUL.md", "memory/../SOUL.md", "soul-link.md", "notes/SOUL.md"])(
  "edit_file changes %s, through the memory where it is a file of facts",
  async (path) => {
    await using home = await bench();
    await home.write("SOUL.md", "calm\n");
    await home.write("notes/SOUL.md", "calm\n");
    await Deno.symlink(join(home.workspace, "SOUL.md"), join(home.workspace, "soul-link.md"));
    const said = await home.run("edit_file", { path, old_text: "calm", new_text: "quick" });
    assert.match(said, /Edited/);
    const changed = path === "notes/SOUL.md" ? path : "SOUL.md";
    assert.equal(await home.text(changed), "quick\n");
  },
);

Deno.test("write_file replaces a file of facts only as the session has read it", async () => {
  await using home = await bench();
  await home.write("memory/MEMORY.md", "by hand\n");
  const write = () => home.run("write_file", { path: "memory/MEMORY.md", content: "new\n" });
  assert.match(await write(), /was not read, or has changed/);
  await home.run("read_file", { path: "memory/MEMORY.md" });
  await home.write("memory/MEMORY.md", "by hand again\n");
  assert.match(await write(), /was not read, or has changed/);
  assert.equal(await home.text("memory/MEMORY.md"), "by hand again\n");
  await home.run("read_file", { path: "memory/MEMORY.md" });
  assert.match(await write(), /Edited MEMORY\.md/);
  assert.equal(await home.text("memory/MEMORY.md"), "new\n");
  assert.match(await write(), /holds that already/);
  assert.match(
    await home.run("write_file", { path: "memory/MEMORY.md", content: "newer\n" }),
    /Edited/,
  );
});

Deno.test("With memory by person, USER.md is that of the person who asks", async () => {
  await using home = await bench("person");
  await home.write("USER.md", "everybody\n");
  await home.run("write_file", { path: "USER.md", content: "Anna\n" }, "ou_anna");
  assert.equal(await home.run("read_file", { path: "USER.md" }, "ou_anna"), "Anna\n");
  assert.match(await home.run("read_file", { path: "USER.md" }, "ou_bert"), /empty yet/);
  const said = await home.run(
    "edit_file",
    { path: "USER.md", old_text: "Anna", new_text: "Bert" },
    "ou_bert",
  );
  assert.match(said, /only for an empty file|does not stand there/);
  assert.equal(await home.text("USER.md"), "everybody\n");
  assert.equal(await home.text("memory/scopes/person%3Afeishu%3Aou%5Fanna/USER.md"), "Anna\n");
});

Deno.test("Edits that cannot be made say why", async () => {
  await using home = await bench();
  await home.write("SOUL.md", "a a\n");
  const edit = (args: JsonObject) => home.run("edit_file", { path: "SOUL.md", ...args });
  assert.match(await edit({ old_text: "a", new_text: "b" }), /2 times/);
  assert.match(await edit({ old_text: "x", new_text: "b" }), /does not stand there/);
  assert.match(await edit({ old_text: "a", new_text: "b", occurrence: 1 }), /by occurrence/);
  assert.match(await edit({ old_text: "a", new_text: "b", replace_all: true }), /Edited SOUL/);
  assert.equal(await home.text("SOUL.md"), "b b\n");
});
