/**
 * What the IMAP library fails with, by kind.
 * @module
 */

import { type MailFailure, MailServerError } from "../errors.ts";
import { failureText } from "./connecting.ts";

/** Faults of certificates as the TLS library names them, and of servers that offer no TLS. */
const INSECURE =
  /certificate|self.signed|UnknownIssuer|NotValidForName|hostname|altname|STARTTLS|PREAUTH|without encryption/i;
/** Servers that let nobody in just now say so by these words, not that the password is wrong. */
const PASSING = /UNAVAILABLE|INUSE|LIMIT|too many|try again|temporar|system error|throttl/i;
/** Ends of a connection, however they are put. */
const LOST_CODES: ReadonlySet<string> = new Set([
  "NoConnection",
  "EConnectionClosed",
  "StateLogout",
  "ECONNRESET",
  "EPIPE",
  "ETIMEOUT",
]);

/** What the library tells of a failure. */
interface ImapFailure {
  readonly code: string;
  readonly isAuthentication: boolean;
  readonly response: string;
  readonly status: string;
}

/**
 * The failure by kind.
 *
 * @param refusal what a `NO` of the server means @default it cannot just now
 */
export function imapError(
  action: string,
  error: unknown,
  refusal: MailFailure = "busy",
): MailServerError {
  if (error instanceof MailServerError) return error;
  const { response } = details(error);
  const reason = response || failureText(error);
  return new MailServerError(action, { failure: kindOf(error, refusal), reason }, { cause: error });
}

/** Whether this is the end of the connection, and no answer. */
export function isLost(error: unknown): boolean {
  return LOST_CODES.has(details(error).code);
}

function kindOf(error: unknown, refusal: MailFailure): MailFailure {
  const { isAuthentication, response, status } = details(error);
  if (isAuthentication) return PASSING.test(response) ? "busy" : "credentials";
  if (status === "NO") return PASSING.test(response) ? "busy" : refusal;
  if (isLost(error)) return "unreachable";
  return INSECURE.test(failureText(error)) ? "insecure" : "unreachable";
}

function details(error: unknown): ImapFailure {
  const of = (key: string): unknown =>
    typeof error === "object" && error !== null ? Reflect.get(error, key) : undefined;
  const text = (key: string): string => {
    const value = of(key);
    return typeof value === "string" ? value : "";
  };
  return {
    code: text("code"),
    isAuthentication: of("authenticationFailed") === true,
    response: text("responseText"),
    status: text("responseStatus"),
  };
}
