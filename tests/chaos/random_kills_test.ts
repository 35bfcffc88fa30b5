import { runRandomKills } from "./random_kills.ts";

Deno.test("A gateway that is killed at random under load loses and doubles nothing", async () => {
  const seed = 20_261;
  try {
    await runRandomKills({ seed, kills: 6, faultShare: 0.05, report: () => {} });
  } catch (error) {
    throw new Error(`Chaos with seed ${seed} found a fault`, { cause: error });
  }
});
