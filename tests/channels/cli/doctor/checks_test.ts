import assert from "node:assert/strict";
import { join } from "node:path";
import { systemWorld } from "../../../../actors/gateway/adapters/system_world.ts";
import { type GatewayStatus, statusRequest } from "../../../../actors/gateway/control_requests.ts";
import type { JsonObject } from "../../../../actors/kernel/json.ts";
import { thisMachine } from "../../../../actors/gateway/rights/adapters/machine.ts";
import { CHECKS } from "../../../../channels/cli/doctor/checks.ts";
import { offsetFinding } from "../../../../channels/cli/doctor/checks/clock.ts";
import { versionFinding } from "../../../../channels/cli/doctor/checks/deno.ts";
import { roomFinding } from "../../../../channels/cli/doctor/checks/disk.ts";
import { namesOf } from "../../../../channels/cli/doctor/checks/names.ts";
import { examine, type Examined } from "../../../../channels/cli/doctor/examine.ts";
import {
  type Check,
  type DoctorScene,
  fault,
  ok,
  warning,
} from "../../../../channels/cli/doctor/finding.ts";
import { findingText, summaryText } from "../../../../channels/cli/doctor/report_text.ts";
import { VERSION } from "../../../../channels/cli/version.ts";
import { channelEntries } from "../../../../channels/registry.ts";
import { loadText } from "../../../actors/config/_load.ts";
import { ManualClock } from "../../../support/manual_clock.ts";
import { temporaryFolder } from "../../../support/temporary_folder.ts";

async function sceneWith(changes: Partial<DoctorScene> = {}): Promise<DoctorScene> {
  const loaded = await loadText('{"providers":{"custom":{"apiKey":"sk-hidden-value"}}}', {
    manifests: channelEntries.map(({ manifest }) => manifest),
  });
  return {
    source: { readTextFile: () => Promise.resolve("{}"), env: {}, homeDir: "/h", cwd: "/" },
    configFile: "/h/config.json",
    loaded,
    faults: [],
    machine: thisMachine(),
    running: null,
    silence: null,
    isOffline: true,
    world: systemWorld(),
    ...changes,
  };
}

function check(name: string, run: Check["run"]): Check {
  return { name, timeoutMs: 5_000, run };
}

Deno.test("examine ends a check that gives no answer in its time, and keeps the order", async () => {
  const clock = new ManualClock();
  const scene = await sceneWith({ world: { ...systemWorld(), clock } });
  const told: string[] = [];
  const examining = examine(
    [
      check("slow", () => new Promise(() => {})),
      check("broken", () => Promise.reject(new TypeError("no luck"))),
      check("fine", () => Promise.resolve([ok("yes")])),
    ],
    scene,
    (found) => told.push(...found.map(({ check, state }) => `${check} ${state}`)),
  );
  clock.advance(5_000);
  const found = await examining;
  assert.deepEqual(told, ["slow fault", "broken fault", "fine ok"]);
  assert.match(found[0]?.detail ?? "", /no answer within 5 s/);
  assert.equal(found[1]?.detail, "no luck");
  assert.equal(clock.pending, 0);
});

Deno.test("examine runs checks that take locks one after the other", async () => {
  const { promise: held, resolve: letGo } = Promise.withResolvers<void>();
  const happened: string[] = [];
  const taking = (name: string, until: Promise<void>): Check => ({
    ...check(name, async () => {
      happened.push(`${name} begins`);
      await until;
      happened.push(`${name} ends`);
      return [];
    }),
    takesLocks: true,
  });
  const examining = examine(
    [
      taking("first", held),
      taking("second", Promise.resolve()),
      check("third", () => {
        happened.push("third");
        letGo();
        return Promise.resolve([]);
      }),
    ],
    await sceneWith(),
    () => {},
  );
  await examining;
  const ofLocks = happened.filter((what) => what !== "third");
  assert.deepEqual(ofLocks, ["first begins", "first ends", "second begins", "second ends"]);
});

Deno.test("examine lets no secret through, and keeps each text on a line", async () => {
  const found = await examine(
    [check(
      "leaky",
      () => Promise.resolve([fault("key sk-hidden-value\nwas", "use sk-hidden-value")]),
    )],
    await sceneWith(),
    () => {},
  );
  assert.deepEqual([found[0]?.detail, found[0]?.fix], ["key *** was", "use ***"]);
});

Deno.test.each([
  ["2.9.6", "ok"],
  ["3.0.0", "ok"],
  ["2.6.8", "warning"],
])("Deno %s is %s", (version, state) => {
  assert.equal(versionFinding({ version, isCompiled: false }).state, state);
});

Deno.test.each<[number, string]>([
  [10_000_000, "fault"],
  [100_000_000, "warning"],
  [10_000_000_000, "ok"],
])("%i free bytes are %s", (bytes, state) => {
  assert.equal(roomFinding(bytes).state, state);
});

Deno.test.each<[number, string]>([
  [500, "ok"],
  [-29_000, "ok"],
  [-45_000, "warning"],
  [6 * 60_000, "fault"],
])("A clock that is %i ms off is %s", (offsetMs, state) => {
  assert.equal(offsetFinding(offsetMs, "UTC").state, state);
});

Deno.test("namesOf keeps names of other machines, each once", () => {
  const hosts = [
    "api.x.org:443",
    "api.x.org:80",
    "127.0.0.1:80",
    "[::1]:80",
    "localhost:1",
    "*.y:1",
  ];
  assert.deepEqual(namesOf(hosts), ["api.x.org"]);
});

