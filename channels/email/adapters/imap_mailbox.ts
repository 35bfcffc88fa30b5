/**
 * An open mailbox by the library's IMAP client.
 * @module
 */

import type { ImapFlow } from "imapflow";
import { MailServerError } from "../errors.ts";
import type { MailHead, MailRange, OpenMailbox } from "../link.ts";
import { imapError } from "./imap_errors.ts";

/** A mailbox, for as long as its connection lives. */
export class ImapMailbox implements OpenMailbox {
  readonly uidValidity: string;
  readonly uidNext: number;
  readonly isPushing: boolean;
  readonly #client: ImapFlow;
  readonly #action: string;
  /** New mails were told of since somebody last asked. */
  #isNews = false;
  #wake: () => void = () => {};

  /** @param client has a mailbox open @param action names the reading in errors */
  constructor(client: ImapFlow, action: string) {
    this.#client = client;
    this.#action = action;
    const { mailbox } = client;
    if (mailbox === false) throw lost(action);
    this.uidValidity = String(mailbox.uidValidity);
    this.uidNext = mailbox.uidNext;
    this.isPushing = client.capabilities.has("IDLE");
    client.on("exists", () => {
      this.#isNews = true;
      this.#wake();
    });
    client.on("close", () => this.#wake());
  }

  async find(range: MailRange): Promise<readonly number[]> {
    const query = "fromUid" in range
      ? { uid: `${range.fromUid}:*` }
      : { since: new Date(range.sinceMs) };
    const found = await this.#ask(() => this.#client.search(query, { uid: true }));
    const uids = Array.isArray(found) ? found : [];
    // `n:*` names the last mail, whatever its number.
    const fromUid = "fromUid" in range ? range.fromUid : 1;
    return uids.filter((uid) => uid >= fromUid).toSorted((one, other) => one - other);
  }

  async heads(uids: readonly number[]): Promise<readonly MailHead[]> {
    if (uids.length === 0) return [];
    const query = { uid: true, size: true, internalDate: true, headers: true };
    const heads: MailHead[] = [];
    await this.#ask(async () => {
      const range = uids.join(",");
      for await (const mail of this.#client.fetch(range, query, { uid: true })) {
        const { uid, size = 0, internalDate, headers } = mail;
        const receivedMs = internalDate === undefined ? 0 : new Date(internalDate).getTime();
        heads.push({ uid, size, receivedMs, headers: headers ?? new Uint8Array() });
      }
    });
    return heads.toSorted((one, other) => one.uid - other.uid);
  }

  async source(uid: number, bytesMax: number): Promise<Uint8Array | null> {
    const query = { source: { start: 0, maxLength: bytesMax } };
    const mail = await this.#ask(() => this.#client.fetchOne(String(uid), query, { uid: true }));
    return mail === false ? null : mail.source ?? null;
  }

  async markSeen(uid: number): Promise<void> {
    await this.#ask(() => this.#client.messageFlagsAdd(String(uid), ["\\Seen"], { uid: true }));
  }

  async news(signal: AbortSignal): Promise<void> {
    const { promise: woken, resolve } = Promise.withResolvers<void>();
    const wake = (): void => resolve();
    this.#wake = wake;
    signal.addEventListener("abort", wake, { once: true });
    try {
      if (this.#isNews || signal.aborted) return;
      if (!this.isPushing) {
        await woken;
        // Servers tell of new mails only when they are asked something.
        return await this.#ask(() => this.#client.noop());
      }
      // It ends when something else is asked, and then resolves; a lost connection wakes as well.
      const idling = this.#client.idle().then(() => {});
      idling.catch(() => {});
      await Promise.race([woken, idling]);
    } finally {
      signal.removeEventListener("abort", wake);
      this.#wake = () => {};
      this.#isNews = false;
    }
    if (!this.#client.usable) throw lost(this.#action);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#client.close();
    await Promise.resolve();
  }

  async #ask<T>(question: () => Promise<T>): Promise<T> {
    if (!this.#client.usable) throw lost(this.#action);
    try {
      return await question();
    } catch (error) {
      throw imapError(this.#action, error);
    }
  }
}

function lost(action: string): MailServerError {
  return new MailServerError(action, {
    failure: "unreachable",
    reason: "the connection was lost",
  });
}
