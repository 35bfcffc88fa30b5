import assert from "node:assert/strict";
import fc from "fast-check";
import type { WaitingLimits } from "../../../actors/memory/history_files.ts";
import { type DreamBatch, MemoryKeeper } from "../../../actors/memory/memory_keeper.ts";
import { MemoryScope } from "../../../actors/memory/scope.ts";
import { ManualClock } from "../../support/manual_clock.ts";
import { MemoryWorkspace } from "../../support/memory_files.ts";
import { dreamBench } from "./_dream.ts";

const { global } = MemoryScope;
const HISTORY = "memory/history.jsonl";
const MEMORY = "memory/MEMORY.md";
const WIDE: WaitingLimits = { entriesMax: 9, charsMax: 1_000 };

interface Line {
  readonly cursor: number;
  readonly content: string;
  readonly told_by?: "owners";
}

function line(entry: Line): string {
  return `${JSON.stringify({ ...entry, timestamp: "2026-04-30 12:00" })}\n`;
}

/** Entries "a", "b", … with these numbers. */
function lines(...cursors: readonly number[]): string {
  return cursors.map((cursor, index) => line({ cursor, content: "abcdefgh".charAt(index) }))
    .join("");
}

function keeperOf(files: MemoryWorkspace): MemoryKeeper {
  return new MemoryKeeper({ files, clock: new ManualClock(0), timezone: "UTC" });
}

function contentsOf(batch: DreamBatch | null): readonly string[] {
  return batch?.entries.map(({ content }) => content) ?? [];
}

/** Digests a batch into MEMORY.md, a line for each entry; null where nothing waits. */
async function digest(keeper: MemoryKeeper, limits: WaitingLimits): Promise<DreamBatch | null> {
  const batch = await keeper.nextBatch(global, limits);
  const last = batch?.entries.at(-1);
  if (batch === null || last === undefined) return null;
  const digested = contentsOf(batch).map((content) => `${content}\n`).join("");
  await keeper.finishBatch({
    scope: global,
    cursor: last.cursor,
    base: batch.texts,
    texts: { ...batch.texts, MEMORY: batch.texts.MEMORY + digested },
    proposals: new Map(),
    lastTimestamp: last.timestamp,
  });
  return batch;
}

/** All batches, one after another. */
async function digestAll(keeper: MemoryKeeper, limits: WaitingLimits): Promise<string[][]> {
  const batches: string[][] = [];
  for (;;) {
    const batch = await digest(keeper, limits);
    if (batch === null) return batches;
    batches.push([...contentsOf(batch)]);
  }
}

Deno.test.each(
  [
    ["the number of entries", { entriesMax: 2, charsMax: 1_000 }],
    ["their length", { entriesMax: 9, charsMax: 2 }],
  ] as const,
)(
  "Of two entries with one number both are digested when %s ends a batch between them",
  async (_what, limits) => {
    const files = new MemoryWorkspace({ [HISTORY]: lines(1, 2, 2, 3) });
    assert.deepEqual(await digestAll(keeperOf(files), limits), [["a", "b"], ["c", "d"]]);
  },
);

Deno.test("What a stranger said under the number of an owner's word is digested, and apart", async () => {
  const text = line({ cursor: 1, content: "owner", told_by: "owners" }) +
    line({ cursor: 1, content: "stranger" }) +
    line({ cursor: 1, content: "owner again", told_by: "owners" });
  const keeper = keeperOf(new MemoryWorkspace({ [HISTORY]: text }));
  const batches = [];
  for (let turn = 0; turn < 3; turn++) batches.push(await digest(keeper, WIDE));
  assert.deepEqual(batches.map((batch) => [batch?.isOwners, ...contentsOf(batch)]), [
    [true, "owner"],
    [false, "stranger"],
    [true, "owner again"],
  ]);
  assert.equal(await digest(keeper, WIDE), null);
});

Deno.test("Dream takes up each of many entries with one number, a batch at a time", async () => {
  const text = Array.from({ length: 7 }, (_, index) => line({ cursor: 1, content: `c${index}.` }));
  await using bench = dreamBench({
    texts: { [HISTORY]: text.join("") },
    script: () => "[SKIP]",
    settings: { batchMax: 3 },
  });
  const outcome = await bench.dream();
  assert.equal(outcome.state === "done" && outcome.entries, 7);
  const asked = bench.provider.requests.map(({ messages: [, question] }) =>
    String(question?.content).match(/c\d\./g)
  );
  assert.deepEqual(asked, [["c0.", "c1.", "c2."], ["c3.", "c4.", "c5."], ["c6."]]);
});

Deno.test("Only entries that wait get other numbers, and keep whatever else stands in their lines", async () => {
  const digested = lines(1, 1, 3);
  const extra = '{"cursor":9,"timestamp":"t","content":"x","mood":{"is":"good"}}';
  const files = new MemoryWorkspace({
    [HISTORY]: `${digested}no entry\n${extra}\n${extra}\n{"cut`,
    "memory/.dream_cursor": "3",
  });
  const keeper = keeperOf(files);
  assert.equal((await keeper.nextBatch(global, WIDE))?.entries.length, 2);
  const text = `${digested}no entry\n${extra}\n${extra.replace("9", "10")}\n{"cut`;
  assert.equal(files.texts.get(HISTORY), text);
  await keeper.nextBatch(global, WIDE);
  assert.deepEqual(files.actions, [`swap ${HISTORY}`], "once");
});

