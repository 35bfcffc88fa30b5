import assert from "node:assert/strict";
import { join } from "node:path";
import { DiskJobFiles } from "../../../actors/automation/adapters/job_folder.ts";
import { temporaryFolder } from "../../support/temporary_folder.ts";
import { CronBench, NOON_MS, OWNER } from "./_cron.ts";

const MINUTE_MS = 60_000;

/** The file as nanobot writes it. */
const OLD = {
  version: 1,
  jobs: [
    {
      id: "0a1b2c3d",
      name: "Wässern",
      enabled: true,
      schedule: { kind: "every", atMs: null, everyMs: 3_600_000, expr: null, tz: null },
      payload: { kind: "agent_turn", message: "Giess", deliver: true, channel: "probe", to: "7" },
      state: {
        nextRunAtMs: NOON_MS + 5 * MINUTE_MS,
        lastRunAtMs: NOON_MS - 55 * MINUTE_MS,
        lastStatus: "ok",
        lastError: null,
        runHistory: [{ runAtMs: 1, status: "ok", durationMs: 12, error: null }],
      },
      createdAtMs: 1,
      updatedAtMs: 1,
      deleteAfterRun: false,
      colour: "green",
    },
    {
      id: "dream",
      name: "dream",
      schedule: { kind: "every", everyMs: 7_200_000 },
      payload: { kind: "system_event" },
    },
  ],
  owner: "me",
};

function edited(bench: CronBench, change: (file: typeof OLD) => unknown): void {
  bench.files.edit(JSON.stringify(change(JSON.parse(bench.files.text ?? ""))));
}

Deno.test("Jobs of nanobot go on as they were, and what we do not know of them stays", async () => {
  const bench = new CronBench();
  bench.files.edit(JSON.stringify(OLD));
  await bench.pass(0);
  await bench.pass(5 * MINUTE_MS);
  await bench.pass(10);
  assert.equal(bench.runs.ids.length, 1);
  const [entry] = bench.files.entries();
  assert.equal(entry?.["colour"], "green");
  assert.equal(JSON.parse(bench.files.text ?? "").owner, "me");
  assert.ok(bench.files.text?.includes("Wässern"));
  assert.equal((await bench.jobs())[0]?.state.runHistory.length, 2);
});

Deno.test("A file in which nothing changes is left as it was written, in its own layout", async () => {
  const bench = new CronBench();
  const text = '{"version": 1, "jobs": []}\n';
  bench.files.edit(text);
  await bench.pass(0);
  await bench.pass(5 * MINUTE_MS);
  assert.equal(bench.files.text, text);
});

Deno.test("A job of the gateway itself is shown, and can be neither changed nor removed", async () => {
  const bench = new CronBench();
  bench.files.edit(JSON.stringify(OLD));
  await bench.pass(365 * 86_400_000);
  assert.ok(bench.runs.ids.every((id) => !id.includes("dream")));
  assert.equal((await bench.jobs()).length, 2);
  const answer = await bench.keeper.remove("dream", OWNER);
  assert.match(answer.state === "refused" ? answer.reason : "", /protected, as Dream keeps/);
  const change = await bench.keeper.change("dream", { enabled: false }, OWNER);
  assert.equal(change.state === "refused" && change.why, "protected");
});

Deno.test("What a person writes into the file while the gateway runs counts", async () => {
  const bench = new CronBench();
  bench.files.edit(JSON.stringify(OLD));
  await bench.pass(0);
  edited(bench, ({ jobs: [job, ...rest], ...file }) => ({
    ...file,
    jobs: [
      { ...job, schedule: { kind: "every", everyMs: 60_000 } },
      ...rest,
      { id: "mine", schedule: { kind: "at", atMs: NOON_MS + 30_000 }, payload: { message: "Hi" } },
    ],
  }));
  await bench.pass(0);
  const next = (await bench.jobs()).map(({ id, state }) => [id, state.nextRunAtMs]);
  assert.deepEqual(next.slice(0, 2), [
    ["mine", NOON_MS + 30_000],
    ["0a1b2c3d", NOON_MS + MINUTE_MS],
  ]);
});

