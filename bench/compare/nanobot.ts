/**
 * nanobot (Python) beside Troupe, with the same configuration, workspace contents and model; where
 * it is installed.
 * @module
 */

import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { ModelServer, say } from "../../tests/simulators/model_server.ts";
import { freePort } from "../../tests/support/free_port.ts";
import { configFor } from "../../tests/support/gateway_process.ts";
import type { BenchRow } from "../bench_row.ts";
import { residentMb } from "../process_memory.ts";
import { median } from "../stats.ts";

const RUNS = 5;
/** A gateway has begun by then, whichever it is. */
const BEGUN_MS = 15_000;
const QUESTION = "How is the weather?";

/** One of the two programs. */
interface Rival {
  readonly name: string;
  /** The words that start it. */
  readonly command: readonly string[];
  /** The words that have its gateway stay with whoever started it. */
  readonly gateway: readonly string[];
  /** Holds its configuration and its workspace. */
  readonly home: string;
}

interface Measured {
  readonly rival: Rival;
  readonly versionMs: number[];
  readonly answerMs: number[];
  idleMb: number;
}

/** Measures both in turns, or says in one line that there is nothing to compare with. */
export async function benchCompare(): Promise<BenchRow[]> {
  const nanobot = Deno.env.get("NANOBOT") ?? "nanobot";
  if (!await isInstalled(nanobot)) {
    const line =
      "compare: nanobot is not installed (set NANOBOT to its program); nothing compared\n";
    Deno.stderr.writeSync(new TextEncoder().encode(line));
    return [];
  }
  const folder = await Deno.makeTempDir({ prefix: "troupe-compare-" });
  try {
    await using model = await ModelServer.start(() => say("Sunny."));
    const mod = fileURLToPath(new URL("../../mod.ts", import.meta.url));
    const troupe = [Deno.execPath(), "run", "-A", "--cached-only", "--no-check", mod];
    return await race([
      await prepare({
        ...{ name: "troupe", command: troupe, home: join(folder, "troupe") },
        gateway: ["gateway"],
      }, model),
      await prepare({
        ...{ name: "nanobot", command: [nanobot], home: join(folder, "nanobot") },
        gateway: ["gateway", "--foreground"],
      }, model),
    ]);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

async function isInstalled(program: string): Promise<boolean> {
  try {
    return (await command([program, "--version"]).output()).success;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}

/** The same settings on both sides. */
async function prepare(rival: Rival, model: ModelServer): Promise<Rival> {
  await Deno.mkdir(join(rival.home, "workspace"), { recursive: true });
  const defaults = { workspace: join(rival.home, "workspace") };
  const config = {
    gateway: { port: freePort() },
    channels: { websocket: { enabled: false } },
  };
  const text = JSON.stringify(configFor({ model, defaults, config }));
  await Deno.writeTextFile(join(rival.home, "config.json"), text);
  return rival;
}

async function race(rivals: readonly Rival[]): Promise<BenchRow[]> {
  const measured = rivals.map((rival): Measured => ({
    ...{ rival, versionMs: [], answerMs: [], idleMb: NaN },
  }));
  for (let run = 0; run <= RUNS; run++) {
    for (const { rival, versionMs, answerMs } of measured) {
      versionMs.push(await timeOf(rival, ["--version"]));
      answerMs.push(await timeOf(rival, ["agent", "-m", QUESTION, ...configOf(rival)]));
    }
  }
  for (const one of measured) one.idleMb = await gatewayMb(one.rival);
  const note = `median of ${RUNS}, in turns`;
  const budget = undefined;
  return measured.flatMap(({ rival: { name }, versionMs, answerMs, idleMb }) => [
    // The first run fills caches.
    {
      what: `${name}: --version`,
      value: median(versionMs.slice(1)),
      ...{ unit: "ms", budget, note },
    },
    {
      what: `${name}: one question, answered at once, start included`,
      value: median(answerMs.slice(1)),
      ...{ unit: "ms", budget, note },
    },
    {
      what: `${name}: RSS of a gateway without channels`,
      value: idleMb,
      ...{ unit: "MB", budget, note: `${BEGUN_MS / 1_000} s after its start` },
    },
  ]);
}

async function timeOf(rival: Rival, args: readonly string[]): Promise<number> {
  const startMs = performance.now();
  const { success, stderr } = await command([...rival.command, ...args], rival).output();
  if (!success) {
    const said = new TextDecoder().decode(stderr).trim();
    throw new Error(`Cannot measure "${rival.name} ${args.join(" ")}": ${said}`);
  }
  return performance.now() - startMs;
}

async function gatewayMb(rival: Rival): Promise<number> {
  const words = [...rival.command, ...rival.gateway, ...configOf(rival)];
  await using gateway = command(words, rival).spawn();
  const said = Promise.all([gateway.stdout.text(), gateway.stderr.text()]);
  const begun = new Promise<null>((resolve) => setTimeout(() => resolve(null), BEGUN_MS));
  const ended = await Promise.race([begun, gateway.status]);
  if (ended !== null) {
    const text = (await said).join("").trim();
    throw new Error(`Cannot measure the gateway of ${rival.name}, which ended: ${text}`);
  }
  const megabytes = await residentMb(gateway.pid);
  gateway.kill("SIGKILL");
  await said;
  return megabytes;
}

function configOf({ home }: Rival): readonly string[] {
  return ["--config", join(home, "config.json")];
}

function command([program = "", ...args]: readonly string[], rival?: Rival): Deno.Command {
  return new Deno.Command(program, {
    args,
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
    ...(rival !== undefined && { env: { TROUPE_HOME: rival.home } }),
  });
}
