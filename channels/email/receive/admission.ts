/**
 * Decides what to do with a received mail, from its header block alone: a stranger's mail is not
 * even fetched.
 * @module
 */

import { isAllowed } from "../../allow_list.ts";
import { type AuthenticationRules, forgeryDoubt } from "./authentication.ts";
import { automaticReason, isReport } from "./automatic.ts";
import type { Head } from "./mail.ts";

/** What admission goes by. */
export interface AdmissionRules extends AuthenticationRules {
  /** The bot's own addresses, in lower case. */
  readonly ownAddresses: ReadonlySet<string>;
  /** Addresses in lower case, or `"*"`. */
  readonly allowFrom: readonly string[];
}

/** What became of a mail. */
export type Admission =
  /** Not for us to answer. */
  | { readonly verdict: "ignored"; readonly reason: string }
  /** The bot's own. */
  | { readonly verdict: "own" }
  /** It tells what became of a mail, perhaps of one of ours. */
  | { readonly verdict: "report" }
  | { readonly verdict: "stranger"; readonly sender: string }
  /** It may be somebody else's than it says. */
  | { readonly verdict: "doubtful"; readonly sender: string; readonly reason: string }
  | { readonly verdict: "admitted"; readonly sender: string };

/** Judges a mail: sender, whether a person wrote it, allow-list, and whether it is the sender's. */
export function admit(head: Head, rules: AdmissionRules): Admission {
  const [from, ...others] = head.from;
  if (isReport(head)) return { verdict: "report" };
  if (from === undefined) return { verdict: "ignored", reason: "it has no sender" };
  if (others.length > 0) return { verdict: "ignored", reason: "it has several senders" };
  const { address: sender } = from;
  if (rules.ownAddresses.has(sender)) return { verdict: "own" };
  const automatic = automaticReason(head);
  if (automatic !== null) return { verdict: "ignored", reason: automatic };
  if (!isAllowed(sender, rules.allowFrom)) return { verdict: "stranger", sender };
  const doubt = forgeryDoubt(head, rules);
  return doubt === null
    ? { verdict: "admitted", sender }
    : { verdict: "doubtful", sender, reason: doubt };
}
