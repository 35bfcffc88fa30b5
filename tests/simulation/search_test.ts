import assert from "node:assert/strict";
import { searchSeeds } from "./search.ts";

/** A thread that runs `code` for each seed. */
function thread(code: string): URL {
  const script = `onmessage = ({ data: seed }) => { ${code} };`;
  return new URL(`data:text/javascript,${encodeURIComponent(script)}`);
}

const worker = thread(`
  if (seed === 13) throw new RangeError("of bad luck");
  const report = { seed, breaches: seed % 5 === 0 ? ["isOdd: " + seed] : [] };
  if (seed === 19) setTimeout(() => postMessage(report), 100);
  else if (seed !== 17) postMessage(report);
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

Deno.test("A world hangs that uses more processor time than any, whatever the clock says", async () => {
  let usedMs = 0;
  const cpuMs = () => usedMs += 50_000;
  const search = searchSeeds({ from: 17, count: 1, goesOn: true, cpuMs, lookMs: 1, worker });
  await assert.rejects(search, /^Error: Cannot finish world 17: it hangs/);
});

Deno.test("A world does not hang that the machine has no time for", async () => {
  const limits = { worldCpuMsMax: 0, cpuMs: () => 7, lookMs: 1 };
  assert.deepEqual(await searchSeeds({ from: 19, count: 1, goesOn: true, ...limits, worker }), []);
});

Deno.test("A search tells of each world that ends, and where another would go on", async () => {
  const told: (readonly [seed: number, done: number, next: number])[] = [];
  await searchSeeds({
    ...{ from: 19, count: 12, goesOn: true, threads: 2, worker },
    onReport: ({ seed }, { done, next }) => told.push([seed, done, next]),
  });
  assert.deepEqual(told.map(([, done]) => done), [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
  assert.deepEqual(told.at(-1)?.[2], 31);
  for (const [index, [, , next]] of told.entries()) {
    const ended = new Set(told.slice(0, index + 1).map(([seed]) => seed));
    for (let seed = 19; seed < next; seed++) assert.ok(ended.has(seed), `${seed} before ${next}`);
  }
});
