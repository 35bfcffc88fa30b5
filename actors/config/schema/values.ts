/**
 * Kinds of values that several sections of the configuration share.
 * @module
 */

import { z } from "zod";

/** A day: the longest time limit that makes sense for a single request or run. */
export const SECONDS_MAX = 86_400;

/** A whole number from `min` to `max`. */
export function wholeNumber(min: number, max: number = Number.MAX_SAFE_INTEGER): z.ZodInt {
  return z.int().min(min).max(max);
}

/** A TCP port; 0 lets the system choose a free one. */
export function port(): z.ZodInt {
  return wholeNumber(0, 65_535);
}

/** Text in which `""` means the same as absent. */
export function textOrNull(): z.ZodType<string | null> {
  return z.string().transform((text) => text.trim() === "" ? null : text).nullable().default(null);
}

/** The address of a server, in which `""` means the same as absent. */
export function urlOrNull(schemes: readonly string[]): z.ZodType<string | null> {
  return z.string()
    .refine((text) => text.trim() === "" || hasScheme(text, schemes), {
      error: `is not an address that starts with ${schemes.join("//, ")}//`,
    })
    .transform((text) => text.trim() === "" ? null : text.trim())
    .nullable()
    .default(null);
}

/** A map whose keys are free. */
export function textMap(): z.ZodType<Readonly<Record<string, string>>> {
  return z.record(z.string(), z.string());
}

function hasScheme(text: string, schemes: readonly string[]): boolean {
  const url = URL.parse(text.trim());
  return url !== null && schemes.includes(url.protocol);
}
