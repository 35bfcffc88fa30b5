import assert from "node:assert/strict";
import type { CronMessage } from "../../../actors/automation/cron_protocol.ts";
import { cronToolDesk } from "../../../actors/automation/cron_tool_desk.ts";
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
