/**
 * Says hello in a group that the bot was put into, once.
 * @module
 */

import { getLogger } from "@logtape/logtape";
import type { FeishuApi } from "../api.ts";
import { stableUuid } from "../send/uuid.ts";
import type { BotAddedEvent } from "../wire.ts";
import { isAllowed } from "../../allow_list.ts";
import type { AdmissionRules } from "./admission.ts";
import type { RetryOptions } from "../../retries.ts";
import { withRetries } from "./retry.ts";

const logger = getLogger(["troupe", "feishu", "greeter"]);

/** Events that may come again are few. */
const GREETED_MAX = 500;

/** What greeting needs. */
export interface GreeterOptions
  extends Pick<AdmissionRules, "allowFrom" | "groupPolicy">, RetryOptions {
  readonly api: Pick<FeishuApi, "createMessage">;
  /** As people see it; "" when it is not known. */
  readonly botName: string;
}

/** Greets groups. */
export class Greeter {
  readonly #options: GreeterOptions;
  readonly #greeted = new Set<string>();

  constructor(options: GreeterOptions) {
    this.#options = options;
  }

  /** Greets, if somebody put the bot there who may speak to it. Never rejects. */
  async greet({ event_id: eventId, chat_id: chatId, operator_id }: BotAddedEvent): Promise<void> {
    const { allowFrom, api, signal } = this.#options;
    if (!isAllowed(operator_id?.open_id ?? "", allowFrom)) {
      logger.info("Put into group {chatId} by somebody who is not in allowFrom", { chatId });
      return;
    }
    const occasion = eventId || chatId;
    if (this.#greeted.has(occasion)) return;
    this.#greeted.add(occasion);
    const [oldest] = this.#greeted;
    if (this.#greeted.size > GREETED_MAX && oldest !== undefined) this.#greeted.delete(oldest);
    const content = JSON.stringify({ text: this.#words() });
    const message = { msgType: "text", content, uuid: stableUuid("greeting", occasion) } as const;
    try {
      await withRetries(() => api.createMessage(chatId, message, signal), this.#options);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      logger.warn("Cannot greet group {chatId}: {reason}", { chatId, reason });
    }
  }

  #words(): string {
    const { botName, groupPolicy } = this.#options;
    const name = botName === "" ? "your assistant" : botName;
    const how = groupPolicy === "open"
      ? "I read along here and answer every message."
      : `Mention me${botName === "" ? "" : ` (@${botName})`} and I will answer.`;
    return `Hello, I am ${name}. ${how} /help says what I understand.`;
  }
}
