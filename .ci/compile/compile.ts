/**
 * Compiles the program into one file that needs nothing else: `deno task compile [system]`.
 * @module
 */

import { join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { z } from "zod";
import { flagsOf, type Rights } from "../../actors/gateway/rights/flags.ts";
import { CACHED_ONLY } from "../../actors/kernel/adapters/module_cache.ts";
import { packageId, parseLock, reducedLock } from "./lock_file.ts";
import { ALL_RIGHTS, INCLUDED, MAIN, NEVER_LOADED, type Target, TARGETS } from "./parts.ts";
import { makeSlimCache } from "./slim_cache.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

/** What is made. */
export interface CompileOptions {
  /** Where the file goes. */
  readonly output: string;
  /** @default this system */
  readonly target?: Target | undefined;
  /** Flags of Deno that the file has for good. @default all rights, and no questions */
  readonly rights?: readonly string[] | undefined;
  /** Stands in for `deno compile`. @default this Deno's */
  readonly compiler?: readonly string[] | undefined;
}

/** How the compiler ended, and what it said. */
export interface CompileOutcome {
  readonly success: boolean;
  readonly said: string;
}

const list = z.array(z.string());
const graphSchema = z.object({
  modules: z.array(z.object({ npmPackage: z.string().optional() })),
});
const placesSchema = z.object({ denoDir: z.string() });
const configSchema = z.looseObject({
  imports: z.record(z.string(), z.string()),
  unstable: z.array(z.string()),
});
/** With it the compiler would not see what is imported later on. */
const LAZY = "lazy-dynamic-imports";

/** Compiles it. */
export async function compileProgram(options: CompileOptions): Promise<CompileOutcome> {
  const folder = await Deno.makeTempDir({ prefix: "troupe-compile-" });
  try {
    return await compileIn(folder, options);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

async function compileIn(
  folder: string,
  { output, target, rights = ALL_RIGHTS, compiler = [Deno.execPath(), "compile"] }: CompileOptions,
): Promise<CompileOutcome> {
  const lock = parseLock(await Deno.readTextFile(join(ROOT, "deno.lock")));
  const needed = reducedLock(
    lock,
    await importedPackages(folder),
    (name) => NEVER_LOADED.has(name),
  );
  await Deno.writeTextFile(join(folder, "deno.lock"), JSON.stringify(needed));
  await Deno.writeTextFile(join(folder, "deno.json"), await reducedConfig(needed.specifiers));
  const cache = join(folder, "deno");
  const { denoDir } = placesSchema.parse(await denoInfo([]));
  await makeSlimCache(denoDir, cache, Object.keys(needed.npm).map(packageId));
  const [program = "", ...words] = compiler;
  const { success, stdout, stderr } = await new Deno.Command(program, {
    args: [
      ...words,
      ...rights,
      ...["--no-check", "--cached-only", "--frozen"],
      ...["--config", join(folder, "deno.json"), "--lock", join(folder, "deno.lock")],
      ...INCLUDED.flatMap((path) => ["--include", path]),
      ...(target === undefined ? [] : ["--target", target.triple]),
      ...["--output", output, MAIN],
    ],
    cwd: ROOT,
    env: { DENO_DIR: cache, NO_COLOR: "1" },
    stdin: "null",
  }).output();
  const said = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes)).join("");
  return { success, said };
}

/** The packages that the modules of the program name, as the lock file calls them. */
async function importedPackages(folder: string): Promise<ReadonlySet<string>> {
  const modules = [MAIN, ...INCLUDED.filter((path) => path.endsWith(".ts"))];
  const entry = join(folder, "all.ts");
  const imports = modules.map((path) => `import "${pathToFileURL(join(ROOT, path)).href}";\n`);
  await Deno.writeTextFile(entry, imports.join(""));
  const { modules: found } = graphSchema.parse(
    await denoInfo(["--config", join(ROOT, "deno.json"), entry]),
  );
  return new Set(found.flatMap(({ npmPackage }) => npmPackage ?? []));
}

async function denoInfo(args: readonly string[]): Promise<unknown> {
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["info", "--json", ...args],
    stdin: "null",
  }).output();
  const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);
  if (!success) throw new TypeError(`Cannot look at the modules: ${text(stderr)}`);
  return JSON.parse(text(stdout));
}

/** `deno.json` with the imports that are left; else the compiler asks for the others. */
async function reducedConfig(specifiers: Readonly<Record<string, string>>): Promise<string> {
  const config = configSchema.parse(JSON.parse(await Deno.readTextFile(join(ROOT, "deno.json"))));
  const imports = Object.fromEntries(
    Object.entries(config.imports).filter(([, specifier]) => specifier in specifiers),
  );
  const { nodeModulesDir, allowScripts, compilerOptions } = config;
  const unstable = config.unstable.filter((feature) => feature !== LAZY);
  return JSON.stringify({ unstable, nodeModulesDir, allowScripts, compilerOptions, imports });
}

/** What `permissions --json` prints of a binary: the rights that its configuration needs. */
const rightsSchema: z.ZodType<{ readonly rights: Rights }> = z.object({
  rights: z.object({ env: list, read: list, write: list, net: list, run: list, sys: list }),
});

/** Flags for the rights in a file; those of a process that is started by them have more. */
export async function rightsIn(file: string): Promise<readonly string[]> {
  const { rights } = rightsSchema.parse(JSON.parse(await Deno.readTextFile(file)));
  return flagsOf(rights).filter((flag) => !CACHED_ONLY.includes(flag));
}

/** The command line: a system's name or none, where the file goes, and with which rights. */
async function main(): Promise<number> {
  const { values, positionals: [system] } = parseArgs({
    args: Deno.args,
    allowPositionals: true,
    options: { output: { type: "string" }, rights: { type: "string" } },
  });
  const target = system === undefined ? undefined : TARGETS.get(system);
  if (system !== undefined && target === undefined) {
    say(`Cannot compile for "${system}": take one of ${[...TARGETS.keys()].join(", ")}`);
    return 2;
  }
  const own = target === undefined ? "troupe" : `troupe-${system}${target.ending}`;
  const output = resolve(values.output ?? join(ROOT, "dist", own));
  const rights = values.rights === undefined ? undefined : await rightsIn(values.rights);
  const { success, said } = await compileProgram({ output, target, rights });
  say(success ? output : said);
  return success ? 0 : 1;
}

function say(text: string): void {
  Deno.stderr.writeSync(new TextEncoder().encode(`${text}\n`));
}

if (import.meta.main) Deno.exit(await main());
