import assert from "node:assert/strict";
import { mock } from "node:test";
import { systemWorld } from "../../../actors/gateway/adapters/system_world.ts";
import { ModelServer, say } from "../../simulators/model_server.ts";
import { startInProcess } from "../../support/gateway_in_process.ts";
import { configFor, GatewayHome } from "../../support/gateway_process.ts";
import { LeapingClock } from "../../support/leaping_clock.ts";
import { until } from "../../support/until.ts";

/** A disk that fails at whatever is brought to it, until it is disposed of. */
function failingDisk(): Disposable {
  const failing = () => {
    throw new Error("Input/output error");
  };
  const file = Deno.FsFile.prototype;
  const mocks = [
    mock.method(file, "syncData", () => Promise.try(failing)).mock,
    mock.method(file, "syncDataSync", failing).mock,
  ];
  return { [Symbol.dispose]: () => mocks.forEach((mocked) => mocked.restore()) };
}

/** Lets time go on until `isSo`: waits of the gateway come to their end. */
async function leapUntil(clock: LeapingClock, isSo: () => boolean, what: string): Promise<void> {
  await until(async () => {
    await clock.leap(60_000);
    return isSo();
  }, { what });
}

Deno.test("A gateway whose disk failed at a sync asks to be started again, and goes on then", async () => {
  await using home = await GatewayHome.make();
  await using model = await ModelServer.start(() => say("yes"));
  const config = configFor({ model });
  const clock = new LeapingClock();
  let restarts = 0;
  await using running = await startInProcess(home, config, {
    world: { ...systemWorld(), clock },
    onRestart: () => restarts++,
  });
  {
    using _ = failingDisk();
    assert.equal(await running.probe.say("c1", "are you there?"), "refused");
  }
  await leapUntil(clock, () => restarts > 0, "the wish to be started again");
  // A turn that found the message waits for the disk; the stop does not: no time goes by.
  let isStopped = false;
  const stopping = Promise.resolve(running[Symbol.asyncDispose]()).finally(() => isStopped = true);
  try {
    await until(() => isStopped, { what: "the stop" });
  } finally {
    await leapUntil(clock, () => isStopped, "the end of all grace");
  }
  await stopping;
  await using again = await startInProcess(home, config);
  // It was written, though nobody could promise that it would last.
  await until(() => again.probe.textsOf("c1").length > 0, { what: "the answer" });
  assert.equal(await again.probe.say("c1", "good"), "accepted");
});
