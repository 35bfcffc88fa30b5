import assert from "node:assert/strict";
import type { JsonObject } from "../../../actors/kernel/json.ts";
import { cronTool, type CronToolRequest } from "../../../actors/tools/cron.ts";
import type { ToolOrigin } from "../../../actors/tools/tool.ts";
import { ToolRegistry } from "../../../actors/tools/registry.ts";
import { ManualClock } from "../../support/manual_clock.ts";
import { toolBench } from "../../support/tool_context.ts";

const IN_CHAT: ToolOrigin = { channel: "probe", chatId: "1", sessionKey: "probe:1", senderId: "a" };

/** Uses the tool in a place, and gives what the model reads and what the desk was asked. */
async function use(args: JsonObject, origin: Partial<ToolOrigin> = {}) {
  await using bench = await toolBench();
  const asked: { request: CronToolRequest; origin: ToolOrigin }[] = [];
  const tool = cronTool((request, scene) => {
    asked.push({ request, origin: scene.origin });
    return Promise.resolve({ state: "done", text: "done" });
  });
  const registry = new ToolRegistry(new ManualClock(), [tool]);
  const context = { ...bench.context, origin: { ...IN_CHAT, ...origin } };
  const { content } = await registry.run("cron", args, context);
  return { content, asked };
}

Deno.test("The schema of cron asks for action alone, and says what else an action needs", () => {
  const { parameters } = cronTool(() => assert.fail());
  assert.deepEqual(parameters["required"], ["action"]);
  for (const word of ["oneOf", "anyOf", "allOf", "not", "enum"]) assert.ok(!(word in parameters));
  assert.match(JSON.stringify(parameters["properties"]), /REQUIRED for add.*REQUIRED for update/);
});

Deno.test.each<[JsonObject, Partial<ToolOrigin>, RegExp]>([
  [{ action: "list" }, {}, /^done$/],
  [{ action: "list" }, { source: "cron" }, /^done$/],
  [{ action: "remove", job_id: "a1" }, { source: "cron" }, /^done$/],
  [{ action: "remove" }, {}, /^Error: .*without job_id: list shows the ids/],
  [{ action: "pause", job_id: " " }, {}, /^Error: .*without job_id/],
  [{ action: "add" }, {}, /^Error: .*without message: say in message what .* try again/],
  [{ action: "add", message: "  " }, {}, /^Error: .*without message/],
  [{ action: "add", message: "Tea" }, { source: "cron" }, /^Error: .*from within a job/],
  [{ action: "add", message: "Tea" }, { channel: "system" }, /^Error: .*no chat/],
  [{ action: "add", message: "Tea" }, {}, /^done$/],
])("cron asked for %j in %j answers with %s", async (args, origin, expected) => {
  assert.match(String((await use(args, origin)).content), expected);
});

Deno.test("Two chats that plan at once each plan for themselves", async () => {
  const add = { action: "add", message: "Tea", at: "+1h" };
  const both = await Promise.all(["1", "2"].map((chatId) => use(add, { chatId })));
  assert.deepEqual(both.map(({ asked }) => asked.map(({ origin }) => origin.chatId)), [["1"], [
    "2",
  ]]);
});
