/**
 * How a conversation was last shortened for a request. The next request begins with the same words
 * as long as it can: vendors charge a fraction for a beginning that they know.
 * @module
 */

import type { ChatMessage } from "../../providers/provider.ts";

/** Of one session. Messages are known by identity: they never change. */
export class RequestView {
  /** How often more was left out than before. */
  shortenings = 0;
  #first: ChatMessage | undefined;
  #shortened = new WeakMap<ChatMessage, ChatMessage>();

  /**
   * The messages shortened as before, from `from` on at the earliest; undefined where they were not
   * shortened, or `ownFrom` would be left out.
   */
  again(
    messages: readonly ChatMessage[],
    from: number,
    ownFrom: number,
  ): readonly ChatMessage[] | undefined {
    const start = this.#first === undefined ? -1 : messages.lastIndexOf(this.#first);
    if (start < from || start > ownFrom) return undefined;
    return messages.slice(start).map((message) => this.#shortened.get(message) ?? message);
  }

  /** These messages were sent, shortened to those. */
  remember(messages: readonly ChatMessage[], shortened: readonly ChatMessage[]): void {
    this.shortenings++;
    this.#first = messages[0];
    this.#shortened = new WeakMap();
    for (const [index, message] of messages.entries()) {
      const short = shortened[index];
      if (short !== undefined && short !== message) this.#shortened.set(message, short);
    }
  }
}
