/**
 * The memory of this process.
 * @module
 */

/** Bytes that are in memory, of all its threads. */
export function residentBytes(): number {
  return Deno.memoryUsage().rss;
}
