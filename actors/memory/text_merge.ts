/**
 * Texts line by line: what two changes of the same text come to, and what a change was.
 * @module
 */

/** Two changes brought together, or where they meet. */
export type Merged =
  | { readonly state: "merged"; readonly text: string }
  | { readonly state: "conflict" };

/**
 * What `ours` and `theirs`, both made from `base`, come to. Where both changed the same lines in
 * different ways there is no answer.
 */
export async function mergeTexts(base: string, ours: string, theirs: string): Promise<Merged> {
  if (theirs === base || ours === theirs) return { state: "merged", text: ours };
  if (ours === base) return { state: "merged", text: theirs };
  const { diff3Merge } = await import("node-diff3");
  const regions = diff3Merge(ours.split("\n"), base.split("\n"), theirs.split("\n"), {
    excludeFalseConflicts: true,
  });
  const lines: string[] = [];
  for (const { ok } of regions) {
    if (ok === undefined) return { state: "conflict" };
    lines.push(...ok);
  }
  return { state: "merged", text: lines.join("\n") };
}

/** A file before and after; null where it is missing. */
export interface FileChange {
  readonly path: string;
  readonly before: string | null;
  readonly after: string | null;
}

/** The files that differ, by path. */
export function changesBetween(
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
): readonly FileChange[] {
  const paths = [...new Set([...before.keys(), ...after.keys()])].sort();
  return paths.map((path) => ({
    path,
    before: before.get(path) ?? null,
    after: after.get(path) ?? null,
  })).filter((change) => change.before !== change.after);
}

/** The changes as a unified diff. */
export async function unifiedDiff(changes: readonly FileChange[]): Promise<string> {
  const { createTwoFilesPatch } = await import("diff");
  return changes.map(({ path, before, after }) => {
    const from = before === null ? "/dev/null" : `a/${path}`;
    const to = after === null ? "/dev/null" : `b/${path}`;
    const patch = createTwoFilesPatch(from, to, before ?? "", after ?? "", undefined, undefined, {
      context: 2,
    });
    return patch.replace(/^=+\n/, "");
  }).join("");
}

/** How many stretches of lines the changes consist of, and which lines came and went. */
export interface ChangeSummary {
  readonly stretches: number;
  readonly added: readonly string[];
  readonly removed: readonly string[];
}

/** What the changes are, for people to read. */
export async function summarize(changes: readonly FileChange[]): Promise<ChangeSummary> {
  const { structuredPatch } = await import("diff");
  const hunks = changes.flatMap(({ path, before, after }) =>
    structuredPatch(path, path, before ?? "", after ?? "", undefined, undefined, { context: 0 })
      .hunks
  );
  const lines = hunks.flatMap((hunk) => hunk.lines);
  const marked = (mark: string) =>
    lines.filter((line) => line.startsWith(mark)).map((line) => line.slice(1))
      .filter((line) => line.trim() !== "");
  return { stretches: hunks.length, added: marked("+"), removed: marked("-") };
}

/**
 * For each line of `after`, its place in `before` (from 0), or null where it is new.
 */
export async function lineOrigins(
  before: readonly string[],
  after: readonly string[],
): Promise<readonly (number | null)[]> {
  const { diffArrays } = await import("diff");
  const origins: (number | null)[] = [];
  let at = 0;
  for (const { count, added, removed } of diffArrays([...before], [...after])) {
    if (removed) at += count;
    else if (added) origins.push(...Array.from({ length: count }, () => null));
    else for (let index = 0; index < count; index++) origins.push(at++);
  }
  return origins;
}
