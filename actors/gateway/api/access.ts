/**
 * Who may use the API: whoever has one of its keys; without keys everybody on this machine, but no
 * page in a browser.
 * @module
 */

import type { ApiConfig } from "../../config/schema/servers.ts";
import { isSameSecret } from "../../kernel/same_secret.ts";
import { StartError } from "../errors.ts";
import { ApiError } from "./api_error.ts";

/** Whoever has the one key, or needs none. */
const PERSON = "user";
const LOOPBACK = /^(localhost|127(\.\d+){3}|::1)$/i;
const BEARER = /^bearer +(.+)$/i;

/** Sections that decide. */
export type AccessRules = Pick<ApiConfig, "host" | "apiKey" | "apiKeys" | "allowOrigins">;

/**
 * Refuses rules under which strangers could come in.
 *
 * @throws {StartError} `api_unprotected`
 */
export function checkAccess({ host, apiKey, apiKeys }: AccessRules): void {
  if (LOOPBACK.test(host) || apiKey !== "" || Object.keys(apiKeys).length > 0) return;
  const text = `Cannot open the API at "${host}": other machines reach it there, and api.apiKey ` +
    "is not set; set it, or leave api.host at 127.0.0.1";
  throw new StartError("api_unprotected", text);
}

/**
 * Who sends a request: the name of their key, or `user`.
 *
 * @throws {ApiError} for strangers
 */
export function senderOf(request: Request, rules: AccessRules): string {
  checkOrigin(request, rules);
  const keys = [
    ...(rules.apiKey === "" ? [] : [[PERSON, rules.apiKey] as const]),
    ...Object.entries(rules.apiKeys),
  ];
  if (keys.length === 0) return PERSON;
  const given = BEARER.exec(request.headers.get("authorization")?.trim() ?? "")?.[1] ?? "";
  // All are compared: the time tells nothing of which one it was.
  const [found] = keys.filter(([, key]) => isSameSecret(given, key));
  if (found !== undefined) return found[0];
  const text = given === ""
    ? "No key was given: send one of api.apiKey or api.apiKeys as a bearer token"
    : "The key is not one of api.apiKey and api.apiKeys";
  throw new ApiError("invalid_api_key", text, {
    status: 401,
    type: "authentication_error",
    headers: { "www-authenticate": "Bearer" },
  });
}

/** Programs send no origin. Browsers do, with every request that could do something. */
function checkOrigin(request: Request, rules: AccessRules): void {
  const origin = request.headers.get("origin");
  if (origin === null || isOriginAllowed(origin, rules)) return;
  const text = "Pages in browsers may use this API only if api.allowOrigins names their origin";
  throw new ApiError("origin_not_allowed", text, { status: 403, type: "permission_error" });
}

function isOriginAllowed(origin: string, { allowOrigins }: AccessRules): boolean {
  return allowOrigins.includes("*") || allowOrigins.includes(origin.toLowerCase());
}

/** Headers that let a page read the answer; none where it may not, or there is no page. */
export function crossOriginHeaders(
  request: Request,
  rules: AccessRules,
): Readonly<Record<string, string>> {
  const origin = request.headers.get("origin");
  if (origin === null || !isOriginAllowed(origin, rules)) return {};
  return {
    "access-control-allow-origin": origin,
    "access-control-allow-methods": "GET, POST, OPTIONS",
    "access-control-allow-headers": request.headers.get("access-control-request-headers") ?? "*",
    "access-control-expose-headers": "x-request-id, x-session-id",
    "access-control-max-age": "600",
    vary: "origin",
  };
}