Deno.test("An editor that was open since before the last run repeats nothing", async () => {
  const bench = new CronBench();
  bench.files.edit(JSON.stringify(OLD));
  await bench.pass(0);
  const opened = bench.files.text ?? "";
  await bench.pass(5 * MINUTE_MS);
  await bench.pass(10);
  bench.files.edit(opened.replace("Giess", "Giess alles"));
  await bench.pass(10);
  await bench.pass(10);
  assert.equal(bench.runs.ids.length, 1);
  const [job] = await bench.jobs();
  assert.equal(job?.payload.message, "Giess alles");
  assert.equal(job?.state.runHistory.length, 2);
});

Deno.test("A person who saves at the very same time loses nothing", async () => {
  const bench = new CronBench();
  await bench.add({ everySeconds: 60 }, { name: "first" });
  let edits = 0;
  bench.files.beforeSwap = () => {
    if (edits++ > 0) return;
    bench.files.edit((bench.files.text ?? "").replace("first", "renamed by hand"));
  };
  await bench.add({ everySeconds: 60 }, { name: "second" });
  assert.deepEqual((await bench.jobs()).map(({ name }) => name), ["renamed by hand", "second"]);
  edits = 0;
  bench.files.beforeSwap = () => {
    if (edits++ > 0) return;
    bench.files.edit((bench.files.text ?? "").replace("by hand", "again"));
  };
  await bench.pass(MINUTE_MS);
  await bench.pass(10);
  assert.equal(bench.runs.ids.length, 2);
  assert.deepEqual((await bench.jobs()).map(({ name }) => name), ["renamed again", "second"]);
  assert.equal((await bench.job()).state.runHistory.length, 1);
});

Deno.test("A job that is taken out of the file by hand is gone", async () => {
  const bench = new CronBench();
  await bench.add({ everySeconds: 60 });
  bench.files.edit('{"version":1,"jobs":[]}');
  await bench.pass(MINUTE_MS);
  assert.deepEqual([bench.runs.ids.length, (await bench.jobs()).length], [0, 0]);
});

Deno.test("A file that is half-way through being saved is given time", async () => {
  const bench = new CronBench();
  await bench.add({ everySeconds: 60 });
  const whole = (bench.files.text ?? "").replaceAll("Water", "Feed");
  bench.files.edit(whole.slice(0, 100));
  await bench.pass(10);
  bench.files.edit(whole);
  await bench.pass(10);
  assert.deepEqual(bench.files.aside, []);
  assert.match((await bench.job()).payload.message, /^Feed/);
});

Deno.test("A file that is damaged while the gateway runs is kept, told of, and written again", async () => {
  const bench = new CronBench();
  await bench.add({ everySeconds: 60 });
  bench.files.edit('{"version":1,"jobs":[{"id":"mi');
  await bench.pass(10);
  await bench.pass(3_000);
  await bench.pass(MINUTE_MS);
  assert.deepEqual(bench.files.aside, ['{"version":1,"jobs":[{"id":"mi']);
  assert.match(
    bench.told.join(),
    /kept as cron\/jobs.json.corrupt-1, and the jobs that were known/,
  );
  assert.equal(bench.told.length, 1);
  assert.equal(bench.runs.ids.length, 1);
  assert.equal(bench.files.entries().length, 1);
});

Deno.test("A file that is damaged while no gateway runs is replaced by the copy", async () => {
  const bench = new CronBench();
  await bench.add({ everySeconds: 60 });
  bench.files.edit("");
  bench.restart();
  await bench.pass(10);
  await bench.pass(3_000);
  assert.deepEqual(bench.files.aside, [""]);
  assert.match(bench.told.join(), /1 jobs were taken from the copy/);
  assert.equal((await bench.jobs()).length, 1);
});

