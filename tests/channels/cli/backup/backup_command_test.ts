import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { z } from "zod";
import { systemConfigSource } from "../../../../actors/config/adapters/system_source.ts";
import { loadConfig } from "../../../../actors/config/load_config.ts";
import { listenControl } from "../../../../actors/gateway/adapters/control_socket.ts";
import { systemWorld } from "../../../../actors/gateway/adapters/system_world.ts";
import { snapshotRequest } from "../../../../actors/gateway/backup/snapshot.ts";
import { ControlDoor } from "../../../../actors/gateway/control_door.ts";
import { answers } from "../../../../actors/gateway/control_handler.ts";
import { Gateway } from "../../../../actors/gateway/gateway.ts";
import { main } from "../../../../channels/cli/main.ts";
import { lastUserText, ModelServer, say } from "../../../simulators/model_server.ts";
import { startInProcess } from "../../../support/gateway_in_process.ts";
import { GatewayHome } from "../../../support/gateway_process.ts";
import { TroupeCommand } from "../../../support/troupe_command.ts";
import { until } from "../../../support/until.ts";

/** Runs a command in this process. */
async function troupe(
  ...args: string[]
): Promise<{ readonly code: number; readonly text: string }> {
  let text = "";
  const write = (more: string) => void (text += more);
  const code = await main(args, {
    ...{ write, writeError: write },
    ...{ isInteractive: false, hasColors: false },
  });
  return { code, text };
}

function settingsFor(model: ModelServer) {
  return {
    agents: { defaults: { model: "m", provider: "custom", workspace: "workspace" } },
    providers: { custom: { apiBase: model.baseUrl, apiKey: "sk-secret-0123456789" } },
    gateway: { port: 0, heartbeat: { enabled: false } },
    tools: { exec: { enable: false } },
  };
}

const doneRow = z.array(z.object({ content: z.string(), session_key: z.string() }));

/** Of each message that the journal calls answered, that it stands in its conversation. */
async function checkWhole(home: string): Promise<number> {
  using journal = new DatabaseSync(join(home, "state", "journal.sqlite"));
  const query = "select content, session_key from inbounds where state = 'done'";
  const done = doneRow.parse(journal.prepare(query).all());
  const kept = JSON.stringify(journal.prepare("select text from lines").all());
  for (const { content, session_key: key } of done) {
    const file = join(home, "workspace", "sessions", `${key.replace(":", "_")}.jsonl`);
    const text = await Deno.readTextFile(file).catch(() => "");
    assert.ok(`${text}${kept}`.includes(content), `"${content}" stands in ${key}`);
  }
  const { quick_check: check } = z.object({ quick_check: z.string() })
    .parse(journal.prepare("pragma quick_check").get());
  assert.equal(check, "ok");
  return done.length;
}

/** Starts what was restored, without a channel of the test. */
async function startRestored(home: string, printed: string[]): Promise<Gateway> {
  const loaded = await loadConfig({
    source: systemConfigSource({ HOME: home, TROUPE_HOME: home }),
    manifests: [],
  });
  return await Gateway.start({
    ...{ loaded, version: "0", world: systemWorld(), isWhole: true },
    print: (line) => printed.push(line),
  });
}

Deno.test("A backup that is killed leaves no file under its name", async () => {
  await using home = await GatewayHome.make();
  const big = join(home.workspace, "big");
  await Deno.mkdir(dirname(big), { recursive: true });
  await Deno.writeFile(big, new Uint8Array());
  await Deno.truncate(big, 4_000_000_000); // a hole, which takes no room
  const path = join(home.path, "copy.tar");
  await using command = new TroupeCommand({ home: home.path, args: ["backup", path] });
  await until(() => Deno.stat(`${path}.partial`).then(({ size }) => size > 0, () => false), {
    timeoutMs: 60_000,
    what: "a beginning",
  });
  command.signal("SIGKILL");
  await command.ended();
  await assert.rejects(Deno.stat(path), Deno.errors.NotFound);
});

