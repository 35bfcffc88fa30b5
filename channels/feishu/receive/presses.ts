/**
 * Takes presses of buttons in: who presses says what the button stands for, under the same checks
 * as a message of theirs.
 * @module
 */

import { getLogger } from "@logtape/logtape";
import { isAllowed } from "../../allow_list.ts";
import type { ChannelInbound, HandInResult } from "../../channel.ts";
import { tryHandIn } from "../../handing_in.ts";
import { choiceValueSchema } from "../choice_value.ts";
import { pressEventSchema } from "../wire.ts";
import { type ConversationRules, sessionOfTopic } from "./message.ts";

const logger = getLogger(["troupe", "feishu", "presses"]);

/** What taking presses goes by. */
export interface PressesOptions extends ConversationRules {
  /** Exact open ids, or `"*"`. */
  readonly allowFrom: readonly string[];
  /** Resolves when the message is durable. */
  readonly handIn: (inbound: ChannelInbound) => Promise<HandInResult>;
}

/** Judges and hands in presses. */
export class Presses {
  readonly #options: PressesOptions;

  constructor(options: PressesOptions) {
    this.#options = options;
  }

  /** Takes one press. @returns whether the platform may forget it */
  async receive(event: unknown): Promise<boolean> {
    const press = pressEventSchema.safeParse(event).data;
    const value = choiceValueSchema.safeParse(press?.action.value).data;
    if (press === undefined || value === undefined) {
      logger.debug("Ignored the press of a button that is not ours");
      return true;
    }
    const senderId = press.operator.open_id;
    if (senderId === "" || !isAllowed(senderId, this.#options.allowFrom)) return true;
    const { says: content, chat_id: chatId, context } = value;
    const sessionKey = sessionOfTopic(chatId, context, this.#options);
    const result = await tryHandIn(this.#options.handIn, {
      // One word a person and card: a second press is none, whichever button it is.
      platformId: `press:${press.context.open_message_id || press.event_id}:${senderId}`,
      ...{ chatId, senderId, content, media: [], context },
      ...(sessionKey !== null && { sessionKey }),
    }, logger);
    return result !== "refused";
  }
}
