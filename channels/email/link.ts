/**
 * What the channel asks of its two servers. Behind it stand the libraries, loaded at first use.
 * @module
 */

/** A mail as far as it is known before it is fetched. */
export interface MailHead {
  readonly uid: number;
  /** Of the whole mail, in bytes. */
  readonly size: number;
  /** When the server got it, epoch milliseconds. */
  readonly receivedMs: number;
  /** The header block as it was sent. */
  readonly headers: Uint8Array;
}

/** Which of a mailbox's mails are meant. */
export type MailRange =
  /** Those from this number on. */
  | { readonly fromUid: number }
  /** Those that came on that day or later; epoch milliseconds. */
  | { readonly sinceMs: number };

/**
 * A mailbox that is open for reading. All methods throw {@link MailServerError}; one whose
 * connection is lost is of no use any more.
 */
export interface OpenMailbox extends AsyncDisposable {
  /** Numbers mean the same mails only as long as this stays. */
  readonly uidValidity: string;
  /** The number that the next mail will have, as of the opening. */
  readonly uidNext: number;
  /** The server tells of new mails by itself. */
  readonly isPushing: boolean;
  /** The numbers in a range, rising. */
  find(range: MailRange): Promise<readonly number[]>;
  /** Heads by number, rising; those that are gone are left out. */
  heads(uids: readonly number[]): Promise<readonly MailHead[]>;
  /** The mail as it was sent, cut behind `bytesMax`; null when it is gone. */
  source(uid: number, bytesMax: number): Promise<Uint8Array | null>;
  markSeen(uid: number): Promise<void>;
  /** Resolves when there may be something new, or when the signal aborts. */
  news(signal: AbortSignal): Promise<void>;
}

/** The mailbox's server. */
export interface MailboxServer {
  /** Connects, signs in and opens the mailbox. */
  open(signal: AbortSignal): Promise<OpenMailbox>;
  /** Puts a copy of a sent mail where copies belong, unless the server does so by itself. */
  keepSent(mail: Uint8Array, signal: AbortSignal): Promise<void>;
  /**
   * Whether a mail with this id was sent, by the folder of sent ones; null when nobody can tell:
   * the server keeps no copies by itself.
   */
  wasSent(messageId: string, signal: AbortSignal): Promise<boolean | null>;
}

/** A mail on its way. */
export interface OutgoingMail {
  readonly from: string;
  readonly to: string;
  /** The mail as it goes out. */
  readonly bytes: Uint8Array;
}

/** The server that mails are given to. */
export interface PostServer {
  /** Resolves when the server has taken the mail. @throws {MailServerError} */
  send(mail: OutgoingMail, signal: AbortSignal): Promise<void>;
  /** Connects and signs in, and no more. @throws {MailServerError} */
  check(signal: AbortSignal): Promise<void>;
}

/** Both. */
export interface EmailLink {
  readonly mailbox: MailboxServer;
  readonly post: PostServer;
}