const CHANNEL = { restarts: 0, last_error: null, last_event: null, outbox: 0 };
/** As a gateway tells it; what is new in it has its default. */
const RUNNING: GatewayStatus = statusRequest.result.parse({
  pid: 42,
  command: "gateway",
  startedAtMs: 0,
  configFile: "/nowhere/config.json",
  workspace: "/w",
  stateFolder: "/s",
  model: "Model: m",
  healthUrl: null,
  health: {
    status: "ok",
    version: VERSION,
    uptime_s: 61,
    channels: {},
    mcp: {},
    sessions: { awake: 0 },
    turns: { running: 0, waiting: 0, limit: 3 },
    queue: null,
    dead_letters: 0,
  },
});

async function statesOf(name: string, scene: DoctorScene): Promise<readonly string[]> {
  const checks = CHECKS.filter((one) => one.name === name);
  return (await examine(checks, scene, () => {})).map(({ state, detail }) => `${state} ${detail}`);
}

Deno.test("doctor takes the word of a gateway that runs", async () => {
  assert.deepEqual(await statesOf("Gateway", await sceneWith({ running: RUNNING })), [
    "ok process 42 runs, ok, up 1m 1s",
  ]);
  const jobs = { count: 1, enabled: 1, running: 0, next_due: null, trouble: "disk full" };
  const config = { state: "refused", problem: "no JSON", at_next_start: ["gateway.port"] };
  const fence = { backed_up_at: "2026-05-01T08:00:00Z", lifted_by: "restore --unfence" };
  const bad = { status: "degraded", version: "0.0.1", jobs, config, fence, dead_letters: 2 };
  const health = { ...RUNNING.health, ...bad };
  const states = await statesOf("Gateway", await sceneWith({ running: { ...RUNNING, health } }));
  assert.deepEqual(states.map((line) => line.split(" ")[0]), [
    ...["ok", "fault", "warning", "warning", "fault", "warning", "fault", "warning"],
  ]);
});

Deno.test("doctor tells an address that is not there from a port that is taken", async () => {
  using taken = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  await using folder = await temporaryFolder();
  const fixOf = async (gateway: JsonObject) => {
    const agents = { defaults: { workspace: folder.path } };
    const loaded = await loadText(JSON.stringify({ gateway, agents }), { manifests: [] });
    const locations = { ...loaded.locations, stateFolder: join(folder.path, "state") };
    const scene = await sceneWith({ loaded: { ...loaded, locations } });
    return (await examine(CHECKS.filter(({ name }) => name === "Gateway"), scene, () => {}))[0]
      ?.fix;
  };
  assert.match(await fixOf({ port: taken.addr.port }) ?? "", /config set gateway\.port/);
  const nowhere = await fixOf({ host: "192.0.2.1", port: 0 });
  assert.match(nowhere ?? "", /config set gateway\.host 127\.0\.0\.1/);
});

Deno.test.each<[string | null, RegExp]>([
  [null, /^ok none$/],
  ['{"jobs": [', /^fault cron\/jobs\.json cannot be read: it is no JSON$/],
  [
    JSON.stringify({
      jobs: [{
        ...{ id: "j1", name: "n", enabled: true },
        ...{ schedule: { kind: "cron", expr: "99 * * * *" }, payload: { message: "m" } },
      }],
    }),
    /^warning job "j1" does not run: /,
  ],
])("doctor looks at the jobs %j", async (text, expected) => {
  await using folder = await temporaryFolder();
  await Deno.mkdir(join(folder.path, "cron"));
  if (text !== null) await Deno.writeTextFile(join(folder.path, "cron", "jobs.json"), text);
  const loaded = await loadText("{}", { manifests: [], workspace: folder.path });
  assert.match((await statesOf("Jobs", await sceneWith({ loaded }))).join("\n"), expected);
});

Deno.test("doctor tells of a gateway that runs and does not answer", async () => {
  const states = await statesOf("Gateway", await sceneWith({ silence: "no answer within 10 s" }));
  assert.deepEqual(states, ["fault it does not answer: no answer within 10 s"]);
});

Deno.test("doctor tells of channels as the gateway that runs has them", async () => {
  const text = '{"channels":{"telegram":{"enabled":true,"token":"1:abcdefgh","allowFrom":["7"]}}}';
  const loaded = await loadText(text, {
    manifests: channelEntries.map(({ manifest }) => manifest),
  });
  const states = async (channels: GatewayStatus["health"]["channels"]) => {
    const running = { ...RUNNING, health: { ...RUNNING.health, channels } };
    return await statesOf("Channels", await sceneWith({ loaded, running }));
  };
  assert.match(
    (await states({}))[0] ?? "",
    /^warning telegram: the gateway that runs does not have/,
  );
  const failed = { ...CHANNEL, state: "failed", detail: "token revoked" };
  assert.match(
    (await states({ telegram: failed }))[0] ?? "",
    /^fault telegram is failed: token rev/,
  );
  const ready = { ...CHANNEL, state: "ready", detail: "@bot" };
  assert.equal((await states({ telegram: ready }))[0], "ok telegram: @bot");
});

Deno.test("What is found is a line with its fix below, and a count at the end", () => {
  const found: Examined[] = [
    { check: "A", ...ok("well") },
    { check: "B", ...warning("odd", "look") },
    { check: "C", ...fault("bad", null) },
  ];
  assert.equal(found.map(findingText).join(""), "✓ A: well\n! B: odd\n    look\n✗ C: bad\n");
  assert.equal(summaryText(found), "1 fault, 1 warning.\n");
  assert.equal(summaryText(found.slice(0, 1)), "All is well.\n");
});
