import assert from "node:assert/strict";
import { configFor, GatewayHome } from "../support/gateway_process.ts";
import { startInProcess } from "../support/gateway_in_process.ts";
import { until } from "../support/until.ts";
import { FeishuPlatform } from "../simulators/feishu_server.ts";
import { lastUserText, ModelServer, say } from "../simulators/model_server.ts";

const FAULTY_ENTRY = new URL("../support/faulty_worker_entry.ts", import.meta.url);

/** Answers each message with its own last words. */
function echo(): Promise<ModelServer> {
  return ModelServer.start((request) =>
    say("echo ", lastUserText(request).split("\n").at(-1) ?? "")
  );
}

Deno.test.each([["throw", "reject"], ["exit", "close"]])(
  "A Feishu Worker that dies by %s, then by %s, comes back; nothing is lost, doubled or held up",
  async (first, second) => {
    await using home = await GatewayHome.make();
    await using platform = await FeishuPlatform.start({
      redelivery: { acknowledgeWithinMs: 300, delaysMs: [300, 1_000, 3_000, 5_000] },
    });
    await using model = await echo();
    await using running = await startInProcess(home, configFor({ model, feishu: platform }), {
      workerEntry: FAULTY_ENTRY,
    });
    const { probe, gateway } = running;
    await platform.connected({ timeoutMs: 30_000 });
    using faults = new FaultLine();
    const answers = () => platform.chat("ou_alice").fromBot.map(({ text }) => text);
    const expected: string[] = [];
    const isAnswered = async (text: string) => {
      platform.userSays({ text });
      expected.push(`echo ${text}`);
      await until(() => answers().includes(`echo ${text}`), { what: text, timeoutMs: 30_000 });
    };
    const isUndisturbed = async (text: string) => {
      const count = probe.textsOf("p1").length;
      assert.equal(await probe.say("p1", text), "accepted");
      await until(() => probe.textsOf("p1").length === count + 1, { what: "the other channel" });
    };

    for (const [index, fault] of [first, second].entries()) {
      await isAnswered(`before ${fault}`);
      faults.plant(fault);
      await until(
        async () => (await gateway.health()).channels["feishu"]?.restarts === index + 1,
        { what: "the fault noticed", timeoutMs: 30_000 },
      );
      const meanwhile = isAnswered(`meanwhile ${fault}`);
      for (let n = 0; n < 5; n++) await isUndisturbed(`undisturbed by ${fault} ${n}`);
      await meanwhile;
      assert.deepEqual(answers(), expected);
      const health = await gateway.health();
      assert.deepEqual(
        [health.status, health.channels["feishu"]?.state, health.channels["probe"]?.restarts],
        ["ok", "ready", 0],
      );
    }
  },
);

Deno.test("A socket that is lost for a while comes back; nothing is lost or doubled", async () => {
  await using home = await GatewayHome.make();
  await using platform = await FeishuPlatform.start({
    redelivery: { acknowledgeWithinMs: 500, delaysMs: [500, 2_000, 5_000, 10_000] },
  });
  await using model = await echo();
  await using running = await startInProcess(home, configFor({ model, feishu: platform }));
  const { probe } = running;
  await platform.connected({ timeoutMs: 30_000 });
  platform.userSays({ text: "before" });
  await until(() => platform.chat("ou_alice").fromBot[0]?.text === "echo before");

  platform.goOffline();
  platform.userSays({ text: "into the void" });
  for (let n = 0; n < 10; n++) {
    assert.equal(await probe.say("p1", `undisturbed ${n}`), "accepted");
    await until(() => probe.textsOf("p1").length === n + 1, { what: "the other channel" });
  }
  await until(
    async () =>
      (await running.gateway.health()).channels["feishu"]?.detail.includes("attempt 3") === true,
    { what: "several failed attempts", timeoutMs: 30_000 },
  );
  platform.comeBack();
  const answers = () => platform.chat("ou_alice").fromBot.map(({ text }) => text);
  await until(() => answers().includes("echo into the void"), {
    what: "the answer after the outage",
    timeoutMs: 40_000,
  });
  assert.deepEqual(answers(), ["echo before", "echo into the void"]);
});

/** The way to the planted faults of `faulty_worker_entry.ts`. */
class FaultLine implements Disposable {
  readonly #channel = new BroadcastChannel("test.worker_faults");

  plant(fault: string): void {
    this.#channel.postMessage(fault);
  }

  [Symbol.dispose](): void {
    this.#channel.close();
  }
}