Deno.test("An entry behind numbers that counted up gets one of its own", async () => {
  const files = new MemoryWorkspace({ [HISTORY]: lines(1, 1, 1) });
  const keeper = keeperOf(files);
  await keeper.append(global, { content: "d", key: "d", sessionKey: "s", kind: "summary" });
  assert.deepEqual(await digestAll(keeper, { ...WIDE, entriesMax: 2 }), [["a", "b"], ["c", "d"]]);
  const last = await keeper.append(global, {
    ...{ content: "e", key: "e", sessionKey: "s", kind: "summary" },
  });
  assert.equal(last.state === "appended" && last.entry.cursor, 5);
});

Deno.test("A history that is edited while its numbers are put right keeps the edit, and waits", async () => {
  const files = new MemoryWorkspace({ [HISTORY]: lines(1, 1) });
  const keeper = keeperOf(files);
  files.fault = (action) => {
    if (action === "swap") files.texts.set(HISTORY, lines(1, 1, 1));
  };
  assert.equal(await keeper.nextBatch(global, WIDE), null);
  assert.equal(files.texts.get(HISTORY), lines(1, 1, 1));
  files.fault = () => {};
  assert.deepEqual(contentsOf(await keeper.nextBatch(global, WIDE)), ["a", "b", "c"]);
});

Deno.test("Entries with the highest number that is read stay readable", async () => {
  const files = new MemoryWorkspace({ [HISTORY]: lines(1e15, 1e15) });
  assert.deepEqual(contentsOf(await keeperOf(files).nextBatch(global, WIDE)), ["a", "b"]);
  assert.equal(files.texts.get(HISTORY), lines(1e15, 1e15));
});

const ENTRIES = fc.array(
  fc.record({
    cursor: fc.integer({ min: 1, max: 8 }),
    chars: fc.integer({ min: 3, max: 12 }),
    isOwners: fc.boolean(),
  }),
  { maxLength: 16 },
);

const LIMITS: fc.Arbitrary<WaitingLimits> = fc.record({
  entriesMax: fc.integer({ min: 1, max: 5 }),
  charsMax: fc.integer({ min: 1, max: 40 }),
});

/** Whether something is appended too, beside each batch. */
const APPENDS = fc.array(fc.boolean(), { maxLength: 4 });

/** Changes of files that succeed in each life of the process; the last one does not end. */
const LIVES = fc.array(fc.nat(12), { maxLength: 4 });

class Crash extends Error {}

/** Makes the process die where it should, and begin anew, until the work has come to its end. */
async function survive(
  files: MemoryWorkspace,
  lives: readonly number[],
  work: (keeper: MemoryKeeper) => Promise<void>,
): Promise<void> {
  for (const changes of [...lives, Infinity]) {
    let left = changes;
    files.fault = (action) => {
      if (action !== "read" && --left < 0) throw new Crash("the process is dead");
    };
    try {
      return await work(keeperOf(files));
    } catch (error) {
      if (!(error instanceof Error && error.cause instanceof Crash)) throw error;
    }
  }
}

/** Within the limits, and of owners alone or of others alone. */
function checkBatch({ entries, isOwners }: DreamBatch, { entriesMax, charsMax }: WaitingLimits) {
  assert.ok(entries.length <= entriesMax, `${entries.length} entries`);
  const chars = entries.reduce((sum, { content }) => sum + content.length, 0);
  assert.ok(entries.length === 1 || chars <= charsMax, `${chars} characters`);
  assert.ok(entries.every(({ told_by }) => (told_by === "owners") === isOwners));
}

Deno.test("Each entry is digested once and in order, whatever numbers repeat and wherever it crashes", async () => {
  await fc.assert(
    fc.asyncProperty(ENTRIES, LIMITS, APPENDS, LIVES, async (entries, limits, appends, lives) => {
      const written = entries.map(({ cursor, chars, isOwners }, index) => ({
        cursor,
        content: `${index}`.padEnd(chars, "."),
        ...(isOwners && { told_by: "owners" as const }),
      }));
      const files = new MemoryWorkspace({ [HISTORY]: written.map(line).join("") });
      const added = appends.map((isAppending, index) => isAppending ? `new ${index}` : null);
      const waiting = [...added];
      await survive(files, lives, async (keeper) => {
        for (;;) {
          const batch = await digest(keeper, limits);
          if (batch !== null) checkBatch(batch, limits);
          else if (waiting.length === 0) return;
          const [content = null] = waiting;
          if (content !== null) {
            const entry = { content, key: content, sessionKey: "s", kind: "summary" } as const;
            await keeper.append(global, entry);
          }
          waiting.shift(); // until here it is tried again after a crash
        }
      });
      const digested = (files.texts.get(MEMORY) ?? "").split("\n").filter((text) => text !== "");
      const sorted = written.toSorted((one, other) => one.cursor - other.cursor);
      const expected = [...sorted.map(({ content }) => content), ...added];
      assert.deepEqual(digested, expected.filter((content) => content !== null));
    }),
    { numRuns: 400 },
  );
});
