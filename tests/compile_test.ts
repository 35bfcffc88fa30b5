import assert from "node:assert/strict";
import { MAIN, NEVER_LOADED, TARGETS } from "../.ci/compile/parts.ts";
import { type LockFile, packageId, parseLock, reducedLock } from "../.ci/compile/lock_file.ts";
import project from "../deno.json" with { type: "json" };

const tasks: Readonly<Record<string, unknown>> = project.tasks;
const LOCK = parseLock(await Deno.readTextFile(new URL("../deno.lock", import.meta.url)));

Deno.test.each([...TARGETS.keys()])("The task compile:%s compiles for it", (system) => {
  assert.equal(tasks[`compile:${system}`], `${project.tasks.compile} ${system}`);
});

Deno.test("compile:all compiles for all systems that Deno has a base for", () => {
  const names = [...TARGETS.keys()].map((system) => `compile:${system}`);
  assert.deepEqual(project.tasks["compile:all"].dependencies, names);
});

/** A lock file of packages with what they need. */
function lockOf(npm: Readonly<Record<string, readonly string[]>>): LockFile {
  const packages = Object.entries(npm).map(([key, dependencies]) => [key, { dependencies }]);
  const specifiers = { "npm:a@^1.0.0": "1.2.0_peer@3.0.0", "npm:unused@1.0.0": "1.0.0" };
  const workspace = { dependencies: Object.keys(specifiers) };
  return parseLock(
    JSON.stringify({ version: "5", specifiers, npm: Object.fromEntries(packages), workspace }),
  );
}

Deno.test("Of the lock file that is left which the program reaches, by whatever name", () => {
  const lock = lockOf({
    "a@1.2.0_peer@3.0.0": ["b", "two@2.0.0", "peer"],
    "b@1.0.0": ["a", "heavy"],
    "heavy@1.0.0": ["heavier"],
    "heavier@1.0.0": [],
    "two@1.0.0": [],
    "two@2.0.0": [],
    "peer@3.0.0": [],
    "unused@1.0.0": ["two@1.0.0"],
  });
  const left = reducedLock(lock, new Set(["a@1.2.0_peer@3.0.0"]), (name) => name === "heavy");
  assert.deepEqual(
    Object.keys(left.npm).toSorted(),
    ["a@1.2.0_peer@3.0.0", "b@1.0.0", "heavy@1.0.0", "peer@3.0.0", "two@2.0.0"],
  );
  assert.deepEqual(left.npm["heavy@1.0.0"]?.dependencies, []);
  assert.deepEqual(left.specifiers, { "npm:a@^1.0.0": "1.2.0_peer@3.0.0" });
  assert.deepEqual(left.workspace.dependencies, ["npm:a@^1.0.0"]);
});

Deno.test("A package that is not in the lock file is told by its name", () => {
  assert.throws(
    () => reducedLock(lockOf({}), new Set(["gone@1.0.0"]), () => false),
    /"gone@1.0.0"/,
  );
});

Deno.test("Packages that are left out of the binary are still among those that others need", () => {
  const names = new Set(Object.keys(LOCK.npm).map((key) => packageId(key).name));
  assert.deepEqual([...NEVER_LOADED.keys()].filter((name) => !names.has(name)), []);
  assert.equal(MAIN, "mod.ts");
});
