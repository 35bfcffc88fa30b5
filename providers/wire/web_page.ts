/**
 * Answers of somebody else than a model server: a page at a wrong address, or of a network that
 * wants a sign-in before it lets anything through.
 * @module
 */

import type { Fault } from "../failures.ts";

/** With these a page says what the status says: proxies write pages about true faults, too. */
const TELLING_STATUSES: ReadonlySet<number> = new Set([401, 402, 408, 409, 413, 425, 429]);

/** "Network Authentication Required" (RFC 6585): the network wants a sign-in. */
const SIGN_IN_STATUS = 511;

/** The fault of a page that stands where an answer should. */
export function pageFault(text = "the answer is a web page"): Fault {
  return { failure: "provider_web_page", tokens: [], text };
}

/** The fault that status and headers alone give away, if they come from no model server. */
export function foreignFault(
  { status, headers }: Pick<Response, "status" | "headers">,
): Fault | undefined {
  if (status >= 300 && status < 400) return pageFault(redirectText(headers.get("location")));
  if (status === SIGN_IN_STATUS) return pageFault("the network wants a sign-in");
  const isRefusal = status >= 400 && status < 500 && !TELLING_STATUSES.has(status);
  return isRefusal && isHtml(headers) ? pageFault() : undefined;
}

/** Whether a body is announced as a page. */
export function isHtml(headers: Headers): boolean {
  return headers.get("content-type")?.toLowerCase().includes("html") ?? false;
}

/** Whether a body that is announced as something else, or not at all, begins like a page. */
export function beginsPage(text: string): boolean {
  return /^[\s\uFEFF]*<(?:!doctype|html|head|body|title|meta|\?xml)/i.test(text);
}

/** Without path and parameters, which may hold what nobody should read. */
function redirectText(location: string | null): string {
  const origin = URL.parse(location ?? "")?.origin ?? "another address";
  return `the answer is a redirect to ${origin}`;
}
