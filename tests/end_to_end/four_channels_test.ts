import assert from "node:assert/strict";
import { lastUserText, ModelServer, say } from "../simulators/model_server.ts";
import { startInProcess } from "../support/gateway_in_process.ts";
import { configFor, GatewayHome } from "../support/gateway_process.ts";
import { askOnce, type Crowd, gatherCrowds } from "../support/platform_crowds.ts";
import { until } from "../support/until.ts";

const PEOPLE = 20;
/** What else the machine does may cost as much; waiting for the broken platform would cost more. */
const NOISE_FACTOR = 2;
const NOISE_MS = 1_000;

Deno.test("One platform that fails hard leaves the answers of the others as fast as they were", async () => {
  await using home = await GatewayHome.make();
  await using model = await ModelServer.start((request) =>
    say("echo ", lastUserText(request).split("\n").at(-1) ?? "")
  );
  await using owned = new AsyncDisposableStack();
  const crowds = (await gatherCrowds(PEOPLE)).map((crowd) => owned.use(crowd));
  const channels = Object.fromEntries(crowds.map(({ channel, section }) => [channel, section]));
  await using running = await startInProcess(home, { ...configFor({ model }), channels });
  const { gateway } = running;
  for (const crowd of crowds) await isReady(gateway, crowd);
  await askOnce(crowds, "warm up");
  let beforeMs = median(await askOnce(crowds, "all is well"));

  for (const broken of crowds) {
    const others = crowds.filter((crowd) => crowd !== broken);
    // What is on its way at that moment would be in doubt, and repeated with a word on it.
    await until(async () => (await gateway.health()).channels[broken.channel]?.outbox === 0);
    broken.goOffline();
    for (let person = 0; person < PEOPLE; person++) broken.say(person, "into the void");
    const brokenMs = median(await askOnce(others, `without ${broken.channel}`));
    const { status, channels: report } = await gateway.health();
    assert.equal(status, "ok");
    for (const { channel } of others) {
      assert.equal(report[channel]?.restarts, 0, `${channel}: ${report[channel]?.last_error}`);
    }
    broken.comeBack();
    await isReady(gateway, broken);
    const afterMs = median(await askOnce(others, `with ${broken.channel}`));
    assert.ok(
      brokenMs <= Math.max(beforeMs, afterMs) * NOISE_FACTOR + NOISE_MS,
      `${brokenMs} ms without ${broken.channel}, ${beforeMs} ms before, ${afterMs} ms after`,
    );
    beforeMs = afterMs;
  }

  await until(() => crowds.every(isWhole), { what: "all answers", timeoutMs: 60_000 });
  nothingShowsTwice(crowds);
});

Deno.test("One platform that refuses every answer for now leaves the others as fast as they were", async () => {
  await using home = await GatewayHome.make();
  await using model = await ModelServer.start((request) =>
    say("echo ", lastUserText(request).split("\n").at(-1) ?? "")
  );
  await using owned = new AsyncDisposableStack();
  const crowds = (await gatherCrowds(PEOPLE)).map((crowd) => owned.use(crowd));
  const channels = Object.fromEntries(crowds.map(({ channel, section }) => [channel, section]));
  await using running = await startInProcess(home, { ...configFor({ model }), channels });
  const { gateway } = running;
  for (const crowd of crowds) await isReady(gateway, crowd);
  await askOnce(crowds, "warm up");
  const beforeMs = median(await askOnce(crowds, "all is well"));
  for (const broken of crowds) {
    const others = crowds.filter((crowd) => crowd !== broken);
    broken.refuseSends();
    for (let person = 0; person < PEOPLE; person++) broken.say(person, "into the void");
    const brokenMs = median(await askOnce(others, `without ${broken.channel}`));
    broken.recover();
    assert.ok(
      brokenMs <= beforeMs * NOISE_FACTOR + NOISE_MS,
      `${brokenMs} ms without ${broken.channel}, ${beforeMs} ms before`,
    );
    await until(() => isWhole(broken), { what: "the answers", timeoutMs: 60_000 });
  }
  nothingShowsTwice(crowds);
});

function isReady(
  gateway: Awaited<ReturnType<typeof startInProcess>>["gateway"],
  { channel }: Crowd,
): Promise<void> {
  return until(async () => (await gateway.health()).channels[channel]?.state === "ready", {
    what: `${channel} is ready`,
    timeoutMs: 60_000,
  });
}

function nothingShowsTwice(crowds: readonly Crowd[]): void {
  for (const crowd of crowds) {
    for (let person = 0; person < PEOPLE; person++) {
      const texts = crowd.answers(person);
      assert.equal(new Set(texts).size, texts.length, `${crowd.channel}: ${texts}`);
    }
  }
}

function median(sorted: readonly number[]): number {
  return sorted[Math.floor(sorted.length / 2)] ?? NaN;
}

function isWhole(crowd: Crowd): boolean {
  return Array.from({ length: crowd.people }, (_, person) => crowd.answers(person))
    .every((texts) => texts.includes("echo into the void"));
}
