import assert from "node:assert/strict";
import { cronActor } from "../../../actors/automation/cron.ts";
import { testSystem } from "../../support/system.ts";
import { settle, until } from "../../support/until.ts";
import { CronBench } from "./_cron.ts";

Deno.test("The jobs' actor ends what it is writing before it has stopped", async () => {
  const bench = new CronBench();
  await bench.add({ everySeconds: 60 });
  bench.nowMs += 60_000;
  const { files } = bench;
  const swap = files.swap.bind(files);
  const slow = Promise.withResolvers<void>();
  let isWriting = false;
  files.swap = async (...written) => {
    isWriting = true;
    await slow.promise;
    return await swap(...written);
  };
  const home = testSystem();
  await using _ = home;
  const cron = home.system.spawn(cronActor(bench.keeper));
  await until(() => isWriting);
  let hasStopped = false;
  const stopping = home.system.stop(cron).then(() => hasStopped = true);
  await settle();
  assert.equal(hasStopped, false);
  slow.resolve();
  await stopping;
  assert.equal(bench.runs.taken.size, 1);
});