Deno.test("An entry that is no job stays in the file, is told of once, and costs no other", async () => {
  const bench = new CronBench();
  const broken = { id: "bad", schedule: { kind: "sometimes" } };
  bench.files.edit(JSON.stringify({ ...OLD, jobs: [broken, ...OLD.jobs] }));
  await bench.pass(0);
  await bench.add({ everySeconds: 60 });
  await bench.pass(MINUTE_MS);
  assert.equal(bench.runs.ids.length, 1);
  assert.deepEqual(bench.files.entries().find(({ id }) => id === "bad"), broken);
  assert.equal(bench.told.length, 1);
  const { problems } = await bench.keeper.list(OWNER);
  assert.match(problems.join(), /^Job "bad" cannot be used: schedule/);
});

Deno.test("A schedule that a person mistyped is told of, and runs nothing", async () => {
  const bench = new CronBench();
  const { id } = await bench.add({ expr: "*/5 * * * *" });
  bench.files.edit((bench.files.text ?? "").replace("*/5 * * * *", "*/5 * * *"));
  for (let look = 0; look < 3; look++) await bench.pass(10 * MINUTE_MS);
  assert.deepEqual(bench.runs.ids, []);
  assert.equal(bench.told.length, 1);
  assert.match(bench.told[0] ?? "", new RegExp(`${id}\\) is never due: .*no cron expression`));
  assert.match((await bench.job()).state.lastError ?? "", /Cannot say when it is due/);
});

Deno.test("The file on disk is swapped whole, or not at all", async () => {
  await using folder = await temporaryFolder();
  const files = new DiskJobFiles(folder.path);
  assert.equal(await files.read(), null);
  assert.equal(await files.mark(), null);
  assert.equal(await files.swap(null, "one"), true);
  const mark = await files.mark();
  assert.equal(await files.swap(null, "two"), false);
  assert.equal(await files.swap("one", "three"), true);
  assert.notEqual(await files.mark(), mark);
  assert.equal(await files.setAside("bad"), "jobs.json.corrupt");
  assert.equal(await files.setAside("worse"), "jobs.json.corrupt-2");
  assert.equal(await files.setAside("bad"), "jobs.json.corrupt");
  await files.keepCopy("good");
  assert.equal(await files.readCopy(), "good");
  assert.equal(await Deno.readTextFile(join(folder.path, "cron/jobs.json")), "three");
});

Deno.test("What a person writes beside no job runs at its own pace, whatever it is called", async () => {
  const bench = new CronBench();
  await bench.pass(0);
  const schedule = { kind: "every", everyMs: 100 };
  const payload = { message: "Dream of tea" };
  bench.files.edit(
    JSON.stringify({ version: 1, jobs: [{ id: "d", name: "dream", schedule, payload }] }),
  );
  await bench.pass(0);
  await bench.pass(99);
  assert.deepEqual(bench.runs.ids, []);
  await bench.pass(1);
  assert.equal(bench.runs.ids.length, 1);
  assert.match(bench.runs.texts[0] ?? "", /Dream of tea$/);
  assert.equal((await bench.keeper.remove("d", OWNER)).state, "done");
});

Deno.test("A run is told of with the time that it took", async () => {
  const bench = new CronBench();
  await bench.add({ everySeconds: 60 });
  bench.runs.endsAs = null;
  await bench.pass(MINUTE_MS);
  bench.nowMs += 1_500;
  bench.runs.end();
  await bench.pass(500);
  assert.deepEqual((await bench.job()).state.runHistory.map(({ durationMs }) => durationMs), [
    1_500,
  ]);
});

Deno.test("The last job stays removed where the file was removed by hand just before", async () => {
  const bench = new CronBench();
  const { id } = await bench.add({ everySeconds: 60 });
  bench.files.text = null;
  await bench.keeper.remove(id, OWNER);
  await bench.pass(MINUTE_MS);
  assert.deepEqual([bench.runs.ids.length, bench.files.text], [0, null]);
});
