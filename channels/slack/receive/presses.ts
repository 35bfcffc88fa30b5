/**
 * Takes presses of buttons in: who presses says what the button stands for, under the same checks
 * as a command of theirs.
 * @module
 */

import { getLogger } from "@logtape/logtape";
import { tryHandIn } from "../../handing_in.ts";
import { readChoice } from "../choice_value.ts";
import { pressSchema } from "../wire.ts";
import { sessionOfThread } from "./message.ts";
import { isWelcome, type SlashRules } from "./slash.ts";

const logger = getLogger(["troupe", "slack", "presses"]);

/** What presses go by. */
export interface PressRules extends Omit<SlashRules, "commands"> {
  /** Runtime name of the channel. */
  readonly channel: string;
}

/** Takes the payload of an `interactive` envelope. @returns whether Slack may forget it */
export async function takePress(payload: unknown, rules: PressRules): Promise<boolean> {
  const press = pressSchema.safeParse(payload).data;
  const choice = readChoice(press?.actions[0]?.value ?? "");
  if (press === undefined || choice === undefined) {
    logger.debug("Ignored an interaction that is no button of ours");
    return true;
  }
  const { user: { id: senderId }, container: { channel_id: chatId, message_ts: ts } } = press;
  if (!isWelcome({ user_id: senderId, channel_id: chatId }, rules)) return true;
  const { says: content, context } = choice;
  const sessionKey = sessionOfThread(chatId, context, rules.channel);
  const result = await tryHandIn(rules.handIn, {
    // One word a person and question: a second press is none, whichever button it is.
    platformId: `press:${chatId}:${ts}:${senderId}`,
    ...{ chatId, senderId, content, media: [], context },
    ...(sessionKey !== null && { sessionKey }),
  }, logger);
  return result !== "refused";
}
