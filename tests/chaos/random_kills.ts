/**
 * Kills a gateway under load at random moments, again and again.
 * @module
 */

import { type Random, seededRandom } from "../../actors/kernel/random.ts";
import { join } from "node:path";
import { z } from "zod";
import { GatewayHome, GatewayProcess, runTroupe } from "../support/gateway_process.ts";
import { until } from "../support/until.ts";
import { FeishuPlatform, NO_LIMITS } from "../simulators/feishu_server.ts";
import { ModelServer } from "../simulators/model_server.ts";
import { checkFiles, checkNothingLost } from "./check.ts";
import { answerMarks, marked } from "./marked_talk.ts";

/** How long and how hard. */
export interface RandomKillsOptions {
  readonly seed: number;
  readonly kills: number;
  /** Share of REST answers that fail, are lost, or never come. */
  readonly faultShare: number;
  readonly report: (line: string) => void;
}

const CHATS = 6;
const MESSAGES_PER_LIFE = 8;
/** What a failure shows. */
const SHOWN_REQUESTS = 8;
const SHOWN_MESSAGES = 4;
const SHOWN_LINES = 80;
/** Between two looks at the health of a gateway that is about to finish. */
const HEALTH_PAUSE_MS = 100;
/** Longest life of a process, counted from the moment it is connected. */
const LIFE_MS_MAX = 1_500;

/**
 * Runs the chaos and checks what is left.
 *
 * @throws what the check finds
 */
export async function runRandomKills(options: RandomKillsOptions): Promise<void> {
  const random = seededRandom(options.seed);
  await using home = await GatewayHome.make();
  await using platform = await FeishuPlatform.start({
    redelivery: { acknowledgeWithinMs: 300, delaysMs: [1_000, 1_000, 1_000] },
    limits: NO_LIMITS,
  });
  await using model = await ModelServer.start((request) => moody(answerMarks(request), random));
  const setUp = { model, feishu: platform };
  plantFaults(platform, random, options.faultShare);
  let messages = 0;
  for (let kill = 0; kill < options.kills; kill++) {
    await using gateway = await GatewayProcess.start(home, setUp);
    await platform.connected({ timeoutMs: 60_000 });
    for (let n = 0; n < MESSAGES_PER_LIFE; n++) {
      const text = marked(messages++, { runsCommand: random.next() < 0.3 });
      platform.userSays({ openId: `ou_${Math.floor(random.next() * CHATS)}`, text });
    }
    await live(random.next() * LIFE_MS_MAX / 2);
    if (random.next() < 0.3) {
      for (const connection of platform.openConnections) connection.cut();
    }
    await live(random.next() * LIFE_MS_MAX / 2);
    await gateway.kill();
    options.report(`kill ${kill + 1} of ${options.kills}, ${messages} messages so far`);
  }
  await using gateway = await GatewayProcess.start(home, setUp);
  await platform.connected({ timeoutMs: 60_000 });
  await redeliverAll(platform);
  const parked = await retryParked(home, gateway);
  if (parked > 0) options.report(`${parked} messages were set aside for their deaths, now retried`);
  try {
    await checkNothingLost({ home, platform, messages, timeoutMs: 120_000 });
    await gateway.stop();
    await checkFiles(home);
  } catch (error) {
    options.report(await whatIsKnown(home, gateway, model));
    await keepEvidence(home, platform, model);
    options.report(`The home is kept: ${home.path}`);
    throw error;
  }
  options.report(`${messages} messages, each answered once`);
}

/**
 * The platform gives up after a few attempts: what a person would send again, it sends again. An
 * acknowledgement that the platform finds late, because the machine is busy, counts.
 */
async function redeliverAll(platform: FeishuPlatform): Promise<void> {
  const open = new Set(platform.events.filter(({ isAcknowledged }) => !isAcknowledged));
  for (const event of open) event.acknowledged.then(() => open.delete(event), () => {});
  platform.redeliverUnacknowledged();
  await until(() => open.size === 0, {
    timeoutMs: 60_000,
    what: "an acknowledgement of each message",
  });
}

/** How the last gateway is, what it said last, and what the model was asked last. */
async function whatIsKnown(
  home: GatewayHome,
  gateway: GatewayProcess,
  model: ModelServer,
): Promise<string> {
  const health = await gateway.health().catch(String);
  const { stdout: stranded } = await runTroupe(["failed", "--json"], home.path);
  const asked = model.requests.slice(-SHOWN_REQUESTS).map(({ end, body: { messages } }) =>
    `${end}: ${JSON.stringify(messages.slice(-SHOWN_MESSAGES))}`
  );
  const said = gateway.output.split("\n").slice(-SHOWN_LINES);
  return [JSON.stringify(health), stranded, ...asked, ...said].join("\n");
}

/** Leaves the home on disk, with what people saw and what the model was asked beside it. */
async function keepEvidence(
  home: GatewayHome,
  platform: FeishuPlatform,
  model: ModelServer,
): Promise<void> {
  home.keep();
  const chats = platform.chats.map((chat) =>
    chat.messages.map(({ from, text, card }) => ({ from, text, isStreaming: card?.isStreaming }))
  );
  const asked = model.requests.map(({ end, body: { messages } }) => ({ end, messages }));
  await Deno.writeTextFile(join(home.path, "chats.json"), JSON.stringify(chats, null, 1));
  await Deno.writeTextFile(join(home.path, "asked.json"), JSON.stringify(asked, null, 1));
}

/**
 * A message whose turn died three times without getting anywhere is set aside, and its sender told:
 * here a person takes them up again, as `failed` and `retry` let them.
 */
async function retryParked(home: GatewayHome, gateway: GatewayProcess): Promise<number> {
  await until(async () => {
    await live(HEALTH_PAUSE_MS);
    const { turns, queue } = healthSchema.parse(await gateway.health());
    return turns.running === 0 && queue.accepted === 0;
  }, { timeoutMs: 60_000, what: "the end of all turns" });
  const { stdout } = await runTroupe(["failed", "--json"], home.path);
  const parked = strandedSchema.parse(JSON.parse(stdout)).filter(({ state }) => state === "parked");
  for (const { id } of parked) await runTroupe(["retry", id], home.path);
  return parked.length;
}

const healthSchema = z.object({
  turns: z.object({ running: z.number() }),
  queue: z.object({ accepted: z.number() }),
});
const strandedSchema = z.array(z.object({ id: z.string(), state: z.string() }));

/** Real time, as real processes live in it. */
function live(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** A model that sometimes is busy before it answers. */
function moody(reply: ReturnType<typeof answerMarks>, random: Random): typeof reply {
  if (random.next() >= 0.05) return reply;
  return { status: 503, body: { error: { message: "overloaded" } } };
}

function plantFaults(platform: FeishuPlatform, random: Random, share: number): void {
  const isDue = () => random.next() < share;
  const options = { times: Infinity, when: isDue };
  for (const route of ["im.message.create", "cardkit.cardElement.content"] as const) {
    platform.faults.plant(route, { kind: "lost_answer" }, options);
    platform.faults.plant(route, { kind: "status", status: 502 }, options);
  }
}
