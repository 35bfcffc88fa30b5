/**
 * The mailbox's server by the library's IMAP client: connecting, and the folder of sent mails.
 * @module
 */

import { Buffer } from "node:buffer";
import { getLogger } from "@logtape/logtape";
import type { ImapFlow } from "imapflow";
import { type EmailSection, isThisMachine } from "../manifest.ts";
import type { MailboxServer, OpenMailbox } from "../link.ts";
import { ImapMailbox } from "./imap_mailbox.ts";
import { imapError } from "./imap_errors.ts";
import { tlsOptions } from "./connecting.ts";
import { hideHostname } from "./system_name.ts";

const logger = getLogger(["troupe", "email", "imap"]);

/** How long it may take to answer; one that is quiet for so long is asked whether it is there. */
const ANSWER_MS = 2 * 60_000;
/** Gmail's servers say so; they keep copies of what is sent, as do Microsoft's. */
const GMAIL = "X-GM-EXT-1";
const KEEPING_HOST = /(^|\.)(office365|outlook|hotmail|live)\.com$/i;

/** The server that `imapHost` names. */
export class ImapServer implements MailboxServer {
  readonly #section: EmailSection;
  readonly #connectMs: number;
  /** It puts copies of sent mails into their folder by itself, as far as is known. */
  #keepsCopies: boolean;

  /** @param connectMs how long a server may take to be connected to, and to greet */
  constructor(section: EmailSection, connectMs: number) {
    this.#section = section;
    this.#connectMs = connectMs;
    this.#keepsCopies = KEEPING_HOST.test(section.imapHost);
  }

  async open(signal: AbortSignal): Promise<OpenMailbox> {
    const client = await this.#connect(signal);
    try {
      await client.mailboxOpen(this.#section.imapMailbox);
      return new ImapMailbox(client, this.#action);
    } catch (error) {
      client.close();
      signal.throwIfAborted();
      throw imapError(this.#action, error, "no_mailbox");
    }
  }

  async keepSent(mail: Uint8Array, signal: AbortSignal): Promise<void> {
    if (!this.#isToKeep) return;
    await this.#briefly(signal, async (client) => {
      if (!this.#isToKeep) return; // the server has just said that it does
      const folder = await sentFolder(client);
      if (folder === null) return logger.info("There is no folder for copies of sent mails");
      await client.append(folder, Buffer.from(mail), ["\\Seen"]);
    });
  }

  async wasSent(messageId: string, signal: AbortSignal): Promise<boolean | null> {
    return await this.#briefly(signal, async (client) => {
      const folder = await sentFolder(client);
      if (folder === null) return null;
      await client.mailboxOpen(folder, { readOnly: true });
      const found = await client.search({ header: { "Message-ID": messageId } }, { uid: true });
      if (Array.isArray(found) && found.length > 0) return true;
      return this.#keepsCopies ? false : null;
    });
  }

  get #isToKeep(): boolean {
    return this.#section.saveSent ?? !this.#keepsCopies;
  }

  /** A connection for one purpose, as the library lets nothing pass that waits behind `IDLE`. */
  async #briefly<T>(signal: AbortSignal, work: (client: ImapFlow) => Promise<T>): Promise<T> {
    const client = await this.#connect(signal);
    const stop = (): void => client.close();
    signal.addEventListener("abort", stop, { once: true });
    try {
      const result = await work(client);
      await client.logout();
      return result;
    } catch (error) {
      signal.throwIfAborted();
      throw imapError(this.#action, error);
    } finally {
      signal.removeEventListener("abort", stop);
      client.close();
    }
  }

  async #connect(signal: AbortSignal): Promise<ImapFlow> {
    const { imapHost, imapPort, imapUsername, imapPassword, imapUseSsl } = this.#section;
    hideHostname(); // the library asks for it when it is loaded
    const library = await import("imapflow");
    signal.throwIfAborted();
    const client = new library.ImapFlow({
      host: imapHost,
      port: imapPort,
      secure: imapUseSsl,
      ...(!imapUseSsl && { doSTARTTLS: !isThisMachine(imapHost) }),
      auth: { user: imapUsername, pass: imapPassword },
      tls: tlsOptions(this.#section),
      clientInfo: { name: "Troupe" },
      logger: false,
      disableAutoIdle: true,
      connectionTimeout: this.#connectMs,
      greetingTimeout: this.#connectMs,
      socketTimeout: ANSWER_MS,
    });
    client.on("error", (error: unknown) => {
      logger.debug("The connection failed: {reason}", { reason: String(error) });
    });
    const stop = (): void => client.close();
    signal.addEventListener("abort", stop, { once: true });
    try {
      await client.connect();
      this.#keepsCopies ||= client.capabilities.has(GMAIL);
      return client;
    } catch (error) {
      client.close();
      signal.throwIfAborted();
      throw imapError(this.#action, error);
    } finally {
      signal.removeEventListener("abort", stop);
    }
  }

  get #action(): string {
    const { imapHost, imapPort } = this.#section;
    return `read mail at "${imapHost}:${imapPort}"`;
  }
}

/** The folder of sent mails: as the server or the library marks it; null without one. */
async function sentFolder(client: ImapFlow): Promise<string | null> {
  const folders = await client.list();
  const sent = folders.find(({ specialUse }) => specialUse === "\\Sent");
  return sent?.path ?? null;
}
