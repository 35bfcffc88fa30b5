/**
 * The levels of the log, as people name them; apart, so that help needs nothing else.
 * @module
 */

/** Levels in rising order. */
export const LEVELS = ["debug", "info", "warning", "error"] as const;

/** A level that people name. */
export type LogLevel = typeof LEVELS[number];
