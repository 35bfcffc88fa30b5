/**
 * What the Worker of each channel costs in memory.
 * @module
 */

import { fileURLToPath } from "node:url";
import { z } from "zod";
import type { JsonObject } from "../actors/kernel/json.ts";
import { ModelServer, say } from "../tests/simulators/model_server.ts";
import { GatewayHome, GatewayProcess } from "../tests/support/gateway_process.ts";
import { askOnce, gatherCrowds } from "../tests/support/platform_crowds.ts";
import { until } from "../tests/support/until.ts";
import type { BenchRow } from "./bench_row.ts";
import { type FurtherCrowd, gatherFurtherCrowds } from "./further_crowds.ts";
import { residentMb, settledMb } from "./process_memory.ts";

/** Enough that everything that is loaded late has been. */
const PEOPLE = 5;
const ROUNDS = 4;

/**
 * Compares gateways with one channel each, connected and used, with one that has none. All run side
 * by side, so that they settle together.
 */
export async function benchChannelWorkers(): Promise<BenchRow[]> {
  await using owned = new AsyncDisposableStack();
  const model = owned.use(await ModelServer.start(() => say("Take an umbrella.")));
  const start = async (
    channels: JsonObject,
    prepare?: FurtherCrowd["prepare"],
  ): Promise<GatewayProcess> => {
    const home = owned.use(await GatewayHome.make());
    const program = programWith(await prepare?.(home.path) ?? []);
    return owned.use(await GatewayProcess.start(home, { model, program, config: { channels } }));
  };
  const bare = await start({});
  const crowds: readonly FurtherCrowd[] = [
    ...await gatherCrowds(PEOPLE),
    ...await gatherFurtherCrowds(PEOPLE),
  ].map((crowd) => owned.use(crowd));
  const gateways: { readonly channel: string; readonly pid: number }[] = [];
  for (const crowd of crowds) {
    const { channel, section, prepare } = crowd;
    const gateway = await start({ [channel]: section }, prepare);
    const { pid } = gateway;
    await until(async () => isConnected(await gateway.health()), {
      what: `${channel}'s connection`,
      timeoutMs: 60_000,
    });
    for (let round = 0; round < ROUNDS; round++) await askOnce([crowd], `round ${round}`);
    gateways.push({ channel, pid });
  }
  const bareMb = await settledMb(bare.pid);
  return await Promise.all(gateways.map(async ({ channel, pid }): Promise<BenchRow> => ({
    what: `channels: RSS that ${channel} adds to a gateway without channels`,
    value: await residentMb(pid) - bareMb,
    unit: "MB",
    budget: undefined,
    note: `Worker, library, connection; ${PEOPLE * ROUNDS} answers given, then 45 idle seconds`,
  })));
}

/** Words that start this program, which keep what it costs the same for all. */
function programWith(flags: readonly string[]): readonly string[] {
  const program = fileURLToPath(new URL("../mod.ts", import.meta.url));
  return [Deno.execPath(), "run", "-A", "--cached-only", "--no-check", ...flags, program];
}

const healthSchema = z.object({ channels: z.record(z.string(), z.object({ state: z.string() })) });

/** Whether the one channel of a gateway is. */
function isConnected(health: JsonObject): boolean {
  return Object.values(healthSchema.parse(health).channels).every(({ state }) => state === "ready");
}
