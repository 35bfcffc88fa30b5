/**
 * What stands in place of secrets, and signatures made with them.
 * @module
 */

import { createHash, createHmac } from "node:crypto";

/** What stands for a secret where it is kept: who reads that does not have the secret. */
export function fingerprint(secret: string): string {
  return createHash("sha256").update(secret).digest("hex");
}

/** A signature over `text` that only who has the key can make. */
export function signatureOf(text: string, key: string): string {
  return createHmac("sha256", key).update(text).digest("base64url");
}
