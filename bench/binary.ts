/**
 * The program as one file beside `deno run`: its size, and how long each takes to begin.
 * @module
 */

import { FeishuPlatform, NO_LIMITS } from "../tests/simulators/feishu_server.ts";
import { ModelServer, say } from "../tests/simulators/model_server.ts";
import { GatewayHome, GatewayProcess, runTroupe } from "../tests/support/gateway_process.ts";
import { buildBinary } from "../tests/system/single_binary.ts";
import type { BenchRow } from "./bench_row.ts";
import { residentMb } from "./process_memory.ts";
import { median } from "./stats.ts";

const STARTS = 5;
const BYTES_PER_MB = 1_000_000;

/** One side: the words that start the program. */
interface Side {
  readonly name: string;
  /** Undefined: this Deno, on the sources. */
  readonly program: readonly string[] | undefined;
  readonly home: GatewayHome;
  readonly versionMs: number[];
  readonly healthyMs: number[];
  readonly residentMb: number[];
}

/** Builds the binary and starts both sides in turns. */
export async function benchBinary(): Promise<BenchRow[]> {
  const folder = await Deno.makeTempDir({ prefix: "troupe-bench-" });
  try {
    const build = await buildBinary(folder);
    if (build.state === "no_base") {
      Deno.stderr.writeSync(new TextEncoder().encode(`binary: not measured: ${build.reason}\n`));
      return [];
    }
    const { size } = await Deno.stat(build.path);
    const sizeRow: BenchRow = {
      what: "binary: size",
      value: size / BYTES_PER_MB,
      unit: "MB",
      budget: undefined,
      note: `${Deno.build.os} ${Deno.build.arch}`,
    };
    return [sizeRow, ...await compareStarts(build.path)];
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

async function compareStarts(binary: string): Promise<BenchRow[]> {
  await using feishu = await FeishuPlatform.start({ limits: NO_LIMITS });
  await using model = await ModelServer.start(() => say("hello"));
  await using homeOfBinary = await GatewayHome.make();
  await using homeOfSources = await GatewayHome.make();
  const sides = [
    side("binary", [binary], homeOfBinary),
    side("deno run", undefined, homeOfSources),
  ];
  for (let run = 0; run <= STARTS; run++) {
    for (const one of sides) await startOnce(one, { feishu, model });
  }
  return sides.flatMap(rowsOf);
}

function side(name: string, program: Side["program"], home: GatewayHome): Side {
  return { name, program, home, versionMs: [], healthyMs: [], residentMb: [] };
}

async function startOnce(
  { program, home, ...measured }: Side,
  surroundings: { readonly feishu: FeishuPlatform; readonly model: ModelServer },
): Promise<void> {
  const startMs = performance.now();
  await runTroupe(["--version"], home.path, program);
  measured.versionMs.push(performance.now() - startMs);
  const gatewayMs = performance.now();
  await using gateway = await GatewayProcess.start(home, {
    ...surroundings,
    ...(program !== undefined && { program }),
  });
  await gateway.health();
  measured.healthyMs.push(performance.now() - gatewayMs);
  measured.residentMb.push(await residentMb(gateway.pid));
  await gateway.kill();
}

/** The first start fills caches and makes the workspace. */
function rowsOf({ name, versionMs, healthyMs, residentMb }: Side): BenchRow[] {
  const note = `median of ${STARTS}, both sides in turns`;
  const value = (values: readonly number[]) => median(values.slice(1));
  const budget = undefined;
  return [
    { what: `${name}: --version`, value: value(versionMs), unit: "ms", budget, note },
    {
      what: `${name}: start to a healthy /health, one channel`,
      value: value(healthyMs),
      unit: "ms",
      budget,
      note,
    },
    {
      what: `${name}: RSS when it is healthy, one channel`,
      value: value(residentMb),
      unit: "MB",
      budget,
      note,
    },
  ];
}
