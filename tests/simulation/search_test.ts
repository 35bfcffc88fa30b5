import assert from "node:assert/strict";
import { searchSeeds } from "./search.ts";

/** A thread that runs `code` for each seed. */
function thread(code: string): URL {
  const script = `onmessage = ({ data: seed }) => { ${code} };`;
  return new URL(`data:text/javascript,${encodeURIComponent(script)}`);
}

const worker = thread(`
  if (seed === 13) throw new RangeError("of bad luck");
  if (seed !== 17) postMessage({ seed, breaches: seed % 5 === 0 ? ["isOdd: " + seed] : [] });
`);

Deno.test("A search on two threads tells all seeds that break laws, in order", async () => {
  const found = await searchSeeds({ from: 1, count: 12, goesOn: true, threads: 2, worker });
  assert.deepEqual(found, [
    { seed: 5, breaches: ["isOdd: 5"] },
    { seed: 10, breaches: ["isOdd: 10"] },
  ]);
});

Deno.test("A search ends at the first seed that breaks a law", async () => {
  const found = await searchSeeds({ from: 1, count: 13, goesOn: false, threads: 2, worker });
  assert.deepEqual(found.map(({ seed }) => seed), [5]);
});

Deno.test("A search over worlds that hold all laws finds none", async () => {
  assert.deepEqual(await searchSeeds({ from: 1, count: 4, goesOn: false, threads: 2 }), []);
});

Deno.test.each([
  [13, /^Error: Cannot finish world 13: .*of bad luck/],
  [17, /^Error: Cannot finish world 17: it hangs/],
])("A search does not pass over world %s, which never comes to a report", async (from, words) => {
  const search = searchSeeds({ from, count: 1, goesOn: true, worldMsMax: 1_000, worker });
  await assert.rejects(search, words);
});
