/**
 * What connections to both servers have in common.
 * @module
 */

import type { EmailSection } from "../manifest.ts";

/** How TLS is checked: by the system's certificates, and those of the section. */
export function tlsOptions(
  { caCertificates }: Pick<EmailSection, "caCertificates">,
): { readonly ca?: string } {
  return caCertificates.trim() === "" ? {} : { ca: caCertificates };
}

/** What a library says of a failure, as one line. */
export function failureText(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.replace(/\s+/g, " ").trim().slice(0, 300) || "no reason was given";
}
