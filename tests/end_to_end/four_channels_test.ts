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

Deno.test("Platforms that fail hard leave the answers of the others as fast as they were", async () => {
  await using home = await GatewayHome.make();
  await using model = await ModelServer.start((request) =>
    say("echo ", lastUserText(request).split("\n").at(-1) ?? "")
  );
  await using owned = new AsyncDisposableStack();
  const crowds = (await gatherCrowds(PEOPLE)).map((crowd) => owned.use(crowd));
  const sections = Object.fromEntries(crowds.map(({ channel, section }) => [channel, section]));
  // Many quick attempts: a row that ran out of them would rest for longer than the test.
  const channels = { sendMaxRetries: 10, ...sections };
  await using running = await startInProcess(home, { ...configFor({ model }), channels });
  const { gateway } = running;
  for (const crowd of crowds) await isReady(gateway, crowd);
  await askOnce(crowds, "warm up");
  let beforeMs = median(await askOnce(crowds, "all is well"));

  // Each platform goes away once, and once refuses every answer.
  for (const [index, away] of crowds.entries()) {
    const busy = crowds[(index + 1) % crowds.length] ?? away;
    const others = crowds.filter((crowd) => crowd !== away && crowd !== busy);
    // What is on its way at that moment would be in doubt, and repeated with a word on it.
    await until(async () => (await gateway.health()).channels[away.channel]?.outbox === 0);
    away.goOffline();
    busy.refuseSends();
    for (const broken of [away, busy]) {
      for (let person = 0; person < PEOPLE; person++) broken.say(person, `into the void ${index}`);
    }
    const what = `without ${away.channel} and ${busy.channel}`;
    const brokenMs = median(await askOnce(others, what));
    const { status, channels: report } = await gateway.health();
    assert.equal(status, "ok");
    for (const { channel } of others) {
      assert.equal(report[channel]?.restarts, 0, `${channel}: ${report[channel]?.last_error}`);
    }
    away.comeBack();
    busy.recover();
    await isReady(gateway, away);
    const afterMs = median(await askOnce(others, `with ${away.channel}`));
    assert.ok(
      brokenMs <= Math.max(beforeMs, afterMs) * NOISE_FACTOR + NOISE_MS,
      `${brokenMs} ms ${what}, ${beforeMs} ms before, ${afterMs} ms after`,
    );
    const answer = `echo into the void ${index}`;
    await until(() => [away, busy].every((crowd) => isAnswered(crowd, answer)), {
      what: "all answers",
      timeoutMs: 60_000,
    });
    beforeMs = afterMs;
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

function isAnswered(crowd: Crowd, answer: string): boolean {
  return Array.from({ length: crowd.people }, (_, person) => crowd.answers(person))
    .every((texts) => texts.includes(answer));
}
