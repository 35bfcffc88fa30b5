/**
 * What the single binary is made of, and the systems that it is made for.
 * @module
 */

/** The module that runs. */
export const MAIN = "mod.ts";

/** Modules and files that the program finds by their places: the compiler cannot see those. */
export const INCLUDED: readonly string[] = [
  "channels/worker_entry.ts",
  "channels/cli/command_modules.ts",
  "actors/tools/host/adapters/host_worker.ts",
  "actors/memory/recall/adapters/recall_worker.ts",
  "actors/tools/shell/adapters/narrowed_worker.ts",
  "workspace-template/skills",
];

/** What it may do, where nothing narrower is asked for. */
export const ALL_RIGHTS: readonly string[] = ["-A", "--no-prompt"];

/** A system that Deno has a base for. */
export interface Target {
  /** As Deno names it. */
  readonly triple: string;
  /** How its files of this kind end. */
  readonly ending: string;
}

/** By the names that the tasks have. */
export const TARGETS: ReadonlyMap<string, Target> = new Map([
  ["linux-x64", { triple: "x86_64-unknown-linux-gnu", ending: "" }],
  ["linux-arm64", { triple: "aarch64-unknown-linux-gnu", ending: "" }],
  ["macos-x64", { triple: "x86_64-apple-darwin", ending: "" }],
  ["macos-arm64", { triple: "aarch64-apple-darwin", ending: "" }],
  ["windows-x64", { triple: "x86_64-pc-windows-msvc", ending: ".exe" }],
]);

/** Packages that others name and that nothing of ours ever loads: their names alone are there. */
export const NEVER_LOADED: ReadonlyMap<string, string> = new Map([
  ["sharp", "WhatsApp's previews of pictures; ours are sent without, and it is native code"],
  ["sql.js", "`sqlite3` in the shell interpreter, which has no right to what that needs"],
  ["quickjs-emscripten", "`js-exec` in the shell interpreter, which is off"],
  ["@mongodb-js/zstd", "native code, for `tar --zstd` in the shell interpreter"],
  ["node-liblzma", "native code, for `tar --xz` in the shell interpreter"],
]);

/** Folders of packages that nothing loads: why. */
export const EMPTY_FOLDERS: ReadonlyMap<string, readonly string[]> = new Map([
  // Python and the interpreter as programs; we take it as a library, without Python.
  ["just-bash", ["dist/bin", "vendor"]],
  // Its tests and the tool that it is built with.
  ["@mixmark-io/domino", [".yarn", "test"]],
  // The same as in `lib`, for bundlers.
  ["@larksuiteoapi/node-sdk", ["es"]],
]);

/** Files that are for people and compilers. Licences stay. */
export const NEVER_READ: RegExp = /\.(?:map|flow|md|markdown|tsbuildinfo)$|(?:\.d)?\.[cm]?tsx?$/;
