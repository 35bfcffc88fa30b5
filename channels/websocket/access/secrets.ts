/**
 * Comparing and signing, so that time tells nothing.
 * @module
 */

import { createHash, createHmac, timingSafeEqual } from "node:crypto";

/** What stands for a secret where it is kept: who reads that does not have the secret. */
export function fingerprint(secret: string): string {
  return createHash("sha256").update(secret).digest("hex");
}

/** Whether two secrets are the same; takes as long whatever they have in common. */
export function isSameSecret(given: string, expected: string): boolean {
  const [one, other] = [given, expected].map((secret) =>
    createHash("sha256").update(secret).digest()
  );
  return one !== undefined && other !== undefined && timingSafeEqual(one, other);
}

/** A signature over `text` that only who has the key can make. */
export function signatureOf(text: string, key: string): string {
  return createHmac("sha256", key).update(text).digest("base64url");
}
