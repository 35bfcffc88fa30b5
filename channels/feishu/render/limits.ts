/**
 * The platform's documented sizes, less what stands around our text.
 * @module
 */

/** Most bytes of a card's or post's JSON: documented as 30 KB, read in decimal to be safe. */
export const CARD_BYTES_MAX = 30_000;
/** The card's frame with its settings and summary. */
const FRAME_BYTES = 1_200;
/** The folded list of what ran. */
const STEPS_BYTES = 2_800;
/** What the model thought, where that is shown; it takes room from the answer. */
export const REASONING_BYTES_MAX = 5_000;
/** The folded panel around it. */
const REASONING_FRAME_BYTES = 300;
/** All elements of a card that hold the answer. */
export const BODY_BYTES_MAX: number = CARD_BYTES_MAX - FRAME_BYTES - STEPS_BYTES;
/** The same beside what the model thought. */
export const BODY_BYTES_BESIDE_REASONING: number = BODY_BYTES_MAX - REASONING_BYTES_MAX -
  REASONING_FRAME_BYTES;
/** Documented as five; more than four in one Markdown element are not shown. */
export const TABLES_MAX = 4;
export const COLUMNS_MAX = 50;
/** Documented as 200; ours are few and large, so this never meets a usual answer. */
export const ELEMENTS_MAX = 100;
/** Rows on one page of a table. */
export const PAGE_ROWS_MAX = 10;
/** The platform takes 150 KB of text, but was seen to refuse somewhat less. */
export const TEXT_BYTES_MAX = 120_000;
export const POST_BYTES_MAX = 29_000;

const encoder = new TextEncoder();

/** Bytes of `value` as JSON. */
export function jsonBytes(value: unknown): number {
  return encoder.encode(JSON.stringify(value)).length;
}
