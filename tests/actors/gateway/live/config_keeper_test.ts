import assert from "node:assert/strict";
import { ConfigError } from "../../../../actors/config/errors.ts";
import type { LoadedConfig } from "../../../../actors/config/load_config.ts";
import type { ConfigChanges } from "../../../../actors/gateway/live/changes.ts";
import {
  configKeeperActor,
  type ConfigOutcome,
  type ConfigReport,
} from "../../../../actors/gateway/live/config_keeper.ts";
import type { AlarmMessage } from "../../../../actors/gateway/owner_notices.ts";
import { loadSettings } from "../../config/_load.ts";
import { Probe } from "../../../support/probe.ts";
import { testSystem } from "../../../support/system.ts";

const NOTHING: ConfigChanges = { applied: [], channels: [], waiting: [] };
const LOADED: LoadedConfig = await loadSettings({});

/** A keeper whose file is the test. */
function keeperBench() {
  const world = testSystem();
  const alarms = new Probe<AlarmMessage>();
  const printed: string[] = [];
  const file = { stamp: "1" as string | null, problem: null as string | null, changes: NOTHING };
  let applying: Promise<void> = Promise.resolve();
  let onChange = () => {};
  let reads = 0;
  let watches = 0;
  const keeper = world.system.spawn(configKeeperActor({
    edits: {
      stamp: () => Promise.resolve(file.stamp),
      reload: () => {
        reads++;
        if (file.problem === null) return Promise.resolve(LOADED);
        const fault = { code: "config_malformed" as const, key: "", line: file.problem };
        return Promise.reject(new ConfigError([fault]));
      },
      watch: (callback) => {
        onChange = callback;
        watches++;
        return { [Symbol.dispose]: () => watches-- };
      },
    },
    apply: async () => {
      const { changes } = file;
      await applying;
      return changes;
    },
    alarms,
    print: (line) => printed.push(line),
  }));
  return {
    ...{ world, alarms, printed, file, keeper },
    get reads() {
      return reads;
    },
    get watches() {
      return watches;
    },
    /** What is applied from now on takes until this is over. */
    slowDown: (until: Promise<void>) => applying = until,
    /** Saves the file; `isTold`: the system tells of it. */
    save(stamp: string | null, change: Partial<typeof file> = {}, { isTold = true } = {}) {
      Object.assign(file, { problem: null, changes: NOTHING, ...change, stamp });
      if (isTold) onChange();
    },
    report: () =>
      keeper.ask<ConfigReport>((replyTo) => ({ type: "report_config", replyTo }), {
        timeoutMs: 1_000,
      }),
    [Symbol.asyncDispose]: () => world[Symbol.asyncDispose](),
  };
}

function textsOf(alarms: Probe<AlarmMessage>): string[] {
  return alarms.received.flatMap((message) => "text" in message ? [message.text] : []);
}

Deno.test("A file that was gone and comes back as it was counts again", async () => {
  await using bench = keeperBench();
  await bench.world.clock.advance(5_000);
  bench.save(null);
  await bench.world.clock.advance(300);
  assert.equal((await bench.report()).state, "refused");
  bench.save("1");
  await bench.world.clock.advance(300);
  assert.deepEqual([(await bench.report()).state, bench.printed.at(-1)], [
    ...["applied", "Config: as it was"],
  ]);
});

Deno.test("Ten quick edits are read once, when they have come to rest", async () => {
  await using bench = keeperBench();
  await bench.world.clock.advance(5_000);
  const before = bench.reads;
  for (let edit = 0; edit < 10; edit++) {
    bench.save(`edit ${edit}`, { changes: { ...NOTHING, applied: ["owners"] } });
    await bench.world.clock.advance(100);
  }
  await bench.world.clock.advance(300);
  assert.equal(bench.reads - before, 1);
  assert.deepEqual(bench.printed, ["Config: applied owners"]);
  await bench.world.clock.advance(60_000);
  assert.equal(bench.reads - before, 1, "a file that stays as it is is not read again");
});

Deno.test("Somebody who saves all the time is not waited for for ever", async () => {
  await using bench = keeperBench();
  await bench.world.clock.advance(5_000);
  const before = bench.reads;
  for (let edit = 0; edit < 25; edit++) {
    bench.save(`edit ${edit}`);
    await bench.world.clock.advance(200);
  }
  assert.ok(bench.reads > before);
});

