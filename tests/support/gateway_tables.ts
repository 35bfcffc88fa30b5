/**
 * The tables of hostile and of everyday calls, run through a whole gateway: the scripted model asks
 * for them by the dozen, so that one turn covers all.
 * @module
 */

import assert from "node:assert/strict";
import { join } from "node:path";
import type { JsonObject } from "../../actors/kernel/json.ts";
import { ATTACKS, EVERYDAY, SECRET } from "../contract/shell_level.ts";
import { callTools, ModelServer, type RecordedRequest, say } from "../simulators/model_server.ts";
import { GatewayHome, GatewayProcess, runTroupe, writeConfig } from "./gateway_process.ts";
import { BAD_REDIRECTS, HOSTILE_URLS } from "./hostile_urls.ts";
import { HARMLESS, HOSTILE, layTraps, placed } from "./path_traps.ts";
import { webServer } from "./web_server.ts";

/** How a gateway is put to the test. */
export interface TablesOptions {
  readonly sandbox: "virtual" | "bwrap";
  /** The words that start it, asked for once its configuration is written. */
  readonly programOf: (home: GatewayHome) => Promise<readonly string[]>;
}

/** A call, and what its result must look like. */
interface TableCall {
  readonly name: string;
  readonly parameters: JsonObject;
  readonly expected: RegExp;
}

/** A turn has at most 64 calls an answer. */
const CALLS_PER_ANSWER = 60;
/** A refusal, whoever speaks it: a tool, the guard, the web, or a command that failed. */
const REFUSAL = /^Error|^Cannot |"error":|Exit code: [1-9]|Exit code: -/m;

/**
 * Runs all tables.
 *
 * @throws {assert.AssertionError} for what got through, and for what should have and did not
 */
export async function tryTables({ sandbox, programOf }: TablesOptions): Promise<void> {
  await using home = await GatewayHome.make();
  await using inside = webServer(() => new Response(SECRET));
  const redirects = BAD_REDIRECTS.map(([to]) =>
    to.replaceAll("127.0.0.2", "127.0.0.1").replaceAll("2130706434", "2130706433")
      .replaceAll("PORT", String(inside.port))
  );
  await using open = Deno.serve(
    { hostname: "127.0.0.2", port: 0, onListen: () => {} },
    ({ url }) => {
      const location = redirects[Number(new URL(url).pathname.slice(1))];
      return location === undefined
        ? new Response("<p>All is well</p>", { headers: { "content-type": "text/html" } })
        : new Response(null, { status: 302, headers: { location } });
    },
  );
  const place = { root: home.path, workspace: home.workspace };
  await Deno.mkdir(home.workspace);
  await layTraps(place);
  await layShellGround(home);
  const site = `http://127.0.0.2:${open.addr.port}`;
  const hostile = hostileCalls(home, inside.port, redirects.map((_, n) => `${site}/${n}`));
  const harmless = harmlessCalls(place, site);
  assert.ok(hostile.length >= 200 && harmless.length >= 60, "the tables are there");
  const table = [...harmless, ...hostile];
  const { model, results } = await scripted(table);
  await using _ = model;
  const config = {
    providers: { custom: { apiKey: SECRET, apiBase: model.baseUrl } },
    tools: { exec: { sandbox, network: "filtered" }, ssrfWhitelist: ["127.0.0.2/32"] },
  };
  await writeConfig(home, { model, config });
  const program = await programOf(home);
  const before = await kept(home);
  await using gateway = await GatewayProcess.start(home, { model, config, program });
  assert.match(await gateway.toolsLine(), new RegExp(`shell: ${sandbox}:`));
  assert.doesNotMatch(gateway.output, /Rights:/);
  const asked = await runTroupe(["agent", "-s", "cli:tables", "-m", "go"], home.path, program);

  assert.equal(asked.stdout, "That was all.\n", `${asked.stderr}${gateway.output}`);
  const wrong = table.filter(({ expected }, index) => !expected.test(results[index] ?? ""))
    .map(({ name, parameters }) => {
      const index = table.findIndex((call) => call.parameters === parameters);
      return `${name} ${JSON.stringify(parameters)}: ${results[index]}`;
    });
  assert.deepEqual(wrong, []);
  assert.deepEqual(results.filter((text) => text.includes(SECRET)), [], "no secret was read");
  assert.deepEqual(inside.requests, [], "nobody came to the port");
  assert.deepEqual(await kept(home), before, "nothing outside has changed");
  assert.equal(await gateway.stop(), 0);
}

