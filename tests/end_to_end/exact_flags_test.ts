import assert from "node:assert/strict";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import type { JsonObject } from "../../actors/kernel/json.ts";
import {
  GatewayHome,
  GatewayProcess,
  type GatewayProcessOptions,
  runTroupe,
  writeConfig,
} from "../support/gateway_process.ts";
import { PROGRAM } from "../support/troupe_program.ts";
import { temporaryFolder } from "../support/temporary_folder.ts";
import { until } from "../support/until.ts";
import { FeishuPlatform } from "../simulators/feishu_server.ts";
import { callTool, ModelServer, say } from "../simulators/model_server.ts";

const printedSchema = z.object({
  command: z.array(z.string()),
  rights: z.record(z.string(), z.array(z.string())),
  parts: z.array(z.object({ part: z.string() })),
});
type Printed = z.infer<typeof printedSchema>;

const PNG = Uint8Array.fromBase64(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
);

/** Tools in processes of plain Deno: no bubblewrap is needed. */
const VIRTUAL: JsonObject = { tools: { exec: { sandbox: "virtual" } } };

/** Variables that some machines have, without which no gateway does less. */
const SPARED = [
  ...["INVOCATION_ID", "NO_PROXY", "no_proxy"],
  ...["HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"],
].flatMap((name) => ["-u", name]);

/** What `permissions` prints for a configuration. */
async function printed(home: GatewayHome, options: GatewayProcessOptions): Promise<Printed> {
  await writeConfig(home, options);
  const { code, stdout, stderr } = await runTroupe(
    ["permissions", "--json"],
    home.path,
    ["env", ...SPARED, ...PROGRAM],
  );
  assert.equal(code, 0, stderr);
  return printedSchema.parse(JSON.parse(stdout));
}

/** The printed command without the word `gateway`. */
function programOf({ command }: Printed): string[] {
  assert.equal(command.at(-1), "gateway");
  return command.slice(0, -1);
}

/** The same without one value of one flag. */
function without(program: readonly string[], right: string, value: string): string[] {
  return program.flatMap((word) => {
    const flag = `--allow-${right}`;
    if (word === flag) return [];
    if (!word.startsWith(`${flag}=`)) return [word];
    const left = word.slice(flag.length + 1).split(",").filter((other) => other !== value);
    return left.length === 0 ? [] : [`${flag}=${left.join(",")}`];
  });
}

interface Day {
  readonly home: GatewayHome;
  readonly options: GatewayProcessOptions;
  readonly platform: FeishuPlatform;
  readonly model: ModelServer;
  /** Where Deno writes down what the gateway asks for: one process only, or lines get mixed. */
  readonly log: string;
}

/** One message with a tool of each kind, the door, a question beside the gateway, health, the end. */
async function liveThroughDay(program: readonly string[], day: Day): Promise<void> {
  const { home, options, platform, model, log } = day;
  const logged = ["env", `DENO_AUDIT_PERMISSIONS=${log}`, ...program];
  await using gateway = await GatewayProcess.start(home, { ...options, program: logged });
  await platform.connected({ timeoutMs: 30_000 });
  const picture = platform.storeFile({ name: "dot.png", bytes: PNG, type: "image" });
  await platform.userSays({ msgType: "image", content: { image_key: picture } }).acknowledged;
  await until(() => platform.chat("ou_alice").fromBot.at(-1)?.card?.isStreaming === false, {
    what: "a word on the picture",
    timeoutMs: 30_000,
  });
  await platform.userSays({ text: "please" }).acknowledged;
  await until(() => JSON.stringify(platform.chat("ou_alice").fromBot).includes("Done."), {
    what: "the answer",
    timeoutMs: 30_000,
  });
  const results = model.requests.flatMap(({ body }) => body.messages)
    .filter(({ role }) => role === "tool").map(({ content }) => String(content));
  assert.ok(results.some((text) => text.includes("from the shell")), results.join("\n"));
  assert.ok(results.some((text) => text.includes("note.txt")), results.join("\n"));
  assert.equal(await Deno.readTextFile(join(home.workspace, "note.txt")), "kept");
  const { stdout, stderr } = await runTroupe(["agent", "-m", "and you?"], home.path, program);
  assert.equal(stdout, "Here too.\n", stderr);
  assert.equal((await runTroupe(["status"], home.path, program)).code, 0);
  assert.equal((await runTroupe(["audit", "verify"], home.path, program)).code, 0);
  assert.equal((await gateway.health())["status"], "ok");
  assert.equal(await gateway.stop(), 0);
  assert.doesNotMatch(gateway.output, REFUSED);
  // What the first life left behind (journal, locks, socket, sessions) is taken up by a second one.
  await using again = await GatewayProcess.start(home, { ...options, program });
  const later = await runTroupe(["agent", "-m", "still there?"], home.path, program);
  assert.equal(later.stdout, "Still here.\n", later.stderr);
  assert.match(JSON.stringify(model.requests.at(-1)?.body.messages), /and you\?.*Here too\./);
  assert.equal(await again.stop(), 0);
  assert.doesNotMatch(again.output, REFUSED);
}

const REFUSED = /NotCapable|Requires \w+ access|Rights:/;

function answers() {
  return [
    say("A dot."),
    callTool("exec", { command: "echo from the shell" }),
    callTool("write_file", { path: "note.txt", content: "kept" }),
    callTool("list_dir", { path: "." }),
    callTool("web_fetch", { url: "http://127.0.0.1:1/" }),
    say("Done."),
    say("Here too."),
    say("Still here."),
  ];
}

