/// <reference lib="deno.unstable" />
import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import houseStyle from "./house_style.ts";

function idsFor(source: string, file = "actors/session/example.ts"): string[] {
  const root = fileURLToPath(new URL("../../", import.meta.url));
  return Deno.lint.runPlugin(houseStyle, `${root}${file}`, source).map(({ id }) => id);
}

Deno.test.each([
  ["no-double-assertion", "export const a = value as unknown as string;"],
  ["function-keyword", "export const double = (x: number) => x * 2;"],
  ["function-keyword", "const double = function (x: number) { return x * 2; };"],
  ["named-exports", "export default class Thing {}"],
  ["hash-private", "class Thing { private readonly x = 1; }"],
  ["hash-private", "class Thing { public move(): void {} }"],
  ["named-errors", 'throw new Error("no");'],
  ["no-loosening", "// deno-lint-ignore no-explicit-any\nlet a: any;"],
  ["no-loosening", "// @ts-expect-error the types are wrong\nlet a = 1;"],
  ["file-of-url", 'const path = new URL("./a.ts", import.meta.url).pathname;'],
  ["world-in-adapters", "const nowMs = Date.now();"],
  ["world-in-adapters", "const now = new Date();"],
  ["world-in-adapters", "const share = Math.random();"],
  ["world-in-adapters", "const id = crypto.randomUUID();"],
  ["world-in-adapters", "setTimeout(() => {}, 5);"],
  ["world-in-adapters", 'const answer = fetch("http://127.0.0.1/");'],
  ["world-in-adapters", 'const text = Deno.readTextFileSync("a");'],
  ["world-in-adapters", 'console.log("a");'],
  ["world-in-adapters", "const f = globalThis.fetch;"],
  ["world-in-adapters", 'import { readFile } from "node:fs/promises";'],
  ["world-in-adapters", 'import { randomUUID } from "node:crypto";'],
  ["world-in-adapters", "const worker = new Worker(url);"],
])("House rule %s catches: %s", (rule, source) => {
  assert.deepEqual(idsFor(source), [`house/${rule}`]);
});

Deno.test.each([
  'Deno.test.only("a", () => {});',
  'Deno.test.ignore("a", () => {});',
  'Deno.test({ name: "a", ignore: true, fn() {} });',
])("House rule no-loosening catches in tests: %s", (source) => {
  assert.deepEqual(idsFor(source, "tests/a_test.ts"), ["house/no-loosening"]);
});

Deno.test.each([
  ["a constant with a written type", "export const newId: NewId = () => next++;"],
  ["an arrow inside a function", "function f(): void { const g = () => 1; g(); }"],
  ["a private constructor", "class Thing { private constructor() {} }"],
  ["a narrowing assertion", "const a = value as string;"],
  ["an error with a code", 'throw new ConfigError("no");'],
  ["a time that is given", "const date = new Date(nowMs);"],
  ["a type of Deno", "let signal: Deno.Signal;"],
  ["a pure import", 'import { createHash } from "node:crypto";'],
  ["the word in a comment", "// Date.now() is the adapter's business\nlet a = 1;"],
  ["the path of a request", "const path = new URL(request.url).pathname;"],
  ["a method of that name", "const nowMs = clock.now(); clock.setTimeout(5);"],
])("House rules let pass %s", (_what, source) => {
  assert.deepEqual(idsFor(source), []);
});

Deno.test.each([
  "actors/kernel/adapters/system_clock.ts",
  "channels/cli/commands/agent.ts",
  "providers/openai_compatible.ts",
  "tests/support/until.ts",
  "bench/kernel.ts",
  ".ci/compile/compile.ts",
  "mod.ts",
])("House rules open the world to %s", (file) => {
  assert.deepEqual(idsFor("const nowMs = Date.now();", file), []);
});
