import assert from "node:assert/strict";
import { systemWorld } from "../../../actors/gateway/adapters/system_world.ts";
import { journalPath } from "../../../actors/gateway/state_journal.ts";
import { openSqliteJournal } from "../../../actors/journal/sqlite_journal.ts";
import { nextTurn } from "../../../actors/kernel/adapters/event_loop.ts";
import { ModelServer, say } from "../../simulators/model_server.ts";
import { startInProcess } from "../../support/gateway_in_process.ts";
import { configFor, GatewayHome } from "../../support/gateway_process.ts";
import { LeapingClock } from "../../support/leaping_clock.ts";
import { until } from "../../support/until.ts";
import { anInbound } from "../journal/fixtures.ts";

/** A home whose gateway died with one message waiting. */
async function leaveMessage(home: GatewayHome, clock: LeapingClock): Promise<void> {
  const path = journalPath(`${home.path}/state`);
  await using journal = openSqliteJournal({ path, clock, defer: nextTurn });
  const left = { channel: "probe", chatId: "c1", sessionKey: "probe:c1", content: "still there?" };
  await journal.accept(anInbound(left));
}

Deno.test.each(
  [
    ["the first look at its health", async (look: () => Promise<unknown>) => void await look()],
    ["a moment without one", async (_look: unknown, clock: LeapingClock) => await clock.leap(60)],
  ] as const,
)("A gateway goes on with what was left after %s, not before", async (_after, pass) => {
  await using home = await GatewayHome.make();
  await using model = await ModelServer.start(() => say("yes"));
  const clock = new LeapingClock();
  await leaveMessage(home, clock);
  await using running = await startInProcess(home, configFor({ model }), {
    world: { ...systemWorld(), clock },
  });
  const { probe } = running;
  assert.equal(await probe.say("c2", "hello"), "accepted");
  await until(() => probe.textsOf("c2").includes("yes"), { what: "an answer to what is new" });
  assert.deepEqual([probe.textsOf("c1"), model.requests.length], [[], 1]);
  await pass(() => running.gateway.health(), clock);
  await until(() => probe.textsOf("c1").includes("yes"), { what: "the answer to what was left" });
});