async function layShellGround({ path, workspace }: GatewayHome): Promise<void> {
  for (const name of ["sub", "sessions", "memory", "cron", ".git"]) {
    await Deno.mkdir(join(workspace, name));
  }
  for (const name of ["SOUL.md", "USER.md", "memory/MEMORY.md", "sessions/cli_direct.jsonl"]) {
    await Deno.writeTextFile(join(workspace, name), "kept");
  }
  await Deno.writeTextFile(join(workspace, "notes.md"), "one\ntwo\nthree\n");
  await Deno.writeTextFile(join(workspace, "data.csv"), "b,2\na,1\n");
  await Deno.symlink(join(path, "config.json"), join(workspace, "link"));
  await Deno.symlink(path, join(workspace, "up"));
}

function hostileCalls(home: GatewayHome, port: number, redirects: readonly string[]): TableCall[] {
  return [
    // The memory takes changes of its files, and keeps the former version.
    ...HOSTILE.filter(([, , expected]) => !/the memory/.test(expected.source)).map((
      [name, args],
    ) => ({
      name,
      parameters: placed(args, { root: home.path, workspace: home.workspace }),
      expected: REFUSAL,
    })),
    ...[...HOSTILE_URLS.map(([url]) => url), ...redirects].map((url) => ({
      name: "web_fetch",
      parameters: { url },
      expected: REFUSAL,
    })),
    ...ATTACKS.map((attack) => ({
      name: "exec",
      parameters: {
        command: attack.replaceAll("{outside}", home.path).replaceAll("{port}", String(port)),
      },
      // Some attempts end well, as they change or find nothing: what happened is looked at.
      expected: /^/,
    })),
  ];
}

function harmlessCalls(place: { root: string; workspace: string }, site: string): TableCall[] {
  return [
    ...EVERYDAY.filter(([command]) => !/\$HOME|sessions/.test(command))
      .map(([command, expected]) => ({
        name: "exec",
        parameters: { command },
        expected: new RegExp(expected.source.replace(/\$$/, ""), "m"),
      })),
    // Home is where the gateway's user lives, not this folder; and there is no history yet.
    ...HARMLESS.filter(([, { path }]) => !/^~|history/.test(String(path)))
      .map(([name, args, expected]) => ({ name, parameters: placed(args, place), expected })),
    { name: "web_fetch", parameters: { url: `${site}/fine` }, expected: /All is well/ },
  ];
}

/** A model that asks for all of it and keeps what came of each call. */
async function scripted(
  table: readonly TableCall[],
): Promise<{ readonly model: ModelServer; readonly results: string[] }> {
  const results: string[] = [];
  let next = 0;
  const collect = ({ body }: RecordedRequest): void => {
    for (const { role, content, tool_call_id: id } of body.messages) {
      if (role === "tool") results[Number(String(id).slice("call_".length))] ??= String(content);
    }
  };
  const model = await ModelServer.start((request) => {
    collect(request);
    const calls = table.slice(next, next + CALLS_PER_ANSWER)
      .map(({ name, parameters }, index) => ({ name, parameters, id: `call_${next + index}` }));
    next += calls.length;
    return calls.length === 0 ? say("That was all.") : callTools(calls);
  });
  return { model, results };
}

/** What must stay as it is, file by file. */
async function kept({ path, workspace }: GatewayHome): Promise<readonly string[]> {
  const found: string[] = [];
  const look = async (folder: string): Promise<void> => {
    for await (const { name, isFile } of Deno.readDir(folder)) {
      if (name === "ideas.md") continue; // one of the everyday files
      const file = join(folder, name);
      const text = isFile ? await Deno.readTextFile(file) : "";
      found.push(`${file} ${(await Deno.lstat(file)).mode} ${text}`);
    }
  };
  for (const name of ["outside", "workspace-evil"]) await look(join(path, name));
  for (const name of ["cron", "memory", ".git"]) await look(join(workspace, name));
  for (const file of [join(path, "config.json"), join(workspace, "SOUL.md")]) {
    found.push(`${file} ${await Deno.readTextFile(file)}`);
  }
  const names = await Array.fromAsync(Deno.readDir(path), ({ name }) => name);
  return [...found.toSorted(), `written: ${names.includes("written")}`];
}
