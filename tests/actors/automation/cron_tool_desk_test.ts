import assert from "node:assert/strict";
import type { CronMessage, WrittenSchedule } from "../../../actors/automation/cron_protocol.ts";
import { cronToolDesk } from "../../../actors/automation/cron_tool_desk.ts";
import type { CronToolRequest } from "../../../actors/tools/cron.ts";
import type { ToolOrigin } from "../../../actors/tools/tool.ts";
import { testSystem } from "../../support/system.ts";
import { CronBench } from "./_cron.ts";

const CONTEXT = { ts: "1.2", thread_ts: "1.0" };
const IN_CHAT: ToolOrigin = { channel: "probe", chatId: "1", sessionKey: "probe:1", senderId: "a" };

/** Has the model plan a job in this place, and gives the message that its first run is. */
async function firstRun(origin: ToolOrigin) {
  const bench = new CronBench();
  await using world = testSystem();
  const cron = world.system.spawn<CronMessage>({
    name: "cron",
    create: () => ({
      receive: async (message) => {
        if (message.type !== "add_job") throw new Error(`unexpected ${message.type}`);
        message.replyTo.reply(await bench.keeper.add(message.draft, message.by));
      },
    }),
  });
  const desk = cronToolDesk({ cron: () => cron, timezone: "UTC", isOwner: () => true });
  const signal = new AbortController().signal;
  const answer = await desk({ action: "add", message: "Tea", every_seconds: 60 }, {
    origin: { context: CONTEXT, ...origin },
    signal,
  });
  assert.equal(answer.state, "done");
  bench.restart(); // what is not in the file is gone
  await bench.pass(60_000);
  const [run] = [...bench.runs.taken.values()];
  return [run?.sessionKey, run?.chatId, run?.context];
}

Deno.test.each<[string, Partial<ToolOrigin>, unknown]>([
  ["a thread", { sessionKey: "probe:1:thread:9" }, ["probe:1:thread:9", "1", CONTEXT]],
  ["a chat", {}, ["probe:1", "1", {}]],
  ["a unified conversation", { sessionKey: "unified:default" }, ["unified:default", "1", {}]],
  ["a subagent's result in a thread", {
    sessionKey: "probe:1:thread:9",
    source: "subagent",
  }, ["probe:1:thread:9", "1", CONTEXT]],
  ["the heartbeat", { sessionKey: "heartbeat", source: "heartbeat" }, ["probe:1", "1", {}]],
])("A job made in %s answers there", async (_place, change, expected) => {
  assert.deepEqual(await firstRun({ ...IN_CHAT, ...change }), expected);
});

Deno.test.each<[Partial<CronToolRequest>, WrittenSchedule]>([
  [{ every_seconds: 60 }, { everySeconds: 60 }],
  [{ every_seconds: 0, cron_expr: "0 9 * * *", at: "" }, { expr: "0 9 * * *" }],
  [{ every_seconds: 0, at: "+1h", tz: " " }, { at: "+1h" }],
  [{ every_seconds: 0 }, { everySeconds: 0 }],
  [{ every_seconds: 60, at: "+1h" }, { everySeconds: 60, at: "+1h" }],
])("What a model says with %j is the schedule %j", async (request, expected) => {
  let asked: WrittenSchedule = {};
  await using world = testSystem();
  const cron = world.system.spawn<CronMessage>({
    name: "cron",
    create: () => ({
      receive: (message) => {
        if (message.type !== "add_job") return assert.fail(message.type);
        asked = message.draft.schedule;
        message.replyTo.reply({ state: "refused", why: "invalid", reason: "Not today" });
      },
    }),
  });
  const desk = cronToolDesk({ cron: () => cron, timezone: "UTC", isOwner: () => true });
  const scene = { origin: IN_CHAT, signal: new AbortController().signal };
  const answer = await desk({ action: "add", message: "Tea", ...request }, scene);
  assert.deepEqual(answer, { state: "problem", problem: "Not today" });
  assert.deepEqual(JSON.parse(JSON.stringify(asked)), expected);
});
