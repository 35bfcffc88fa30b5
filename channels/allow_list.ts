/**
 * Who may speak to a bot.
 * @module
 */

/** Exact match or `"*"`; an empty list allows nobody. */
export function isAllowed(senderId: string, allowFrom: readonly string[]): boolean {
  return allowFrom.includes("*") || allowFrom.includes(senderId);
}
