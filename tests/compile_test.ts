import assert from "node:assert/strict";
import project from "../deno.json" with { type: "json" };

const { tasks } = project;

/** The systems that Deno has a base for, and how their files are called. */
const TARGETS = [
  ["compile:linux-x64", "x86_64-unknown-linux-gnu", ""],
  ["compile:linux-arm64", "aarch64-unknown-linux-gnu", ""],
  ["compile:macos-x64", "x86_64-apple-darwin", ""],
  ["compile:macos-arm64", "aarch64-apple-darwin", ""],
  ["compile:windows-x64", "x86_64-pc-windows-msvc", ".exe"],
] as const;

Deno.test.each([...TARGETS])("%s compiles what compile does, for %s", (name, target, ending) => {
  const file = name.replace("compile:", "dist/troupe-") + ending;
  const expected = tasks.compile.replace(
    "--output dist/troupe ",
    `--target ${target} --output ${file} `,
  );
  assert.equal(tasks[name], expected);
});

Deno.test("compile:all compiles for all of them", () => {
  assert.deepEqual(tasks["compile:all"].dependencies, TARGETS.map(([name]) => name));
});
