import assert from "node:assert/strict";
import { MemoryScope } from "../../../actors/memory/scope.ts";
import { Month, type Writer } from "../../support/month.ts";
import type { Failures } from "../../support/month_model.ts";
import { loadHistory, loadSession } from "../../support/nanobot_workspace.ts";
import { NOW_MS, readAll, RecallWorld } from "./recall/recall_world.ts";

const MESSAGES = 2_000;
const NIGHTS = 30;
const NIGHT_MIN = 22 * 60;
/** Summaries that are kept behind Dream. */
const SUMMARIES_MAX = 1_000;
/** Characters: what stood there at first, and three facts. */
const FACTS_CHARS_MAX = 400;

const ALICE: Writer = { channel: "office", chatId: "alice" };
const BOB: Writer = { channel: "office", chatId: "bob" };
const CAROL: Writer = { channel: "home", chatId: "carol" };
const WRITERS = [ALICE, BOB, CAROL];

/** Said once, in the first hours; looked for after a month. */
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

/** Messages are named by numbers, as summaries and raw archives tell them. */
async function live(month: Month): Promise<void> {
  const perNight = Math.ceil(MESSAGES / NIGHTS);
  for (let n = 0; n < MESSAGES; n++) {
    const fact = FACTS[n - 5];
    const words = fact?.said ?? "As you know, it goes on. ".repeat(n % 7);
    const answer = await month.say(
      fact?.by ?? WRITERS[n % WRITERS.length] ?? ALICE,
      `#${n} ${words}`,
    );
    assert.notEqual(answer, "");
    await month.pass(n % perNight === perNight - 1 ? NIGHT_MIN : 2);
  }
}

/** The messages of people in a text, by their numbers. */
function namesIn(text: string): number[] {
  return [...text.matchAll(/#(\d+)\b/g)].map(([, digits]) => Number(digits));
}

/** Each conversation has all of its messages, once; gives those that were summed up. */
function summedUp({ sessions }: Month): Set<number> {
  const said: number[] = [];
  const gone: number[] = [];
  for (const text of sessions.texts.values()) {
    const { messages, history } = loadSession(text);
    const people = messages.filter(({ role }) => role === "user");
    const names = people.flatMap(({ content }) => namesIn(String(content)));
    const shown = history.flatMap(({ role, content }) =>
      role === "user" ? namesIn(String(content)) : []
    );
    assert.deepEqual(names, names.toSorted((one, other) => one - other));
    said.push(...names);
    gone.push(...names.slice(0, names.length - shown.length));
  }
  assert.equal(said.length, MESSAGES);
  assert.equal(new Set(said).size, MESSAGES);
  return new Set(gone);
}

/** What recall finds, once all is written into a workspace. */
function recalled({ sessions, workspace }: Month): readonly string[] {
  using world = new RecallWorld();
  for (const [name, text] of sessions.texts) world.write(`sessions/${name}`, text);
  for (const [path, text] of workspace.texts) world.write(path, text);
  using keeper = world.keeper();
  readAll(keeper);
  return FACTS.map(({ look }) => {
    const query = { text: look, scope: MemoryScope.global.folder, limit: 5, offset: 0 };
    return keeper.search(query, NOW_MS).hits.map(({ text }) => text).join("\n");
  });
}

Deno.test.each<{ readonly model: string; readonly failures?: Failures }>([
  { model: "behaves" },
  { model: "fails often", failures: { turns: 0.1, memory: 0.4 } },
])("A month of 2,000 messages loses nothing and stays bounded with a model that $model", async ({
  failures,
}) => {
  const files = { "SOUL.md": "Be kind.\n", "memory/MEMORY.md": "# Memory\n\n## Notes\n" };
  await using month = await Month.begin(["office", "home"], files, failures);
  await live(month);
  const textOf = (path: string) => month.workspace.texts.get(path) ?? "";

  const entries = loadHistory(textOf("memory/history.jsonl"));
  const cursors = entries.map(({ cursor }) => cursor);
  assert.deepEqual(cursors, cursors.map((_cursor, index) => index + 1));
  const archived = entries.flatMap(({ content }) => namesIn(content));
  assert.deepEqual(
    archived.toSorted((one, other) => one - other),
    [...summedUp(month)].toSorted((one, other) => one - other),
    "what left the conversations stands in the history, once",
  );
  const raw = entries.filter(({ content }) => content.startsWith("[RAW]"));
  assert.equal(raw.length > 0, failures !== undefined);

  const digested = Number(textOf("memory/.dream_cursor"));
  assert.ok(digested > 0 && digested <= entries.length, "Dream has worked");
  assert.ok(cursors.filter((cursor) => cursor <= digested).length <= SUMMARIES_MAX);
  assert.ok(textOf("memory/MEMORY.md").length < FACTS_CHARS_MAX, textOf("memory/MEMORY.md"));
  assert.equal(textOf("SOUL.md"), files["SOUL.md"]);

  for (const [index, found] of recalled(month).entries()) {
    const said = FACTS[index]?.said.split(": ").at(-1) ?? "";
    assert.ok(found.includes(said), `${said} in ${found}`);
  }

  const tokens = month.turnTokens;
  const part = Math.floor(tokens.length / 5);
  const [early, late] = [average(tokens.slice(part, 2 * part)), average(tokens.slice(-part))];
  assert.ok(late < early * 1.25, `a turn costs ${early} tokens early, ${late} late`);
});
