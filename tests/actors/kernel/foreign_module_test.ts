import assert from "node:assert/strict";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { importForeign } from "../../../actors/kernel/adapters/foreign_module.ts";
import { temporaryFolder } from "../../support/temporary_folder.ts";

/** Writes modules and loads one as a compiled program does. */
async function load(files: Readonly<Record<string, string>>, name: string): Promise<object> {
  await using folder = await temporaryFolder();
  for (const [file, text] of Object.entries(files)) {
    await Deno.writeTextFile(join(folder.path, file), text);
  }
  return Object(await importForeign(pathToFileURL(join(folder.path, name)).href, true));
}

Deno.test("A program without a compiler loads TypeScript with all that it imports", async () => {
  const loaded = await load({
    "main.ts": `
      import type { Nothing } from "npm:nothing";
      import { basename } from "node:path";
      import { counter, type Counter } from "./counter.ts";
      import { plain } from "./plain.js";
      import facts from "./facts.json" with { type: "json" };
      export { late } from "./other.mts";
      enum Colour { Red = "red" }
      class Holder<T> { constructor(readonly value: T) {} }
      const text = "import './no.ts'" satisfies string;
      const { late } = await import("./other.mts");
      export const found: unknown[] = [
        new Holder<Colour>(Colour.Red).value, plain, facts.name, late, text,
        (counter as Counter).next(), basename(new URL(import.meta.url).pathname),
      ];`,
    "other.mts":
      `import { counter } from "./counter.ts"; export const late: number = counter.next();`,
    "counter.ts": `export interface Counter { next(): number }
      let count = 0; export const counter: Counter = { next: () => ++count };`,
    "plain.js": `export const plain = "plain";`,
    "facts.json": `{ "name": "a fact" }`,
  }, "main.ts");
  assert.deepEqual({ ...loaded }, {
    late: 1, // both have the same counter
    found: ["red", "plain", "a fact", 1, "import './no.ts'", 2, "main.ts"],
  });
});

Deno.test("A program without a compiler says what is wrong with a module in TypeScript", async () => {
  const round = { "a.ts": `import "./b.ts";`, "b.ts": `import "./a.ts";` };
  await assert.rejects(load(round, "a.ts"), /a\.ts": it imports itself by a detour/);
  await assert.rejects(load({ "a.ts": "const a: = 1;" }, "a.ts"), SyntaxError);
  await assert.rejects(load({}, "gone.ts"), Deno.errors.NotFound);
  await assert.rejects(
    load({ "a.ts": `throw new TypeError("broken");` }, "a.ts"),
    /^TypeError: broken$/,
  );
});
