import assert from "node:assert/strict";
import { join } from "node:path";
import { PLANTED_FAULTS } from "./planted_faults.ts";

const ROOT = join(import.meta.dirname ?? ".", "../..");
/** Fewer would say little about what the laws see. */
const FAULTS_MIN = 40;

Deno.test("Enough planted faults fit the code as it is", async () => {
  const misfits: string[] = [];
  for (const { what, file, find, replace } of PLANTED_FAULTS) {
    const text = await Deno.readTextFile(join(ROOT, file));
    if (text.split(find).length !== 2 || find === replace) misfits.push(`${what} (${file})`);
  }
  const fitting = PLANTED_FAULTS.length - misfits.length;
  assert.ok(fitting >= FAULTS_MIN, `${fitting} fit; these do not: ${misfits.join(", ")}`);
});

Deno.test("Each planted fault is another one", () => {
  const names = PLANTED_FAULTS.map(({ what }) => what);
  assert.equal(new Set(names).size, names.length);
});
