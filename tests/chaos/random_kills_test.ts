import assert from "node:assert/strict";
import { runRandomKills } from "./random_kills.ts";

Deno.test("A gateway that is killed at random under load loses and doubles nothing", async () => {
  const seed = 20_261;
  const kills = runRandomKills({ seed, kills: 6, faultShare: 0.05, report: () => {} });
  await assert.doesNotReject(kills, `chaos with seed ${seed} found a fault`);
});
