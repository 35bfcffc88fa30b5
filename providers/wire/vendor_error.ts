/**
 * Error objects as vendors send them, in bodies and inside streams.
 * @module
 */

import { z } from "zod";
import type { Fault } from "../failures.ts";

const words = z.union([z.string(), z.number()]).transform(String).nullish().catch(null);
const vendorError = z.object({
  message: z.string().nullish().catch(null),
  type: words,
  code: words,
  status: words,
  param: words,
});

/**
 * The fault that an error object of a vendor describes, wherever it was found.
 *
 * @param inner the value of `error` in a body or chunk
 */
export function faultOfVendorError(inner: unknown): Fault {
  const list = Array.isArray(inner) ? inner[0] : inner;
  const wrapped = z.object({ error: z.unknown().optional() }).safeParse(list);
  const parsed = vendorError.safeParse(wrapped.data?.error ?? list);
  if (!parsed.success || !parsed.data.message) {
    const text = typeof inner === "string" ? inner : JSON.stringify(inner) ?? "";
    return { tokens: tokensOf(parsed.data ?? {}), text };
  }
  const { message, param } = parsed.data;
  return { tokens: tokensOf(parsed.data), text: param ? `${message} [${param}]` : message };
}

function tokensOf(error: Partial<z.infer<typeof vendorError>>): readonly string[] {
  const { type, code, status } = error;
  const tokens = [type, code, status].flatMap((token) => token ? [token.trim().toLowerCase()] : []);
  return [...new Set(tokens)];
}
