/**
 * The tests of many files in one isolate: each file by itself loads most of the project once more.
 * The 116 files of sessions and gateway took 72 s of processor time by themselves, and 31 s so.
 * @module
 */

import { readdir } from "node:fs/promises";
import { join } from "node:path";

const TESTS = new URL("../", import.meta.url);

/**
 * Registers the tests of all files in folders, and in the folders there.
 *
 * @param folders paths from `tests/`
 * @throws {Error} when there is no test in one of them
 */
export async function testsOf(...folders: readonly string[]): Promise<void> {
  for (const folder of folders) {
    const names = await readdir(new URL(folder, TESTS), { recursive: true });
    const tests = names.filter((name) => name.endsWith("_test.ts")).toSorted();
    if (tests.length === 0) throw new Error(`Cannot find a test in "${folder}"`);
    for (const name of tests) await import(new URL(join(folder, name), TESTS).href);
  }
}
