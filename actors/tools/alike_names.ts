/**
 * Names that a mistyped one may mean.
 * @module
 */

const NAME_LIKENESS_MIN = 0.6;

/** The names of files that a wrong one may mean. */
export function alikeNames(name: string, names: readonly string[], countMax: number): string[] {
  return names
    .map((other) => ({ other, likeness: nameLikeness(name, other) }))
    .filter(({ likeness }) => likeness >= NAME_LIKENESS_MIN)
    .toSorted((a, b) => b.likeness - a.likeness)
    .slice(0, countMax)
    .map(({ other }) => other);
}

/** Share of letters in common, in order (as of the longest common subsequence). */
function nameLikeness(a: string, b: string): number {
  const [x, y] = [a.toLowerCase(), b.toLowerCase()];
  let row = new Array<number>(y.length + 1).fill(0);
  for (const char of x) {
    const next = [0];
    for (let at = 0; at < y.length; at++) {
      const best = Math.max(row[at + 1] ?? 0, next[at] ?? 0);
      next.push(char === y[at] ? (row[at] ?? 0) + 1 : best);
    }
    row = next;
  }
  return 2 * (row.at(-1) ?? 0) / Math.max(1, x.length + y.length);
}
