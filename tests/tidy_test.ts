import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { z } from "zod";
import { INCLUDED, MAIN } from "../.ci/compile/parts.ts";
import { importsAgainstTheHouse, importsBetweenChannels, isSource } from "./tidy/floors.ts";
import { findCycle, importsOf, modulesNamedIn, reachableFrom } from "./tidy/module_graph.ts";
import { projectFiles, ROOT } from "./tidy/project_files.ts";

const FILES = await projectFiles();
const MODULES = FILES.filter((file) => file.endsWith(".ts"));
const TEXTS = new Map(
  await Promise.all(
    FILES.map(async (file) => [file, await Deno.readTextFile(join(ROOT, file))] as const),
  ),
);
const IMPORTS = await importsOf(MODULES);
const NAMED = MODULES.flatMap((file) => modulesNamedIn(file, TEXTS.get(file) ?? ""));

/** What stands in the root; a new entry is a decision. */
const ROOT_ENTRIES = new Set([
  ...[".ci", ".dockerignore", ".editorconfig", ".gitignore", "CHANGELOG.md", "Dockerfile"],
  ...["LICENSE", "README.md"],
  ...["actors", "bench", "channels", "deno.json", "deno.lock", "docs", "mod.ts", "providers"],
  ...["tests", "workspace-template"],
]);

Deno.test("Imports run one way through the house", () => {
  assert.deepEqual(importsAgainstTheHouse(IMPORTS), []);
});

Deno.test("No channel imports another one", () => {
  assert.deepEqual(importsBetweenChannels(IMPORTS), []);
});

Deno.test("No module imports itself by a detour", () => {
  // Among helpers of tests types may go round in a circle: nothing runs there.
  const bearing = IMPORTS.filter(({ from, isTypeOnly }) => isSource(from) || !isTypeOnly);
  assert.equal(findCycle(bearing)?.join(" -> "), undefined);
});

Deno.test("A channel's manifest imports nothing at run time", () => {
  const manifests = MODULES.filter((file) => /^channels\/.*manifest\.ts$/.test(file));
  assert.ok(manifests.length >= 2, "there are manifests to look at");
  const found = IMPORTS.filter(({ from, isTypeOnly }) => manifests.includes(from) && !isTypeOnly);
  assert.deepEqual(found, []);
});

Deno.test("Every source file leads somewhere: no dead files", () => {
  const config = TEXTS.get("deno.json") ?? ""; // names what tasks run, and the lint plugin
  const roots = MODULES.filter((file) =>
    file === "mod.ts" || file.endsWith("_test.ts") || config.includes(file) ||
    /\nif \(import\.meta\.main\)/.test(TEXTS.get(file) ?? "")
  );
  const alive = reachableFrom(roots, [...IMPORTS, ...NAMED]);
  assert.deepEqual(MODULES.filter((file) => !alive.has(file)), []);
});

/** Named in the code, and not for the single binary: why. */
const NOT_COMPILED = new Map([
  ["actors/gateway/library/embedded_gateway.ts", "for programs that import the sources"],
  ["actors/tools/shell/adapters/virtual_entry.ts", "where flags of Deno narrow it"],
  ["actors/kernel/chat_worker.ts", "an example in a comment"],
]);

