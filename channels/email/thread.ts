/**
 * Threads of mails. What the bot sends carries an id that tells what it was and to which thread it
 * belongs, so that an answer finds its conversation whatever a mail program leaves out.
 * @module
 */

import { shortHash } from "../short_hash.ts";

/** What a mail of the bot's was: an answer, something it began by itself, or a notice to owners. */
export type OwnKind = "answer" | "proactive" | "notice";

/** What an id of the bot's tells. */
export interface OwnId {
  readonly kind: OwnKind;
  readonly thread: string;
}

const KINDS: Readonly<Record<OwnKind, string>> = { answer: "a", proactive: "p", notice: "n" };
const OWN_ID = /^<[0-9a-f]{24}\.([0-9a-f]{16})\.([apn])\.troupe@[^@<>\s]+>$/;
const NOTICE_KEY = "notice:";

/** Names the thread that begins with the mail of this id. */
export function threadOf(rootId: string): string {
  return shortHash(rootId, 16);
}

/** The id of the mail for a delivery: always the same for the same key. */
export function ownIdOf(
  { key, thread, address }: {
    readonly key: string;
    /** The thread that is answered; null to begin one. */
    readonly thread: string | null;
    readonly address: string;
  },
): string {
  const kind = key.startsWith(NOTICE_KEY) ? "notice" : thread === null ? "proactive" : "answer";
  const mail = shortHash(`${address} ${key}`, 24);
  const domain = address.slice(address.lastIndexOf("@") + 1);
  return `<${mail}.${thread ?? threadOf(mail)}.${KINDS[kind]}.troupe@${domain}>`;
}

/** What an id tells that {@link ownIdOf} made; null for others. */
export function readOwnId(id: string): OwnId | null {
  const [, thread, letter] = OWN_ID.exec(id) ?? [];
  if (thread === undefined) return null;
  const kind = letter === "n" ? "notice" : letter === "p" ? "proactive" : "answer";
  return { kind, thread };
}
