/**
 * The way to WhatsApp over whichever connection there is.
 * @module
 */

import { WhatsAppUnreachableError } from "./errors.ts";
import type { MessageRef, Outgoing, Presence, WhatsAppLink } from "./link.ts";

/** Sends over the connection of now; fails while there is none. */
export class CurrentLink implements WhatsAppLink {
  #link: WhatsAppLink | null = null;

  /** @param link null when the connection is gone */
  use(link: WhatsAppLink | null): void {
    this.#link = link;
  }

  async send(outgoing: Outgoing, signal: AbortSignal): Promise<void> {
    await this.#now("a message").send(outgoing, signal);
  }

  async react(message: MessageRef, emoji: string | null, signal: AbortSignal): Promise<void> {
    await this.#now("a reaction").react(message, emoji, signal);
  }

  async showPresence(chatJid: string, presence: Presence): Promise<void> {
    await this.#now("a sign").showPresence(chatJid, presence);
  }

  async markRead(message: MessageRef): Promise<void> {
    await this.#now("a sign").markRead(message);
  }

  #now(what: string): WhatsAppLink {
    if (this.#link === null) throw new WhatsAppUnreachableError(what, "there is no connection");
    return this.#link;
  }
}
