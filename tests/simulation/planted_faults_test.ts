import assert from "node:assert/strict";
import { join } from "node:path";
import { PLANTED_FAULTS } from "./planted_faults.ts";

const ROOT = join(import.meta.dirname ?? ".", "../..");
Deno.test("Every planted fault fits the code as it is", async () => {
  const misfits: string[] = [];
  for (const { what, file, find, replace } of PLANTED_FAULTS) {
    const text = await Deno.readTextFile(join(ROOT, file));
    if (text.split(find).length !== 2 || find === replace) misfits.push(`${what} (${file})`);
  }
  assert.deepEqual(misfits, []);
});

Deno.test("Each planted fault is another one", () => {
  const names = PLANTED_FAULTS.map(({ what }) => what);
  assert.equal(new Set(names).size, names.length);
});
