import assert from "node:assert/strict";
import { join } from "node:path";
import { DiskMemoryFiles } from "../../../actors/memory/adapters/disk_memory_files.ts";
import { MemoryKeeper } from "../../../actors/memory/memory_keeper.ts";
import { MemoryScope } from "../../../actors/memory/scope.ts";
import { ManualClock } from "../../support/manual_clock.ts";
import { temporaryFolder } from "../../support/temporary_folder.ts";

const { global } = MemoryScope;
const HISTORY = "memory/history.jsonl";
const ENTRIES = 5_000;

/** Counts how often, and how much of it at once, a history is read. */
class WatchedFiles extends DiskMemoryFiles {
  reads = 0;

  override async read(path: string): Promise<string | null> {
    if (path === HISTORY) this.reads++;
    return await super.read(path);
  }
}

function line(cursor: number): string {
  const entry = {
    cursor,
    timestamp: "2026-04-30 12:00",
    content: "c".repeat(200),
    id: `k${cursor}`,
  };
  return `${JSON.stringify(entry)}\n`;
}

function added(key: string) {
  return { content: `About ${key}`, key, sessionKey: "feishu:oc_1", kind: "summary" as const };
}

async function bench() {
  const folder = await temporaryFolder();
  const history = join(folder.path, HISTORY);
  await Deno.mkdir(join(folder.path, "memory"));
  const lines = Array.from({ length: ENTRIES }, (_, index) => line(index + 1));
  await Deno.writeTextFile(history, lines.join(""));
  const files = new WatchedFiles(folder.path);
  let breaths = 0;
  const breathe = () => {
    breaths++;
    return Promise.resolve();
  };
  const options = { files, clock: new ManualClock(0), timezone: "UTC", breathe };
  const append = async (keeper: MemoryKeeper, key: string) => {
    const result = await keeper.append(global, added(key));
    return result.state === "appended" ? result.entry.cursor : result;
  };
  return {
    ...{ files, history, append, keeper: new MemoryKeeper(options) },
    breaths: () => breaths,
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}

Deno.test("A long history is read once, with breaths, and not for each new entry", async () => {
  await using memory = await bench();
  const { keeper, append, files } = memory;
  assert.equal(await append(keeper, "a"), ENTRIES + 1);
  const readAtFirst = files.reads;
  assert.ok(memory.breaths() >= ENTRIES / 500, `${memory.breaths()} breaths`);
  assert.equal(await append(keeper, "b"), ENTRIES + 2);
  assert.equal(await append(keeper, "c"), ENTRIES + 3);
  assert.deepEqual(await append(keeper, "k7"), { state: "repeated", cursor: 7 });
  assert.deepEqual(await append(keeper, "b"), { state: "repeated", cursor: ENTRIES + 2 });
  assert.equal(files.reads, readAtFirst);
});

Deno.test.each(
  [
    ["appended to", (text: string) => text + line(9_000), 9_001],
    ["cut within its last line", (text: string) => text.slice(0, -20), ENTRIES + 2],
    ["replaced by a shorter one", () => line(3), ENTRIES + 2], // .cursor knows of more
    ["changed in its middle", (text: string) => text.replace('"k100"', '"new"'), ENTRIES + 2],
  ] as const,
)("A history that was %s by hand is read again", async (_what, edit, cursor) => {
  await using memory = await bench();
  const { keeper, append, files, history } = memory;
  await append(keeper, "a");
  await Deno.writeTextFile(history, edit(await Deno.readTextFile(history)));
  const reads = files.reads;
  assert.equal(await append(keeper, "new2"), cursor);
  assert.ok(files.reads > reads);
  const last = (await Deno.readTextFile(history)).trimEnd().split("\n").at(-1) ?? "";
  assert.equal(JSON.parse(last).id, "new2");
});

Deno.test("An entry that somebody added by hand counts as kept", async () => {
  await using memory = await bench();
  const { keeper, append, history } = memory;
  await append(keeper, "a");
  await Deno.writeTextFile(history, line(7_000).replace("k7000", "b"), { append: true });
  assert.deepEqual(await append(keeper, "b"), { state: "repeated", cursor: 7_000 });
});
