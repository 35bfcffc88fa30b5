/**
 * What mail servers can answer instead of doing what they were asked, and what that means for a
 * delivery.
 * @module
 */

import { GatewayError } from "../../actors/kernel/errors.ts";
import type { DeliveryError } from "../channel.ts";
import { asDeliveryError, type FailureMeaning } from "../delivering.ts";

/** What kind of failure it is. `doubtful`: the mail may have been taken all the same. */
export type MailFailure =
  | "unreachable"
  | "credentials"
  | "insecure"
  | "no_mailbox"
  | "busy"
  | "refused"
  | "doubtful";

/** What is known of a failure. */
export interface MailFailureDetails {
  readonly failure: MailFailure;
  /** The server's own words, or the library's. */
  readonly reason: string;
  /** The wait that it asked for. */
  readonly retryAfterMs?: number | undefined;
}

/** A mail server did not do what it was asked. */
export class MailServerError extends GatewayError {
  override readonly name = "MailServerError";
  readonly code = "mail_server";
  readonly recovery = "retry";
  readonly failure: MailFailure;
  readonly reason: string;
  readonly retryAfterMs: number | undefined;

  /** @param action what was tried: `read "imap.example.com"` */
  constructor(action: string, details: MailFailureDetails, options?: ErrorOptions) {
    super(`Cannot ${action}: ${details.reason}`, options);
    this.failure = details.failure;
    this.reason = details.reason;
    this.retryAfterMs = details.retryAfterMs;
  }
}

/** A server does not let the bot in; trying again makes no sense before a person acts. */
export class EmailCredentialsError extends GatewayError {
  override readonly name = "EmailCredentialsError";
  readonly code = "email_credentials";
  readonly recovery = "give_up";

  constructor(reason: string, options?: ErrorOptions) {
    super(`Cannot sign in to the mailbox: ${reason}`, options);
  }
}

/** Failures that a person has to mend: nothing is tried again after them. */
const LASTING: ReadonlySet<MailFailure> = new Set<MailFailure>([
  "credentials",
  "insecure",
  "no_mailbox",
]);

/** What to give up with after this failure; null when it may pass. */
export function lastingRefusal(error: unknown): EmailCredentialsError | null {
  if (!(error instanceof MailServerError) || !LASTING.has(error.failure)) return null;
  const { failure, reason } = error;
  const remedies = {
    credentials: "put the right name and password (with most providers an app password) into " +
      "channels.email",
    insecure: "mails are read and sent by TLS only; see channels.email.imapUseSsl, smtpUseTls " +
      "and caCertificates",
    no_mailbox: "name an existing folder in channels.email.imapMailbox",
  } as const;
  const remedy =
    remedies[failure === "insecure" || failure === "no_mailbox" ? failure : "credentials"];
  return new EmailCredentialsError(`${reason}; ${remedy}`, { cause: error });
}

/** The failure as the outbox understands it; a mail that may be out is in doubt, as no server has keys. */
export function deliveryErrorOf(error: unknown): DeliveryError {
  return asDeliveryError(error, meaningOf);
}

function meaningOf(error: unknown): FailureMeaning {
  if (!(error instanceof MailServerError)) return { code: "delivery_transient" };
  switch (error.failure) {
    case "doubtful":
      return { code: "delivery_unknown" };
    case "refused":
      return { code: "delivery_permanent" };
    default:
      return { code: "delivery_transient", retryAfterMs: error.retryAfterMs };
  }
}