Deno.test("A backup whose copy of the journal has gone is none", async () => {
  await using home = await GatewayHome.make();
  const config = join(home.path, "config.json");
  const stateFolder = join(home.path, "state");
  await Deno.mkdir(stateFolder, { recursive: true });
  await Deno.writeTextFile(config, "{}");
  const journal = join(stateFolder, "backup", "journal-1.sqlite");
  const snapshot = { journal, workspace: home.workspace, sessions: {} };
  await using _door = new ControlDoor({
    listener: await listenControl(stateFolder),
    handlers: [answers(snapshotRequest, () => Promise.resolve(snapshot))],
    clock: systemWorld().clock,
    version: "0",
  });
  const archive = join(home.path, "copy.tar");
  const { code, text } = await troupe("backup", archive, "--config", config);
  assert.match(text, /the copy of the journal has gone/);
  assert.equal(code, 1);
  await assert.rejects(Deno.stat(archive), Deno.errors.NotFound);
});

Deno.test("A backup of a busy gateway is whole, and its copy is fenced until that is lifted", async () => {
  await using home = await GatewayHome.make();
  await using place = await GatewayHome.make();
  const hold = Promise.withResolvers<void>();
  await using model = await ModelServer.start(async (request) => {
    if (lastUserText(request).endsWith("hold")) await hold.promise;
    return say("Yes.");
  });
  const config = join(home.path, "config.json");
  await Deno.writeTextFile(config, JSON.stringify(settingsFor(model)));
  const archive = join(place.path, "copy.tar.gz");
  {
    await using running = await startInProcess(home, settingsFor(model));
    const { probe } = running;
    const answered = (chat: string) => probe.textsOf(chat).length;
    await probe.say("held", "please hold");
    let isOver = false;
    const talking = ["a", "b", "c"].map(async (chat) => {
      for (let number = 0; !isOver; number++) {
        await probe.say(chat, `${chat} says ${number}.`);
        await until(() => answered(chat) > number, { what: "an answer" });
      }
    });
    await until(() => answered("a") > 3 && answered("b") > 3, { what: "some talk" });
    const { code, text } = await troupe("backup", archive, "--config", config);
    isOver = true;
    await Promise.all(talking);
    hold.resolve();
    assert.equal(code, 0, text);
    assert.match(text, /no keys, tokens or sign-ins/);
    assert.match(text, /TROUPE_SECRET_PROVIDERS_CUSTOM_API_KEY/);
  }
  const copy = join(place.path, "home");
  const restored = await troupe("restore", archive, "--config", join(copy, "config.json"));
  assert.equal(restored.code, 0, restored.text);
  assert.match(restored.text, /fenced/);
  // The one that is held, and what was just being answered.
  const parked = Number(/: (\d+) messages without an answer/.exec(restored.text)?.[1]);
  assert.ok(parked >= 1 && parked <= 4, restored.text);
  assert.ok(await checkWhole(copy) > 6);
  assert.doesNotMatch(await Deno.readTextFile(join(copy, "config.json")), /sk-secret/);

  const again = await troupe("restore", archive, "--config", join(copy, "config.json"));
  assert.equal(again.code, 1);
  assert.match(again.text, /--force/);

  await Deno.writeTextFile(join(copy, "config.json"), JSON.stringify(settingsFor(model)));
  const requests = model.requests.length;
  const printed: string[] = [];
  {
    await using gateway = await startRestored(copy, printed);
    assert.match(printed.join("\n"), /Fenced: restored from a backup of 20/);
    const { fence, channels, stranded } = await gateway.health();
    assert.equal(fence?.lifted_by, "restore --unfence");
    assert.deepEqual(channels, {});
    assert.equal(stranded?.parked, parked);
    const configFlag = ["--config", join(copy, "config.json")];
    assert.match((await troupe("status", ...configFlag)).text, /Fenced/);
    const id = /\b(in-?\d+|\d+)\b/.exec((await troupe("failed", ...configFlag)).text)?.[0] ?? "";
    const retried = await troupe("retry", id, ...configFlag);
    assert.match(retried.text, /fenced/);
    assert.equal(retried.code, 1);
  }
  assert.equal(model.requests.length, requests, "nothing is asked inside a fence");
  const lifted = await troupe("restore", "--unfence", "--config", join(copy, "config.json"));
  assert.match(lifted.text, /The fence is lifted/);
  const flags = ["--config", join(copy, "config.json")];
  assert.doesNotMatch((await troupe("status", ...flags)).text, /Fenced/);
  const held = JSON.parse((await troupe("failed", "--json", ...flags)).text);
  const states = z.array(z.object({ direction: z.string(), state: z.string() })).parse(held);
  const isParked = ({ state }: { readonly state: string }) => state === "parked";
  assert.equal(states.filter(isParked).length, parked, "held until somebody decides");
});
