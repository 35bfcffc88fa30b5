/**
 * How keys are spelled: camelCase, snake_case, and the nearest thing to a typing error.
 * @module
 */

/** The snake_case form of a camelCase key. */
export function toSnake(camel: string): string {
  return camel.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** A name without case and separators: what all its spellings have in common. */
export function foldName(name: string): string {
  return name.replace(/[-_]/g, "").toLowerCase();
}

/** Longest name that is compared; nobody mistypes more, and the cost is quadratic. */
const NAME_LENGTH_MAX = 64;

/**
 * The candidate that was most likely meant, if any is close: at most a third of its letters, and
 * never more than three, may differ.
 */
export function nearestName(written: string, candidates: Iterable<string>): string | null {
  const name = foldName(written);
  if (name.length > NAME_LENGTH_MAX) return null;
  let nearest: string | null = null;
  let leastEdits = Infinity;
  for (const candidate of candidates) {
    const folded = foldName(candidate);
    const editsMax = Math.min(3, Math.ceil(folded.length / 3));
    const edits = countEdits(name, folded);
    if (edits <= editsMax && edits < leastEdits) {
      nearest = candidate;
      leastEdits = edits;
    }
  }
  return nearest;
}

/** Letters to insert, delete, replace or swap with their neighbour to turn `from` into `to`. */
function countEdits(from: string, to: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let row = 1; row <= from.length; row++) {
    const current = [row];
    for (let column = 1; column <= to.length; column++) {
      const isSame = from[row - 1] === to[column - 1];
      const isSwap = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      current.push(Math.min(
        at(last, column) + 1,
        at(current, column - 1) + 1,
        at(last, column - 1) + (isSame ? 0 : 1),
        isSwap ? at(beforeLast, column - 2) + 1 : Infinity,
      ));
    }
    beforeLast = last;
    last = current;
  }
  return at(last, to.length);
}

function at(row: readonly number[], column: number): number {
  return row[column] ?? Infinity;
}
