/**
 * What the Worker of each channel costs in memory.
 * @module
 */

import type { JsonObject } from "../actors/kernel/json.ts";
import { ModelServer, say } from "../tests/simulators/model_server.ts";
import { GatewayHome, GatewayProcess } from "../tests/support/gateway_process.ts";
import { askOnce, gatherCrowds } from "../tests/support/platform_crowds.ts";
import type { BenchRow } from "./bench_row.ts";
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
  const start = async (channels: JsonObject): Promise<GatewayProcess> => {
    const home = owned.use(await GatewayHome.make());
    return owned.use(await GatewayProcess.start(home, { model, config: { channels } }));
  };
  const bare = await start({});
  const crowds = (await gatherCrowds(PEOPLE)).map((crowd) => owned.use(crowd));
  const gateways: { readonly channel: string; readonly pid: number }[] = [];
  for (const crowd of crowds) {
    const { channel, section } = crowd;
    const { pid } = await start({ [channel]: section });
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
