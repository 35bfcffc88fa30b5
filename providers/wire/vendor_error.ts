/**
 * Error objects as vendors send them, in bodies and inside streams.
 * @module
 */

import { z } from "zod";
import type { Fault } from "../failures.ts";

const words = z.union([z.string(), z.number()]).transform(String).nullish().catch(null);
const seconds = z.number().positive().optional().catch(undefined);
const vendorError = z.object({
  message: z.string().nullish().catch(null),
  detail: z.string().nullish().catch(null),
  type: words,
  code: words,
  status: words,
  param: words,
  retry_after: seconds,
  resets_in_seconds: seconds,
});
type VendorError = z.infer<typeof vendorError>;

/**
 * The fault that an error object of a vendor describes, wherever it was found.
 *
 * @param found the value of `error` in a body or chunk, or the whole body
 */
export function faultOfVendorError(found: unknown): Fault {
  const first = Array.isArray(found) ? found[0] : found;
  const wrapped = z.object({ error: z.unknown().optional() }).safeParse(first).data;
  const inner = wrapped?.error ?? first;
  const error = vendorError.safeParse(inner).data;
  const message = error?.message || error?.detail;
  if (!error || !message) {
    const text = typeof inner === "string" ? inner : JSON.stringify(found) ?? "";
    return { tokens: error ? tokensOf(error) : [], text };
  }
  const waitS = error.retry_after ?? error.resets_in_seconds;
  return {
    tokens: tokensOf(error),
    text: error.param ? `${message} [${error.param}]` : message,
    ...(waitS !== undefined && { retryAfterMs: Math.round(waitS * 1_000) }),
  };
}

function tokensOf({ type, code, status }: VendorError): readonly string[] {
  const tokens = [type, code, status].flatMap((token) => token ? [token.trim().toLowerCase()] : []);
  return [...new Set(tokens)];
}
