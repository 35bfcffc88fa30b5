/**
 * A mail provider on two ports of 127.0.0.1: IMAP and SMTP for the unmodified libraries.
 * @module
 */

import type { Clock } from "../../actors/kernel/clock.ts";
import { Folder, headerValue, type StoredMail } from "./email/folder.ts";
import { ImapSession } from "./email/imap_session.ts";
import { LineServer } from "./email/line_socket.ts";
import { type PostedMail, type PostFault, serveSmtp } from "./email/smtp_session.ts";

export { headerValue } from "./email/folder.ts";
export { type MimePart, mimeParts } from "./email/mime_parts.ts";
export type { PostedMail, PostFault } from "./email/smtp_session.ts";

/** How the provider is. */
export interface EmailPlatformOptions {
  readonly clock: Clock;
  /** It tells of new mails. @default true */
  readonly hasIdle?: boolean;
  /** It files what is sent by itself, as Gmail does. @default false */
  readonly keepsSent?: boolean;
}

/** The one mailbox of the provider. */
export const BOT = "bot@example.org";
const PASSWORD = "correct horse";

/** A provider with one mailbox; hold it with `await using`. */
export class EmailPlatform implements AsyncDisposable {
  readonly #account = { user: BOT, password: PASSWORD };
  readonly inbox: Folder = new Folder("INBOX");
  readonly sentFolder: Folder = new Folder("Sent");
  /** IMAP commands, in order. */
  readonly commands: string[] = [];
  /** Mails that were given by SMTP, in order. */
  readonly posted: PostedMail[] = [];
  /** What touched something so far. */
  effects = 0;
  readonly #faults: PostFault[] = [];
  readonly #refusals: { readonly pattern: RegExp; readonly words: string }[] = [];
  readonly #imap: LineServer;
  readonly #smtp: LineServer;
  readonly #clock: Clock;
  readonly #keepsSent: boolean;

  constructor({ clock, hasIdle = true, keepsSent = false }: EmailPlatformOptions) {
    this.#clock = clock;
    this.#keepsSent = keepsSent;
    const capabilities = [
      "IMAP4rev1",
      "ID",
      "SPECIAL-USE",
      "AUTH=PLAIN",
      "SASL-IR",
      ...(hasIdle ? ["IDLE"] : []),
      ...(keepsSent ? ["X-GM-EXT-1"] : []),
    ];
    const folders = new Map([["INBOX", this.inbox], ["Sent", this.sentFolder]]);
    this.#imap = new LineServer((socket) =>
      new ImapSession(socket, {
        ...this.#account,
        capabilities,
        folders,
        commands: this.commands,
        takeRefusal: (command) => this.#takeRefusal(command),
        onEffect: () => void this.effects++,
        now: () => clock.now(),
      }).run()
    );
    this.#smtp = new LineServer((socket) =>
      serveSmtp(socket, {
        ...this.#account,
        extensions: ["AUTH PLAIN", "8BITMIME", "SMTPUTF8", "SIZE 26214400"],
        takeFault: (at) => this.#takeFault(at),
        onMail: (mail) => this.#post(mail),
      })
    );
  }

  get password(): string {
    return this.#account.password;
  }

  /** The owner changes the password; who is signed in is put out. */
  changePassword(password: string): void {
    this.#account.password = password;
    this.cutAll();
  }

  /** The keys of a section for this provider. */
  get servers(): {
    readonly imapHost: string;
    readonly imapPort: number;
    readonly smtpHost: string;
    readonly smtpPort: number;
  } {
    const host = "127.0.0.1";
    return { imapHost: host, imapPort: this.#imap.port, smtpHost: host, smtpPort: this.#smtp.port };
  }

  /** Connections that are open. */
  get open(): number {
    return this.#imap.open + this.#smtp.open;
  }

  /** A mail arrives. @param mail as it stands in the mailbox; line ends are put right */
  deliver(mail: string | Uint8Array): StoredMail {
    const bytes = typeof mail === "string"
      ? new TextEncoder().encode(mail.replace(/\r?\n/g, "\r\n"))
      : mail;
    return this.inbox.add(bytes, this.#clock.now());
  }

  /** Lets the next mail that is given meet a fault. */
  plant(fault: PostFault): void {
    this.#faults.push(fault);
  }

  /** Answers `NO` to the next IMAP command that fits. */
  refuse(pattern: RegExp, words: string): void {
    this.#refusals.push({ pattern, words });
  }

  /** The network goes away. */
  goOffline(): void {
    this.#imap.isOffline = true;
    this.#smtp.isOffline = true;
    this.cutAll();
  }

  /** It is back. */
  comeBack(): void {
    this.#imap.isOffline = false;
    this.#smtp.isOffline = false;
  }

  /** Ends all connections; new ones are taken. */
  cutAll(): void {
    this.#imap.cutAll();
    this.#smtp.cutAll();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#imap[Symbol.asyncDispose]();
    await this.#smtp[Symbol.asyncDispose]();
  }

  #post(mail: PostedMail): void {
    this.effects++;
    this.posted.push(mail);
    if (headerValue(mail.bytes, "message-id") === "") throw new Error("Cannot take it: no id");
    if (this.#keepsSent) this.sentFolder.add(mail.bytes, this.#clock.now(), ["\\Seen"]);
  }

  #takeFault(at: PostFault["at"]): PostFault | null {
    const index = this.#faults.findIndex((fault) => fault.at === at);
    return index === -1 ? null : this.#faults.splice(index, 1)[0] ?? null;
  }

  #takeRefusal(command: string): string | null {
    const index = this.#refusals.findIndex(({ pattern }) => pattern.test(command));
    return index === -1 ? null : this.#refusals.splice(index, 1)[0]?.words ?? null;
  }
}
