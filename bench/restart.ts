/**
 * What a gateway that was killed with 1,000 messages waiting does when it comes back. A real
 * process, Feishu's simulator and a model that answers at once.
 * @module
 */

import { say } from "../tests/simulators/model_server.ts";
import type { BenchRow } from "./bench_row.ts";
import { FeishuCrowd } from "./feishu_crowd.ts";

const PEOPLE = 100;
const TEXTS = 10;
const ANSWER = "Here I am.";
const MESSAGES = PEOPLE * TEXTS;
/** The platform gives up on an acknowledgement after 3 s, and would send again after 15 s. */
const ACKNOWLEDGED_MS = 10_000;

/** Kills and restarts a gateway. */
export async function benchRestart(): Promise<BenchRow[]> {
  let isThinking = true;
  const stalled = { steps: [{ type: "stall" }] } as const;
  await using crowd = await FeishuCrowd.gather(() => isThinking ? stalled : say(ANSWER));
  const people = Array.from({ length: PEOPLE }, (_, index) => `ou_${index}`);
  const texts = Array.from({ length: TEXTS }, (_, index) => `message ${index}`);
  const acknowledged = await queueAndKill(crowd, people, texts);

  isThinking = false;
  const replies = () => crowd.platform.calls("im.message.create", "im.message.reply");
  const repliesBefore = replies().length;
  const startEpochMs = Date.now();
  await using gateway = await crowd.startGateway();
  const saidMs = Date.now() - startEpochMs;
  await gateway.health();
  const readyMs = Date.now() - startEpochMs;
  const first = await crowd.platform.waitFor(() => replies()[repliesBefore], {
    timeoutMs: 60_000,
    what: "the first reply",
  });
  await crowd.quiet(gateway);
  const quietMs = Date.now() - startEpochMs;
  const lost = MESSAGES - await storedMessages(crowd, people, texts);
  const isAnswered = (id: string) => crowd.platform.chat(id).fromBot.at(-1)?.text === ANSWER;
  const unanswered = people.filter((id) => !isAnswered(id)).length;
  await gateway.stop();
  const what = `restart: ${MESSAGES.toLocaleString("en")} messages waiting,`;
  const note = `kill -9, ${PEOPLE} chats, Feishu simulator; one run`;
  return [
    { what: `${what} says that it is ready`, value: saidMs, unit: "ms", budget: undefined, note },
    { what: `${what} ready`, value: readyMs, unit: "ms", budget: { atMost: 500 }, note },
    {
      what: `${what} first reply`,
      value: first.atMs - startEpochMs,
      unit: "ms",
      budget: { atMost: 1_000 },
      note,
    },
    {
      what: `${what} refused`,
      value: MESSAGES - acknowledged,
      unit: "",
      budget: { atMost: 0 },
      note: "not acknowledged before the kill",
    },
    {
      what: `${what} lost`,
      value: lost + unanswered,
      unit: "",
      budget: { atMost: 0 },
      note: "in no session file, or their chat without an answer",
    },
    { what: `${what} all answered`, value: quietMs, unit: "ms", budget: undefined, note },
  ];
}

/** Has all messages accepted, none answered, and kills the gateway; gives how many it took. */
async function queueAndKill(
  crowd: FeishuCrowd,
  people: readonly string[],
  texts: readonly string[],
): Promise<number> {
  await using gateway = await crowd.startGateway();
  await crowd.platform.connected();
  const said = crowd.say(people, texts);
  let acknowledged = 0;
  for (const { acknowledged: taken } of said) void taken.then(() => acknowledged++, () => {});
  await Promise.race([
    Promise.allSettled(said.map((one) => one.acknowledged)),
    new Promise((resolve) => setTimeout(resolve, ACKNOWLEDGED_MS)),
  ]);
  await gateway.kill();
  return acknowledged;
}

/** How many of the messages stand in a session file, each counted once. */
async function storedMessages(
  { home }: FeishuCrowd,
  people: readonly string[],
  texts: readonly string[],
): Promise<number> {
  let stored = 0;
  for (const openId of people) {
    const transcript = (await home.transcript(`feishu_${openId}`)).join("\n");
    stored += texts.filter((text) => transcript.includes(`${text} from ${openId}`)).length;
  }
  return stored;
}
