/**
 * Messages that tools send to chats while a turn runs.
 * @module
 */

import type { Inbound, NewOutbound } from "../journal/journal.ts";
import { GatewayError } from "../kernel/errors.ts";
import type { ToolContext, ToolMessageOut } from "../tools/tool.ts";
import type { SessionServices } from "./ports.ts";
import type { SessionLog } from "./session_log.ts";

/** A tool sends to a channel that there is not. */
export class UnknownChannelError extends GatewayError {
  override readonly name = "UnknownChannelError";
  readonly code = "channel_unknown";
  readonly recovery = "give_up";
}

/** Where a call stands in its turn; with it a message has the same key whatever happens. */
export interface CallPlace {
  readonly turnId: string;
  /** The line of the model's answer that made the call. */
  readonly line: number;
  readonly index: number;
}

/** What sending needs. */
export interface ToolMessagesOptions {
  readonly log: SessionLog;
  readonly outbox: SessionServices["outbox"];
  /** Whom the turn talks with. */
  readonly inbound: Inbound;
}

/** Commits what the tools of one turn send. */
export class ToolMessages {
  readonly #options: ToolMessagesOptions;
  #hasSentHome = false;

  constructor(options: ToolMessagesOptions) {
    this.#options = options;
  }

  /** Something was sent to the turn's own chat in the last round of tools. */
  get hasSentHome(): boolean {
    return this.#hasSentHome;
  }

  /** A round of tools, or an answer to somebody else, begins. */
  forget(): void {
    this.#hasSentHome = false;
  }

  /** The way of one call to the chats. */
  sender(place: CallPlace, signal: AbortSignal): ToolContext["send"] {
    let sent = 0;
    return async (message) => {
      signal.throwIfAborted();
      const suffix = sent++ === 0 ? "" : `:${sent}`;
      await this.#send(message, `${place.turnId}:${place.line}:${place.index}${suffix}`);
    };
  }

  async #send(message: ToolMessageOut, key: string): Promise<void> {
    const { log, outbox, inbound } = this.#options;
    const { channel, chatId, content, media } = message;
    if (outbox(channel) === undefined) {
      throw new UnknownChannelError(`Cannot send to "${channel}": there is no such channel`);
    }
    const isHome = channel === inbound.replyChannel && chatId === inbound.chatId;
    const row: NewOutbound = {
      key,
      channel,
      chatId,
      sessionKey: log.sessionKey,
      state: "pending",
      content,
      preamble: "",
      media,
      context: isHome ? inbound.context : {},
      isPlain: false,
      settles: [],
    };
    await log.commit({ outbounds: [row] });
    if (isHome) this.#hasSentHome = true;
  }
}
