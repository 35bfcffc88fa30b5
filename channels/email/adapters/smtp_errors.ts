/**
 * What the SMTP library fails with, by kind.
 * @module
 */

import { type MailFailure, MailServerError } from "../errors.ts";
import { failureText } from "./connecting.ts";

/** What was asked of the server when it failed. */
export type SmtpStage = "connect" | "login" | "send";

/** Servers that let nobody in just now; not that the password is wrong. */
const PASSING_LOGIN_CODES: ReadonlySet<number> = new Set([421, 454, 432]);
const INSECURE = /certificate|self.signed|UnknownIssuer|NotValidForName|altname|STARTTLS/i;
/** `try again in 7 seconds`, `Greylisted for 5 minutes`. */
const TOLD_WAIT = /\b(\d{1,5})\s*(s|sec|seconds?|m|min|minutes?)\b/i;
/** Nobody waits for longer. */
const TOLD_WAIT_MS_MAX = 3_600_000;

/** The failure by kind: nothing is known only of a mail whose end was never acknowledged. */
export function smtpError(action: string, stage: SmtpStage, error: unknown): MailServerError {
  const { code, status, response } = details(error);
  const reason = response || failureText(error);
  const failure = kindOf({ stage, code, status, text: failureText(error) });
  const retryAfterMs = status !== null && status < 500 ? toldWaitMs(response) : undefined;
  return new MailServerError(action, { failure, reason, retryAfterMs }, { cause: error });
}

function kindOf({ stage, code, status, text }: {
  readonly stage: SmtpStage;
  readonly code: string;
  readonly status: number | null;
  readonly text: string;
}): MailFailure {
  if (stage === "login" && code === "EAUTH") {
    return status === null || PASSING_LOGIN_CODES.has(status) ? "busy" : "credentials";
  }
  if (code === "ETLS") return "insecure";
  if (status !== null) {
    if (stage !== "send") return status === 530 || status === 535 ? "credentials" : "busy";
    return status >= 500 ? "refused" : "busy";
  }
  // An address that cannot be one is refused before the server is asked.
  if (stage === "send") return code === "EENVELOPE" ? "refused" : "doubtful";
  return INSECURE.test(text) ? "insecure" : "unreachable";
}

function toldWaitMs(response: string): number | undefined {
  const [, amount, unit = "s"] = TOLD_WAIT.exec(response) ?? [];
  if (amount === undefined) return undefined;
  const waitMs = Number(amount) * (unit.toLowerCase().startsWith("m") ? 60_000 : 1_000);
  return Math.min(waitMs, TOLD_WAIT_MS_MAX);
}

function details(error: unknown): {
  readonly code: string;
  readonly status: number | null;
  readonly response: string;
} {
  const of = (key: string): unknown =>
    typeof error === "object" && error !== null ? Reflect.get(error, key) : undefined;
  const code = of("code");
  const status = of("responseCode");
  const response = of("response");
  return {
    code: typeof code === "string" ? code : "",
    status: typeof status === "number" && status > 0 ? status : null,
    response: typeof response === "string" ? response.replace(/\s+/g, " ").slice(0, 300) : "",
  };
}
