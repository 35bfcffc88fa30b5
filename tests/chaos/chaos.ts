/**
 * `deno task chaos [--seed N] [--kills N] [--faults SHARE]`: the long run.
 * @module
 */

import { parseArgs } from "node:util";
import { runRandomKills } from "./random_kills.ts";

const { values } = parseArgs({
  args: Deno.args,
  options: {
    seed: { type: "string", default: "1" },
    kills: { type: "string", default: "200" },
    faults: { type: "string", default: "0.05" },
  },
});

await runRandomKills({
  seed: Number(values.seed),
  kills: Number(values.kills),
  faultShare: Number(values.faults),
  report: (line) => void Deno.stdout.writeSync(new TextEncoder().encode(`${line}\n`)),
});
