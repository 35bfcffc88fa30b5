import assert from "node:assert/strict";
import type { MemoryScopeSetting } from "../../../actors/memory/scope.ts";
import { BenchArchive } from "../../support/bench_archive.ts";
import { SessionBench } from "../../support/session_bench.ts";

Deno.test.each<[setting: MemoryScopeSetting, expected: string[][]]>([
  ["chat", [["/media/a.pdf"], ["/media/a.pdf"]]],
  ["global", [[], []]],
])("With %s memory tools are told of the files of their conversation: %j", async (
  setting,
  expected,
) => {
  const told: unknown[] = [];
  await using bench = new SessionBench({
    script: [{ calls: [{ name: "look" }] }, "ok", { calls: [{ name: "look" }] }, "ok"],
    services: { archive: new BenchArchive(setting) },
    tools: {
      look: {
        run: (_args, { origin }) => {
          told.push(origin.sentFiles);
          return "seen";
        },
      },
    },
  });
  await bench.say("read it", { media: ["/media/a.pdf"] });
  await bench.quiet();
  await bench.say("once more");
  await bench.quiet();
  assert.deepEqual(told, expected);
});
