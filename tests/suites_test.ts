import assert from "node:assert/strict";
import { z } from "zod";
import { ROOT } from "./tidy/project_files.ts";

const configSchema = z.object({ tasks: z.object({ test: z.string() }) });

Deno.test("What the task of tests leaves out by itself, suites or the tests of the system run", async () => {
  const { tasks } = configSchema.parse(JSON.parse(await Deno.readTextFile(`${ROOT}deno.json`)));
  const leftOut = /--ignore=(\S+)/.exec(tasks.test)?.[1]?.split(",") ?? [];
  const suites = await Array.fromAsync(
    Deno.readDir(`${ROOT}tests/suites`),
    ({ name }) => Deno.readTextFile(`${ROOT}tests/suites/${name}`),
  );
  const run = suites.flatMap((text) => {
    const folders = /await testsOf\(([^)]*)\)/.exec(text)?.[1] ?? "";
    return folders.matchAll(/"([^"]+)"/g).map(([, folder]) => `tests/${folder}`).toArray();
  });
  assert.deepEqual(leftOut.toSorted(), ["tests/system", ...run].toSorted());
});
