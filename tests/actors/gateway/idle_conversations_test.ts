import assert from "node:assert/strict";
import { BenchArchive } from "../../support/bench_archive.ts";
import { CoreBench } from "../../support/core_bench.ts";
import { settle, until } from "../../support/until.ts";

const IDLE_MS = 30 * 60_000;
const FILE = "probe_chat.jsonl";

function messagesIn(bench: CoreBench): number {
  return bench.files.lines(FILE).filter((line) => !Object.hasOwn(Object(line), "_type")).length;
}

async function talk(bench: CoreBench, turns: number): Promise<void> {
  await until(async () => (await bench.health()).channels["probe"]?.state === "ready");
  for (let n = 0; n < turns; n++) {
    const before = messagesIn(bench);
    await bench.probe.say("chat", `question ${n}`);
    await until(() => messagesIn(bench) === before + 2);
  }
}

Deno.test("A conversation of a core is compacted when it is idle, asleep or not, and goes on", async () => {
  const archive = new BenchArchive();
  await using bench = new CoreBench({ compactAfterMs: IDLE_MS, archive });
  await talk(bench, 8);
  await bench.world.clock.advance(IDLE_MS - 60_000);
  await settle();
  assert.equal(archive.kept.length, 0);
  await bench.world.clock.advance(120_000);
  await until(() => messagesIn(bench) === 8);
  assert.equal(archive.kept.length, 1);
  await talk(bench, 2);
  assert.equal(messagesIn(bench), 12);
});

Deno.test("A conversation that an earlier life of the core left is compacted in time", async () => {
  const archive = new BenchArchive();
  await using first = new CoreBench({ archive });
  await talk(first, 8);
  const disk = first.crash();
  await using bench = new CoreBench({ disk, compactAfterMs: IDLE_MS, archive });
  await settle();
  await bench.world.clock.advance(60_000); // then the folder is listed
  await settle();
  await bench.world.clock.advance(IDLE_MS);
  await until(() => messagesIn(bench) === 8);
  assert.equal(archive.kept.length, 1);
});
