import assert from "node:assert/strict";
import { join } from "node:path";
import { GatewayHome } from "../support/gateway_process.ts";
import { type Failures, Month, type Writer } from "../support/month.ts";
import { loadHistory } from "../support/nanobot_workspace.ts";

const NIGHTS = 30;
const NIGHT_MIN = 22 * 60;
/** Summaries that are kept behind Dream. */
const SUMMARIES_MAX = 1_000;
/** Characters: the template and three facts. */
const FACTS_CHARS_MAX = 1_000;

const ALICE: Writer = { channel: "office", chatId: "alice" };
const BOB: Writer = { channel: "office", chatId: "bob" };
const CAROL: Writer = { channel: "home", chatId: "carol" };
const WRITERS = [ALICE, BOB, CAROL];

/** Said once, in the first hours; asked for by somebody else after a month. */
const FACTS: readonly { readonly by: Writer; readonly said: string; readonly look: string }[] = [
  { by: ALICE, said: "请记住：我的船叫极光号，停在第七码头。", look: "极光号" },
  {
    by: BOB,
    said: "Please remember: the marina locker opens with Quokka-4711.",
    look: "marina locker",
  },
  { by: CAROL, said: "The birthday of Brunhilde is on 17 May.", look: "Brunhilde birthday" },
];

function average(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** A month as it is lived. */
interface Case {
  readonly model: string;
  readonly messages: number;
  /** Days on which people talk: each costs a start of what looks for memories. */
  readonly talks: number;
  readonly failures?: Failures;
}

/** What a month left behind. */
interface Outcome {
  /** Tokens of some questions of turns. */
  readonly tokens: readonly number[];
  /** What recall gave for each of the facts. */
  readonly found: readonly string[];
}

/** Conversations, each of which begins with a question about older times. */
async function live(home: GatewayHome, { messages, talks, failures }: Case): Promise<Outcome> {
  await using month = await Month.begin(home, ["office", "home"], failures);
  const perTalk = Math.ceil(messages / talks);
  for (let n = 0; n < messages; n++) {
    const fact = FACTS[n - 5];
    const words = `Message ${n} about topic${n}. ${"As you know, it goes on. ".repeat(n % 7)}`;
    if (n % perTalk === 0) await month.say(BOB, "Look up: yesterday");
    await month.say(fact?.by ?? WRITERS[n % WRITERS.length] ?? ALICE, fact?.said ?? words);
    await month.pass(2);
    const nights = n % perTalk === perTalk - 1 ? NIGHTS / talks : 0;
    for (let night = 0; night < nights; night++) await month.pass(NIGHT_MIN);
  }
  for (const { look } of FACTS) await month.say(CAROL, `Look up: ${look}`);
  return { tokens: month.turnTokens, found: month.found.slice(-FACTS.length) };
}

Deno.test.each<Case>([
  { model: "behaves", messages: 2_000, talks: 10 },
  { model: "fails often", messages: 500, talks: 30, failures: { turns: 0.1, memory: 0.4 } },
])("A month of $messages messages stays bounded with a model that $model", async (scene) => {
  await using home = await GatewayHome.make();
  const { tokens, found } = await live(home, scene);
  for (const [index, { said }] of FACTS.entries()) {
    assert.ok(
      found[index]?.includes(said.split(": ").at(-1) ?? said),
      `${said} in ${found[index]}`,
    );
  }
  const part = Math.floor(tokens.length / 5);
  const early = average(tokens.slice(part, 2 * part));
  const late = average(tokens.slice(-part));
  assert.ok(late < early * 1.25, `a turn costs ${early} tokens early, ${late} late`);
  const read = (path: string) => Deno.readTextFile(join(home.workspace, path));
  const digested = Number(await read("memory/.dream_cursor"));
  const entries = loadHistory(await read("memory/history.jsonl"));
  const cursors = entries.map(({ cursor }) => cursor);
  assert.deepEqual(cursors, [...new Set(cursors)].toSorted((one, other) => one - other));
  assert.ok(cursors.filter((cursor) => cursor <= digested).length <= SUMMARIES_MAX);
  assert.ok(digested > 0, "Dream has worked");
  const facts = await read("memory/MEMORY.md");
  assert.ok(facts.length < FACTS_CHARS_MAX, facts);
});
