/**
 * Pages of what a search has found.
 * @module
 */

/** Items shown unless the model says otherwise. */
export const HEAD_LIMIT_DEFAULT = 250;
export const HEAD_LIMIT_MAX = 1_000;
export const OFFSET_MAX = 100_000;

/** Which of the finds are shown; a limit of 0 is all of them. */
export interface FoundRange {
  readonly limit: number;
  readonly offset: number;
}

/** The items of a page, as many as fit, and how to go on where there are more. */
export function foundPage(
  items: readonly string[],
  { limit, offset }: FoundRange,
  charsMax: number,
): { readonly shown: readonly string[]; readonly note: string | undefined } {
  const wanted = items.slice(offset, limit === 0 ? undefined : offset + limit);
  const shown: string[] = [];
  let size = 0;
  for (const item of wanted) {
    size += item.length + 1;
    if (size > charsMax && shown.length > 0) break;
    shown.push(item);
  }
  const next = offset + shown.length;
  if (next >= items.length && offset === 0) return { shown, note: undefined };
  const more = next < items.length ? `; go on with offset=${next}` : "";
  const what = shown.length === 0 ? "None" : `${offset + 1}-${next}`;
  return { shown, note: `(${what} of ${items.length}, limit=${limit}, offset=${offset}${more})` };
}
