/**
 * Sets a Telegram bot up: its token, which is saved once it works, then whatever keeps messages from
 * reaching it.
 * @module
 */

import { z } from "zod";
import {
  type ChannelSetup,
  passed,
  type SetupCheck,
  SetupError,
  type SetupReport,
  type SetupScene,
} from "../../setup.ts";
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
  const settings = await settingsOf(scene);
  using link = await openBotApi(settings);
  const bot = await whoIs(link, settings, scene);
  const checks: SetupCheck[] = [];
  const tell = (check: SetupCheck): void => {
    scene.tell(check);
    checks.push(check);
  };
  tell(passed("bot", `${bot.first_name} (@${bot.username})`));
  await save(scene, settings);
  tell(privacyCheck(bot, settings));
  const reading = await readingCheck(link, scene);
  tell(reading);
  if (reading.state === "ok" && scene.isInteractive) {
    tell(await contactCheck({ link, bot, settings, scene }));
  }
  const isReady = checks.every(({ state, isNeeded }) => state !== "missing" || !isNeeded);
  return { isReady, checks };
}

/** The section as the channel will read it, with a token that may be one. */
async function settingsOf(scene: SetupScene): Promise<TelegramSection> {
  const { section, isForced, isInteractive } = scene;
  const parsed = manifest.schema(z).safeParse(section);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const key = ["channels.telegram", ...(issue?.path ?? [])].join(".");
    const message = `Cannot use ${key}: ${issue?.message ?? "it is wrong"}`;
    throw new SetupError("setup_incomplete", message);
  }
  const stored = isForced ? "" : parsed.data.token;
  const token = scene.given["token"] ?? stored;
  if (token === "" && !isInteractive) {
    throw new SetupError("setup_incomplete", "Cannot set Telegram up: give --token");
  }
  const settings = { ...parsed.data, token: token || await askToken(scene) };
  const [missing] = manifest.missing(settings);
  if (missing !== undefined) {
    throw new SetupError("setup_incomplete", `Cannot set Telegram up: ${missing}`);
  }
  return settings;
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

/** Saves what is new. */
async function save({ section, save }: SetupScene, { token }: TelegramSection): Promise<void> {
  await save({
    ...(section["enabled"] !== true && { enabled: true }),
    ...(section["token"] !== token && { token }),
  });
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
  const name = "first message";
  scene.say("Write something to the bot now. Enter skips this.");
  scene.showLink(`https://t.me/${bot.username}`);
  const sender = await firstSender(link, scene);
  if (sender === null) {
    const remedy = "find your id in the gateway's log when you write to the bot";
    const detail = "none came";
    return { name, state: "unknown", isNeeded: false, detail, remedy, url: null };
  }
  const { id, first_name: firstName } = sender;
  const allowFrom = settings.allowFrom;
  const isIn = [String(id), sender.username ?? "", "*"].some((entry) => allowFrom.includes(entry));
  if (!isIn) {
    const answer = await scene.ask(
      `${firstName} (${id}) may not write to the bot yet. Allow it? [Y/n] `,
    );
    if (/^(y|yes|)$/i.test(answer)) await scene.save({ allowFrom: [...allowFrom, String(id)] });
  }
  return passed(name, `a message of ${firstName} (${id}) came`);
}
