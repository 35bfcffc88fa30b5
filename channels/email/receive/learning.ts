/**
 * Learns by what name the own server signs its checks: by the name that stands on top of nearly all
 * the mails that are there. Where a server signs nothing there is none, and nothing is trusted.
 * @module
 */

import { getLogger } from "@logtape/logtape";
import { parseHead } from "../adapters/mail_parser.ts";
import type { OpenMailbox } from "../link.ts";
import { topAuthServId } from "./authentication.ts";

const logger = getLogger(["troupe", "email", "learning"]);

/** The latest mails tell. */
const MAILS_MAX = 40;
/** Fewer senders could be one, who writes the name in by himself. */
const DOMAINS_MIN = 3;
const SHARE_MIN = 0.8;
/** Numbers of mails that are gone are among those that are looked at. */
const NUMBERS_MAX = 1_000;

/** The name; null when the mailbox does not tell. */
export async function learnAuthServId(mailbox: OpenMailbox): Promise<string | null> {
  const fromUid = Math.max(1, mailbox.uidNext - NUMBERS_MAX);
  const uids = (await mailbox.find({ fromUid })).slice(-MAILS_MAX);
  const heads = await Promise.all(
    (await mailbox.heads(uids)).map(({ headers }) => parseHead(headers)),
  );
  const domains = new Map<string, Set<string>>();
  let counted = 0;
  const counts = new Map<string, number>();
  for (const { fields, from: [from] } of heads) {
    if (from === undefined || !fields.some(({ name }) => name === "received")) continue;
    counted++;
    const name = topAuthServId(fields);
    if (name === null) continue;
    counts.set(name, (counts.get(name) ?? 0) + 1);
    const seen = domains.get(name) ?? new Set();
    domains.set(name, seen.add(from.address.slice(from.address.lastIndexOf("@"))));
  }
  const [best] = [...counts].toSorted(([, one], [, other]) => other - one);
  const [name = "", count = 0] = best ?? [];
  if (count < counted * SHARE_MIN || (domains.get(name)?.size ?? 0) < DOMAINS_MIN) {
    logger.warn(
      "The mailbox does not tell by what name its server signs its checks (SPF, DKIM, DMARC): " +
        "until channels.email.authServId names it, no mail is taken",
    );
    return null;
  }
  logger.info('Trusting the checks (SPF, DKIM, DMARC) that are signed "{name}"', { name });
  return name;
}
