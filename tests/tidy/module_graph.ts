/**
 * Which module of the project imports which, as Deno resolves it.
 * @module
 */

import { dirname, join, normalize, relative } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { z } from "zod";
import { ROOT } from "./project_files.ts";

/** One import. Paths are from the project's root; what is not of the project is a specifier. */
export interface Edge {
  readonly from: string;
  readonly to: string;
  /** Gone at run time. */
  readonly isTypeOnly: boolean;
  /** By an `import()`. @default false */
  readonly isLate?: boolean;
}

/** A module that another one names, to start it as a Worker or a process. */
const MODULE_PATH = /"(\.{1,2}\/[^"]+\.ts)"/g;

const resolved = z.object({ specifier: z.string() });
const graphSchema = z.object({
  modules: z.array(z.object({
    specifier: z.string(),
    dependencies: z.array(z.object({
      specifier: z.string(),
      code: resolved.optional(),
      type: resolved.optional(),
      isDynamic: z.boolean().default(false),
    })).default([]),
  })),
});

/**
 * All imports in `files` (TypeScript modules of the project).
 *
 * @throws {TypeError} when Deno cannot read the graph
 */
export async function importsOf(files: readonly string[]): Promise<Edge[]> {
  const folder = await Deno.makeTempDir({ prefix: "troupe-tidy-" });
  try {
    const all = join(folder, "all.ts");
    const imports = files.map((file) => `import "${pathToFileURL(join(ROOT, file))}";\n`);
    await Deno.writeTextFile(all, imports.join(""));
    return readGraph(await denoInfo(all));
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** Modules that `text`, the source of `file`, names by their relative path. */
export function modulesNamedIn(file: string, text: string): Edge[] {
  return [...text.matchAll(MODULE_PATH)].map(([, path = ""]) => ({
    from: file,
    to: normalize(join(dirname(file), path)),
    isTypeOnly: false,
  }));
}

/** All files that `roots` lead to, themselves included. */
export function reachableFrom(roots: readonly string[], edges: readonly Edge[]): Set<string> {
  const targets = Map.groupBy(edges, ({ from }) => from);
  const reached = new Set<string>();
  const waiting = [...roots];
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    if (reached.has(file)) continue;
    reached.add(file);
    waiting.push(...(targets.get(file) ?? []).map(({ to }) => to));
  }
  return reached;
}

/** One import cycle as a list of files whose last is its first again; undefined without any. */
export function findCycle(edges: readonly Edge[]): string[] | undefined {
  const targets = Map.groupBy(edges, ({ from }) => from);
  const done = new Set<string>();
  const path: string[] = [];
  const visit = (file: string): string[] | undefined => {
    const start = path.indexOf(file);
    if (start >= 0) return [...path.slice(start), file];
    if (done.has(file)) return undefined;
    path.push(file);
    for (const { to } of targets.get(file) ?? []) {
      const cycle = visit(to);
      if (cycle !== undefined) return cycle;
    }
    path.pop();
    done.add(file);
    return undefined;
  };
  for (const file of targets.keys()) {
    const cycle = visit(file);
    if (cycle !== undefined) return cycle;
  }
  return undefined;
}

async function denoInfo(module: string): Promise<unknown> {
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["info", "--json", "--config", join(ROOT, "deno.json"), module],
  }).output();
  if (!success) {
    throw new TypeError(`Cannot read the module graph: ${new TextDecoder().decode(stderr)}`);
  }
  return JSON.parse(new TextDecoder().decode(stdout));
}

function readGraph(json: unknown): Edge[] {
  return graphSchema.parse(json).modules
    .filter(({ specifier }) => isOurs(specifier))
    .flatMap(({ specifier, dependencies }) =>
      dependencies.map(({ specifier: written, code, type, isDynamic: isLate }) => ({
        from: pathOf(specifier),
        to: pathOf(code?.specifier ?? type?.specifier ?? written),
        isTypeOnly: code === undefined,
        isLate,
      }))
    );
}

function isOurs(specifier: string): boolean {
  return specifier.startsWith(pathToFileURL(ROOT).href);
}

function pathOf(specifier: string): string {
  return isOurs(specifier) ? relative(ROOT, fileURLToPath(specifier)) : specifier;
}