Deno.test("The single binary holds every module and file that the code finds by its place", () => {
  const held = reachableFrom([MAIN, ...INCLUDED], IMPORTS.filter((edge) => !edge.isTypeOnly));
  const found = MODULES.filter(isSource).flatMap((file) =>
    [...(TEXTS.get(file) ?? "").matchAll(/new URL\("([^"]+)", import\.meta\.url\)/g)]
      .map(([, path = ""]) => join(dirname(file), path))
  ).filter((path) => /\w$/.test(path)); // a folder above is where the program is, not a part of it
  assert.ok(found.length > 8, "the places were found");
  const lacking = found.filter((path) => !held.has(path) && !NOT_COMPILED.has(path));
  assert.deepEqual(lacking, [], "name them to the compiler in .ci/compile/parts.ts");
  const stale = [...NOT_COMPILED.keys()].filter((path) => !found.includes(path));
  assert.deepEqual(stale, []);
});

Deno.test("Every import by a computed name goes by a place in the code, or loads what is not ours", () => {
  const computed = MODULES.filter(isSource).flatMap((file) =>
    [...(TEXTS.get(file) ?? "").matchAll(/(?<!typeof )\bimport\(([^")][^)]*)/g)]
      .filter(([, what = ""]) => !what.startsWith('new URL(".'))
      .map(() => file)
  );
  assert.deepEqual(computed.toSorted(), [
    "actors/kernel/adapters/foreign_module.ts",
    "actors/kernel/adapters/foreign_module.ts",
  ]);
});

Deno.test("Every module outside the tests opens by saying what it is", () => {
  const header = /^(\/\/\/ <reference .*\n)*\/\*\*\n( \*.*\n)+? \* @module\n \*\/\n/;
  const bare = MODULES.filter((file) => !file.endsWith("_test.ts"))
    .filter((file) => !header.test(TEXTS.get(file) ?? ""));
  assert.deepEqual(bare, []);
});

Deno.test("Every lint holds the house rules, and no comment switches one off", () => {
  const { lint, tasks } = z.object({
    lint: z.strictObject({ plugins: z.array(z.string()), rules: z.unknown() }),
    tasks: z.looseObject({ lint: z.string() }),
  }).parse(JSON.parse(TEXTS.get("deno.json") ?? ""));
  assert.deepEqual(lint.plugins, ["./tests/lint/house_style.ts"]);
  assert.match(tasks.lint, /^deno lint( |$)/);
  assert.match(TEXTS.get(".ci/run") ?? "", /^step "lint" deno lint$/m);
  // The rule against such comments is a rule too: they could switch it off.
  const loosening = /\/[/*]\W*deno-lint-ignore/;
  const loose = MODULES.filter((file) => !file.startsWith("tests/lint/"))
    .filter((file) => loosening.test(TEXTS.get(file) ?? ""));
  assert.deepEqual(loose, []);
});

Deno.test("The root holds nothing unexpected", () => {
  const entries = new Set(FILES.map((file) => file.split("/")[0] ?? file));
  assert.deepEqual([...entries.difference(ROOT_ENTRIES)], []);
});

Deno.test("deno.json names exactly the packages that are imported", () => {
  const { imports } = z.object({ imports: z.record(z.string(), z.string()) })
    .parse(JSON.parse(TEXTS.get("deno.json") ?? ""));
  const used = IMPORTS.filter(({ to }) => to.startsWith("npm:")).map(({ to }) => to);
  // Without the entry of a package: `npm:name@1.2.3/entry`.
  const usedPackages = new Set(
    used.map((to) => to.replace(/^npm:\/?/, "npm:").replace(/(?<=.@[\d.]+(?:-rc\d+)?)\/.*$/, "")),
  );
  const named = new Set(Object.values(imports));
  assert.deepEqual([...named.symmetricDifference(usedPackages)], []);
});

Deno.test("Versions in deno.json are exact", () => {
  const versions = [...(TEXTS.get("deno.json") ?? "").matchAll(/"npm:[^"]+"/g)].map(([v]) => v);
  const pinned = /^"npm:(@[\w.-]+\/)?[\w.-]+(@\d+\.\d+\.\d+(-rc\d+)?)?"$/;
  assert.deepEqual(versions.filter((version) => !pinned.test(version)), []);
});

Deno.test("No file holds a path of some machine or the address of some registry", () => {
  const found = [...TEXTS]
    .filter(([, text]) => text.includes(ROOT) || REGISTRY.test(text))
    .map(([file]) => file);
  assert.deepEqual(found, []);
});

/** Also what a lock file says of packages that came from a mirror. */
const REGISTRY = /\bregistry\.npm[a-z]*\.|"tarball"\s*:/;
