/**
 * Sets a Telegram bot up: its token, which is saved once it works, then whatever keeps messages from
 * reaching it.
 * @module
 */

import {
  type ChannelSetup,
  passed,
  type SetupCheck,
  SetupError,
  type SetupReport,
  type SetupScene,
} from "../../setup.ts";
import {
  Checklist,
  NO_FIRST_MESSAGE,
  offerAccess,
  saveCredentials,
  sectionWithToken,
} from "../../setup_steps.ts";
import { openBotApi } from "../adapters/bot_api.ts";
import { isConflict, isCredentialsRefusal, TelegramUnreachableError } from "../errors.ts";
import type { TelegramLink } from "../link.ts";
import { manifest, type TelegramSection } from "../manifest.ts";
import type { BotInfo } from "../wire.ts";
import { firstSender } from "./first_contact.ts";

/** Sets Telegram bots up. */
export const setup: ChannelSetup = { login };

const BOT_FATHER = "https://t.me/BotFather";

async function login(scene: SetupScene): Promise<SetupReport> {
  const settings = await sectionWithToken(manifest, scene, askToken);
  using link = await openBotApi(settings);
  const bot = await whoIs(link, settings, scene);
  const checklist = new Checklist(scene);
  checklist.tell(passed("bot", `${bot.first_name} (@${bot.username})`));
  await saveCredentials(scene, { token: settings.token });
  checklist.tell(privacyCheck(bot, settings));
  if (scene.isLooking) return checklist.report;
  const reading = await readingCheck(link, scene);
  checklist.tell(reading);
  if (reading.state === "ok" && scene.isInteractive) {
    checklist.tell(await contactCheck({ link, bot, settings, scene }));
  }
  return checklist.report;
}

async function askToken(scene: SetupScene): Promise<string> {
  scene.say("To create a bot, open this address in Telegram, send /newbot, and answer:");
  scene.showLink(BOT_FATHER);
  return await scene.ask("Token (123456:ABC…): ", { isSecret: true });
}

/** @throws {SetupError} when the token is wrong, or Telegram out of reach */
async function whoIs(
  link: TelegramLink,
  { apiRoot }: TelegramSection,
  { signal }: SetupScene,
): Promise<BotInfo> {
  try {
    return await link.getMe(signal);
  } catch (error) {
    if (isCredentialsRefusal(error)) {
      const message =
        `Cannot sign in: Telegram does not know the token; copy it anew from ${BOT_FATHER}`;
      throw new SetupError("setup_refused", message, { cause: error });
    }
    if (!(error instanceof TelegramUnreachableError)) throw error;
    const message = `Cannot reach "${apiRoot}": ${error.message}; channels.telegram.proxy may help`;
    throw new SetupError("setup_unreachable", message, { cause: error });
  }
}

/** With its privacy mode on, a bot hears in groups only what speaks to it. */
function privacyCheck(
  { can_read_all_group_messages: hearsAll }: BotInfo,
  { groupPolicy }: TelegramSection,
): SetupCheck {
  const name = "group privacy";
  if (groupPolicy === "mention") return passed(name, "only what speaks to the bot is for it");
  if (hearsAll) return passed(name, "off: the bot hears everything in its groups");
  return {
    name,
    state: "missing",
    isNeeded: false,
    detail: "on: in groups the bot hears only what speaks to it, though groupPolicy is open",
    remedy: "send /setprivacy to @BotFather, choose Disable, and add the bot to its groups anew",
    url: BOT_FATHER,
  };
}

/** Whether the bot's messages can be read: by nobody else, and not over a webhook. */
async function readingCheck(link: TelegramLink, { signal }: SetupScene): Promise<SetupCheck> {
  const name = "reading messages";
  try {
    await link.getUpdates({ offset: undefined, timeoutSeconds: 0 }, signal);
    return passed(name, "by long polling; no public address needed");
  } catch (error) {
    if (!isConflict(error)) throw error;
    const isWebhook = /webhook/i.test(error.description);
    return {
      name,
      state: "unknown",
      isNeeded: true,
      detail: isWebhook
        ? "the bot has a webhook, which the gateway will take away"
        : "another program reads them; fine if that is your gateway",
      remedy: isWebhook ? null : "let only one program read a bot's messages",
      url: null,
    };
  }
}

/** Waits for a first message, and offers to let its sender in. */
async function contactCheck({ link, bot, settings, scene }: {
  readonly link: TelegramLink;
  readonly bot: BotInfo;
  readonly settings: TelegramSection;
  readonly scene: SetupScene;
}): Promise<SetupCheck> {
  scene.say("Write something to the bot now. Enter skips this.");
  scene.showLink(`https://t.me/${bot.username}`);
  const sender = await firstSender(link, scene);
  if (sender === null) return NO_FIRST_MESSAGE;
  const id = String(sender.id);
  const shown = `${sender.first_name} (${id})`;
  const { allowFrom } = settings;
  const isInByName = sender.username !== undefined && allowFrom.includes(sender.username);
  if (!isInByName) await offerAccess({ id, shown }, allowFrom, scene);
  return passed(NO_FIRST_MESSAGE.name, `a message of ${shown} came`);
}