Deno.test("A gateway lives through a day under the printed flags, each of which it uses", async () => {
  await using home = await GatewayHome.make();
  await using folder = await temporaryFolder();
  const log = join(folder.path, "asked.jsonl");
  await using platform = await FeishuPlatform.start();
  await using model = await ModelServer.start(answers());
  const options = { model, feishu: platform, config: VIRTUAL };
  const found = await printed(home, options);
  await liveThroughDay(programOf(found), { home, options, platform, model, log });
  const asked = (await Deno.readTextFile(log)).trimEnd().split("\n")
    .map((line) => askedSchema.parse(JSON.parse(line)));
  for (const [right, values] of Object.entries(found.rights)) {
    if (right === "run") continue; // Deno does not write these down; the hosts and the shell ran
    for (const value of values) {
      const uses = asked.filter(({ permission, value: used }) =>
        permission === right && (right === "env" && used === null || isCovered(used ?? "", value))
      );
      assert.ok(uses.length > 0, `--allow-${right}=${value} is used`);
    }
  }
});

const askedSchema = z.object({ permission: z.string(), value: z.string().nullish() });

/** Whether what was asked for falls under what was allowed. */
function isCovered(asked: string, allowed: string): boolean {
  const place = /^https?:/.test(asked) ? new URL(asked).host : asked;
  return place === allowed || place.startsWith(`${allowed}/`);
}

Deno.test("The printed flags let the gateway read the variables that hold its secrets", async () => {
  await using home = await GatewayHome.make();
  await using model = await ModelServer.start();
  const custom = { apiKey: "${MODEL_API_KEY}", apiBase: model.baseUrl };
  const options = { config: { ...VIRTUAL, providers: { custom } } };
  await writeConfig(home, options);
  const withKey = ["env", "MODEL_API_KEY=k1", Deno.execPath()];
  const printing = [
    ...withKey,
    "run",
    "-A",
    "--no-check",
    fileURLToPath(new URL("../../mod.ts", import.meta.url)),
  ];
  const { stdout, stderr } = await runTroupe(["permissions", "--json"], home.path, printing);
  assert.equal(stderr, "");
  const found = printedSchema.parse(JSON.parse(stdout));
  assert.ok(found.rights["env"]?.includes("MODEL_API_KEY"));
  const program = [...withKey, ...programOf(found).slice(1)];
  await using gateway = await GatewayProcess.start(home, { ...options, program });
  assert.equal(await gateway.stop(), 0);
  assert.doesNotMatch(gateway.output, REFUSED);
});

Deno.test("The printed flags start a gateway where HOME is empty", async () => {
  await using home = await GatewayHome.make();
  const options = { config: VIRTUAL };
  await writeConfig(home, options);
  const homeless = ["env", "HOME=", `TROUPE_HOME=${home.path}`];
  const { stdout } = await runTroupe(["permissions", "--json"], home.path, [
    ...homeless,
    ...PROGRAM,
  ]);
  const found = printedSchema.parse(JSON.parse(stdout));
  assert.deepEqual(found.rights["sys"], ["homedir"]);
  const program = [...homeless, ...programOf(found)];
  await using gateway = await GatewayProcess.start(home, { ...options, program });
  assert.equal(await gateway.stop(), 0);
  assert.doesNotMatch(gateway.output, REFUSED);
});

Deno.test.each([0, 1])(
  "Whichever value of the printed flags is missing, the start says so (%s)",
  async (half) => {
    await using home = await GatewayHome.make();
    await using platform = await FeishuPlatform.start();
    await using model = await ModelServer.start();
    const options = { model, feishu: platform, config: VIRTUAL };
    const found = await printed(home, options);
    const program = programOf(found);
    const values = Object.entries(found.rights)
      .flatMap(([right, list]) => list.map((value) => ({ right, value })));
    assert.ok(values.length >= 10, "there are values to drop");
    for (const { right, value } of values.filter((_, index) => index % 2 === half)) {
      const told = await startOf(home, options, without(program, right, value));
      const isElsewhere = !told.includes(`Config: ${home.path}/config.json`);
      assert.ok(isElsewhere || /Rights: |Error: /.test(told), `${right} ${value}: ${told}`);
      assert.doesNotMatch(told, /another process/);
    }
  },
);

Deno.test("Without the right to run Deno there is no shell, and hosts are threads", async () => {
  await using home = await GatewayHome.make();
  await using model = await ModelServer.start([
    callTool("exec", { command: "echo from the shell" }),
    callTool("write_file", { path: "note.txt", content: "kept" }),
    say("Tried."),
  ]);
  const options = { model, config: VIRTUAL };
  const found = await printed(home, options);
  const [deno = ""] = found.rights["run"] ?? [];
  assert.deepEqual(found.rights["run"], [deno]);
  const program = without(programOf(found), "run", deno);
  await using gateway = await GatewayProcess.start(home, { ...options, program });
  assert.match(gateway.output, /Tool hosts: threads of the gateway/);
  await until(() => gateway.output.includes("shell: off")); // once the shell was tried
  const asked = await runTroupe(["agent", "-m", "try"], home.path, program);
  assert.equal(asked.stdout, "Tried.\n", asked.stderr);
  const [shell = ""] = (model.requests.at(-1)?.body.messages ?? [])
    .filter(({ role }) => role === "tool").map(({ content }) => String(content));
  assert.match(shell, /^Error: commands are off/);
  assert.equal(await Deno.readTextFile(join(home.workspace, "note.txt")), "kept");
  assert.doesNotMatch(JSON.stringify(model.requests[0]?.body["tools"]), /"exec"/);
  assert.equal(await gateway.stop(), 0);
});

/** What a gateway says until it is ready, or ends. */
async function startOf(
  home: GatewayHome,
  options: GatewayProcessOptions,
  program: readonly string[],
): Promise<string> {
  try {
    await using gateway = await GatewayProcess.start(home, { ...options, program });
    return gateway.output;
  } catch (error) {
    return String(error);
  }
}
