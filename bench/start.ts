/**
 * What people wait for at the command line, and what the gateway takes while it waits for them.
 * Real processes, with Feishu's simulator as the one channel.
 * @module
 */

import { join } from "node:path";
import { GatewayHome, GatewayProcess, runTroupe } from "../tests/support/gateway_process.ts";
import { FeishuPlatform, NO_LIMITS } from "../tests/simulators/feishu_server.ts";
import { ModelServer, say } from "../tests/simulators/model_server.ts";
import { PROGRAM } from "../tests/support/troupe_program.ts";
import { until } from "../tests/support/until.ts";
import type { BenchRow } from "./bench_row.ts";
import { residentMb, settledMb } from "./process_memory.ts";
import { median } from "./stats.ts";

const STARTS = 5;
/** What a service, and the image, has in its environment: freed memory is kept once. */
const ONE_STORE = ["env", "MALLOC_ARENA_MAX=1"];
const SESSIONS_ON_DISK = 100_000;

/** One start, milliseconds since the process was started. */
interface Start {
  readonly healthyMs: number;
  readonly connectedMs: number;
}

/** Who the gateway talks with. */
interface Surroundings {
  readonly feishu: FeishuPlatform;
  readonly model: ModelServer;
}

/** Measures starts, with and without 100,000 sessions on disk in turns. */
export async function benchStart(): Promise<BenchRow[]> {
  await using feishu = await FeishuPlatform.start({ limits: NO_LIMITS });
  await using model = await ModelServer.start(() => say("hello"));
  const surroundings = { feishu, model };
  await using home = await GatewayHome.make();
  await using fullHome = await GatewayHome.make();
  // Warm-up: fills the caches and makes the workspaces.
  await start(home, surroundings);
  await start(fullHome, surroundings);
  writeSessions(join(fullHome.workspace, "sessions"));
  const empty: Start[] = [];
  const full: Start[] = [];
  for (let run = 0; run < STARTS; run++) {
    empty.push(await start(home, surroundings));
    full.push(await start(fullHome, surroundings));
  }
  return [
    await commandRow("--help"),
    await commandRow("--version"),
    {
      what: "gateway: start to a healthy /health, one channel",
      value: median(empty.map(({ healthyMs }) => healthyMs)),
      unit: "ms",
      budget: { atMost: 500 },
      note: `median of ${STARTS}, process start included`,
    },
    {
      what: "gateway: start to a connected channel",
      value: median(empty.map(({ connectedMs }) => connectedMs)),
      unit: "ms",
      budget: undefined,
      note: `median of ${STARTS}, Feishu simulator`,
    },
    await idleRow(home, surroundings, { how: "by hand", program: PROGRAM }),
    await idleRow(home, surroundings, { how: "as a service", program: [...ONE_STORE, ...PROGRAM] }),
    sessionsRow(empty, full),
  ];
}

async function commandRow(flag: string): Promise<BenchRow> {
  const timesMs: number[] = [];
  for (let run = 0; run <= STARTS; run++) {
    const startMs = performance.now();
    await runTroupe([flag], Deno.cwd());
    timesMs.push(performance.now() - startMs);
  }
  return {
    what: `troupe ${flag}`,
    value: median(timesMs.slice(1)), // the first fills the caches
    unit: "ms",
    budget: { atMost: 100 },
    note: `median of ${STARTS}`,
  };
}

async function start(home: GatewayHome, surroundings: Surroundings): Promise<Start> {
  const connectionsBefore = surroundings.feishu.connections.length;
  const startMs = performance.now();
  await using gateway = await GatewayProcess.start(home, surroundings);
  const { status } = await gateway.health();
  const healthyMs = performance.now() - startMs;
  if (status !== "ok") throw new Error(`Cannot measure a start: the gateway is ${status}`);
  await until(() => surroundings.feishu.connections.length > connectionsBefore, {
    timeoutMs: 30_000,
    what: "the channel's connection",
  });
  const connectedMs = performance.now() - startMs;
  await gateway.kill();
  return { healthyMs, connectedMs };
}

async function idleRow(
  home: GatewayHome,
  surroundings: Surroundings,
  { how, program }: { readonly how: string; readonly program: readonly string[] },
): Promise<BenchRow> {
  await using gateway = await GatewayProcess.start(home, { ...surroundings, program });
  await surroundings.feishu.connected();
  const atOnceMb = await residentMb(gateway.pid);
  const idleMb = await settledMb(gateway.pid);
  await gateway.kill();
  return {
    what: `gateway: RSS with one channel, before the first turn, started ${how}`,
    value: idleMb,
    unit: "MB",
    budget: { atMost: 130 },
    note: `after 45 idle seconds; ${Math.round(atOnceMb)} MB when it has just connected`,
  };
}

function sessionsRow(empty: readonly Start[], full: readonly Start[]): BenchRow {
  const [before, after] = [empty, full].map((all) => median(all.map((one) => one.healthyMs)));
  return {
    what: `gateway: start with ${SESSIONS_ON_DISK.toLocaleString("en")} sessions on disk`,
    value: (after ?? NaN) / (before ?? NaN),
    unit: "times",
    budget: { atMost: 1.1 },
    note: `against none, medians of ${STARTS} each, in turns`,
  };
}

function writeSessions(folder: string): void {
  for (let index = 0; index < SESSIONS_ON_DISK; index++) {
    Deno.writeTextFileSync(join(folder, `feishu_ou_${index}.jsonl`), sessionText(index));
  }
}

function sessionText(index: number): string {
  const timestamp = new Date(0).toISOString();
  return [
    { _type: "metadata", key: `feishu:ou_${index}`, created_at: timestamp, updated_at: timestamp },
    { role: "user", content: "hi", timestamp },
    { role: "assistant", content: "Hello!", timestamp },
  ].map((line) => `${JSON.stringify(line)}\n`).join("");
}
