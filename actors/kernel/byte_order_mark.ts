/**
 * The mark that some editors put before a text, which JSON does not allow.
 * @module
 */

const BYTE_ORDER_MARK = "\uFEFF";

/** The text without a byte order mark before it. */
export function withoutByteOrderMark(text: string): string {
  return text.startsWith(BYTE_ORDER_MARK) ? text.slice(BYTE_ORDER_MARK.length) : text;
}