Deno.test("An edit that the system does not tell of is found by the slow look", async () => {
  await using bench = keeperBench();
  await bench.world.clock.advance(5_000);
  bench.save("2", { changes: { ...NOTHING, channels: ["telegram"] } }, { isTold: false });
  await bench.world.clock.advance(5_000);
  assert.deepEqual(bench.printed, ["Config: applied channels.telegram"]);
});

Deno.test("A wrong edit is told once, on the console and to the owners, until it is mended", async () => {
  await using bench = keeperBench();
  await bench.world.clock.advance(5_000);
  bench.save("2", { problem: "Cannot load it: gateway.port is no number" });
  await bench.world.clock.advance(300);
  bench.save("3", { problem: "Cannot load it: gateway.port is no number" });
  await bench.world.clock.advance(20_000);
  assert.deepEqual(bench.printed, [
    "Config: not applied: Cannot load it: gateway.port is no number",
  ]);
  assert.equal(textsOf(bench.alarms).length, 1);
  assert.equal((await bench.report()).state, "refused");

  bench.save("4");
  await bench.world.clock.advance(300);
  assert.equal(bench.printed.at(-1), "Config: as it was");
  const report = await bench.report();
  assert.equal(report.state, "applied");
  assert.equal(report.problem, null);
  assert.equal(bench.alarms.received.at(-1)?.type, "alarm_cleared");
});

Deno.test("A file that is gone changes nothing, and one that comes back is read", async () => {
  await using bench = keeperBench();
  await bench.world.clock.advance(5_000);
  const before = bench.reads;
  bench.save(null);
  await bench.world.clock.advance(20_000);
  assert.equal(bench.reads, before);
  assert.match((await bench.report()).problem ?? "", /the file is gone/);
  assert.equal(bench.printed.length, 1);
  bench.save("2", { changes: { ...NOTHING, applied: ["owners"] } });
  await bench.world.clock.advance(300);
  assert.equal((await bench.report()).state, "applied");
  assert.equal(bench.printed.at(-1), "Config: applied owners");
});

Deno.test("What waits for the next start is told by key, each once", async () => {
  await using bench = keeperBench();
  await bench.world.clock.advance(5_000);
  bench.save("2", { changes: { ...NOTHING, waiting: ["gateway.port"] } });
  await bench.world.clock.advance(300);
  bench.save("3", { changes: { ...NOTHING, waiting: ["gateway.port", "gateway.host"] } });
  await bench.world.clock.advance(300);
  assert.deepEqual(bench.printed, [
    "Config: gateway.port changes at the next start",
    "Config: gateway.host changes at the next start",
  ]);
  assert.deepEqual((await bench.report()).waiting, ["gateway.port", "gateway.host"]);
});

Deno.test("Whoever asks for it hears what came of a file that was not touched", async () => {
  await using bench = keeperBench();
  const changes = { ...NOTHING, applied: ["providers"] };
  bench.file.changes = changes;
  const asked = bench.keeper.ask<ConfigOutcome>((replyTo) => ({ type: "reload_config", replyTo }), {
    timeoutMs: 1_000,
  });
  await bench.world.clock.advance(0);
  assert.deepEqual(await asked, { state: "applied", changes });
  await bench.world.system.stop(bench.keeper);
  assert.equal(bench.watches, 0);
});

Deno.test("Whoever asks while an earlier edit is applied hears of the file as it is now", async () => {
  await using bench = keeperBench();
  const { world, keeper } = bench;
  await world.clock.advance(5_000);
  const { promise, resolve } = Promise.withResolvers<void>();
  bench.slowDown(promise);
  bench.save("2", { changes: { ...NOTHING, applied: ["owners"] } });
  await world.clock.advance(300);
  bench.save("3", { changes: { ...NOTHING, applied: ["hooks"] } });
  const asked = keeper.ask<ConfigOutcome>((replyTo) => ({ type: "reload_config", replyTo }), {
    timeoutMs: 10_000,
  });
  await world.clock.advance(1);
  resolve();
  await world.clock.advance(1);
  const outcome = await asked;
  assert.deepEqual(outcome.state === "applied" && outcome.changes.applied, ["hooks"]);
});
