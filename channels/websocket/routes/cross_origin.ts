/**
 * What browsers ask before they let a page of another origin look at an answer.
 * @module
 */

import { isOriginAllowed, type OriginRules } from "../access/origins.ts";
import type { WebAnswer, WebRequest } from "../link.ts";

/** Answers a request of a page that may ask; of others nothing is worked on. */
export async function answerAcross(
  request: WebRequest,
  rules: OriginRules,
  answer: () => Promise<WebAnswer>,
): Promise<WebAnswer> {
  if (!isOriginAllowed(request, rules)) {
    return { status: 403, headers: {}, body: "Origin not allowed" };
  }
  const origin = request.header("origin");
  const across = origin === null ? {} : { "access-control-allow-origin": origin, vary: "origin" };
  if (request.method === "OPTIONS") {
    const headers = {
      ...across,
      "access-control-allow-methods": "GET, POST, DELETE",
      "access-control-allow-headers": "authorization, x-nanobot-auth",
      "access-control-max-age": "600",
    };
    return { status: 204, headers, body: "" };
  }
  const answered = await answer();
  return { ...answered, headers: { ...answered.headers, ...across } };
}
