/**
 * Mails that no person wrote: absence notes, lists, newsletters, reports. Who answers them makes
 * loops.
 * @module
 */

import { type Head, valuesOf } from "./mail.ts";

/** Bulk mail says so in its `Precedence`. */
const BULK = /^(bulk|list|junk|auto_reply)$/i;
/** Accounts that programs write from. */
const ROBOT =
  /^(mailer-daemon|postmaster|no-?reply|do-?not-?reply|bounces?|notifications?)([+.-].*)?@/;
/** Lines that only lists, newsletters and robots carry. */
const ROBOT_FIELDS: ReadonlySet<string> = new Set([
  "list-id",
  "list-post",
  "list-help",
  "list-unsubscribe",
  "list-owner",
  "list-archive",
  "feedback-id",
  "x-autoreply",
  "x-autorespond",
  "x-autoresponder",
  "x-auto-reply",
  "x-loop",
  "x-failed-recipients",
]);
/** Exchange's word for what nobody shall answer by machine. */
const SUPPRESSED = /\b(all|autoreply|oof)\b/i;

/** Why a mail is taken for a machine's, in words; null for a person's. */
export function automaticReason(head: Pick<Head, "fields" | "from">): string | null {
  const values = (name: string): readonly string[] => valuesOf(head, name);
  const submitted = values("auto-submitted").find((value) => !/^no\b/i.test(value.trim()));
  if (submitted !== undefined) return `Auto-Submitted: ${submitted.slice(0, 60)}`;
  const precedence = values("precedence").find((value) => BULK.test(value.trim()));
  if (precedence !== undefined) return `Precedence: ${precedence.slice(0, 60)}`;
  const field = head.fields.find(({ name }) => ROBOT_FIELDS.has(name));
  if (field !== undefined) return `it has a line ${field.name}`;
  if (values("x-auto-response-suppress").some((value) => SUPPRESSED.test(value))) {
    return "X-Auto-Response-Suppress";
  }
  if (values("return-path").some((value) => /^<?\s*>?$/.test(value.trim()))) {
    return "its envelope has no sender";
  }
  const [from] = head.from;
  if (from !== undefined && ROBOT.test(from.address)) return "its sender is a program";
  return isReport(head) ? "it is a report" : null;
}

/** Whether it tells what became of another mail. */
export function isReport(head: Pick<Head, "fields">): boolean {
  return valuesOf(head, "content-type").some((value) => /^multipart\/report\b/i.test(value.trim()));
}
