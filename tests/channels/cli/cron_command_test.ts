import assert from "node:assert/strict";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { startInProcess } from "../../support/gateway_in_process.ts";
import { configFor, GatewayHome } from "../../support/gateway_process.ts";
import { until } from "../../support/until.ts";
import { ModelServer, say } from "../../simulators/model_server.ts";
import { home, run as runCommand } from "./_provider_home.ts";

/** Runs a command on a home's own workspace. */
function run({ folder }: { readonly folder: string }, ...args: readonly string[]) {
  const config = join(folder, "config.json");
  return runCommand({ config }, ...args, "--workspace", join(folder, "workspace"));
}

async function emptyHome() {
  const place = await home({});
  await mkdir(join(place.folder, "workspace"), { recursive: true });
  return place;
}

Deno.test("cron makes, lists, pauses and removes jobs while no gateway runs", async () => {
  await using place = await emptyHome();
  assert.equal((await run(place, "cron", "list")).out, "No jobs are scheduled\n");
  const add = ["cron", "add", "Water the plants", "--cron", "0 9 * * MON", "--tz", "Asia/Tokyo"];
  const made = await run(place, ...add, "--to", "feishu:oc_1");
  assert.equal(made.code, 0, made.err);
  const [, id = ""] = /\((\w{8})\): cron: 0 9 \* \* MON \(Asia\/Tokyo\)/.exec(made.out) ?? [];
  assert.equal(made.out.match(/next \d{4}-\d\d-\d\dT09:00:00\+09:00/g)?.length, 3);
  assert.equal((await run(place, "cron", "disable", id)).code, 0);
  assert.match((await run(place, "cron", "list")).out, /Water the plants .*paused\)/);
  assert.equal((await run(place, "cron", "enable", id.slice(0, 4))).code, 0);
  const edited = await run(place, "cron", "edit", id, "--every", "90", "--name", "Plants");
  assert.match(edited.out, /Changed job Plants .*every 90s/);
  assert.equal((await run(place, "cron", "history", id)).out, "It was never due\n");
  const started = await run(place, "cron", "run", id);
  assert.deepEqual([started.code, /no gateway runs/.test(started.err)], [1, true]);
  const { jobs } = JSON.parse((await run(place, "cron", "list", "--json")).out);
  assert.deepEqual(jobs[0].payload.to, "oc_1");
  assert.equal((await run(place, "cron", "remove", id)).code, 0);
  assert.equal((await run(place, "cron", "remove", id)).code, 1);
});

Deno.test.each(
  [
    [["--cron", "61 * * * *"], 1, /Invalid value for minute/],
    [["--every", "3"], 1, /10s at least/],
    [["--at", "2020-01-01"], 1, /that was/],
    [[], 2, /give --every, --cron or --at/],
    [["--every", "soon"], 2, /a number of seconds/],
    [["--every", "60", "--to", "oc_1"], 2, /name channel and chat/],
    [["--every", "60", "--missed", "often"], 2, /skip, once, all/],
  ] as const,
)("cron add with %j fails with a word that helps", async (flags, code, expected) => {
  await using place = await emptyHome();
  const refused = await run(place, "cron", "add", "Hi", ...flags);
  assert.equal(refused.code, code);
  assert.match(refused.err, expected);
});

Deno.test("cron reaches the jobs of a gateway that runs, and starts one of them", async () => {
  await using house = await GatewayHome.make();
  await using model = await ModelServer.start([say("Watered.")]);
  const config = configFor({ model });
  await Deno.writeTextFile(join(house.path, "config.json"), JSON.stringify(config));
  await using running = await startInProcess(house, config);
  const place = { folder: house.path };
  const made = await run(place, "cron", "add", "Water", "--every", "3600", "--to", "probe:anna");
  const [, id = ""] = /\((\w{8})\)/.exec(made.out) ?? [];
  assert.equal((await run(place, "cron", "run", id)).code, 0);
  await until(() => running.probe.textsOf("anna").includes("Watered."), { timeoutMs: 20_000 });
  await until(async () => /ok in/.test((await run(place, "cron", "history", id)).out));
  const { jobs } = await running.gateway.health();
  assert.equal(jobs?.count, 1);
});
