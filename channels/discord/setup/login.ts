/**
 * Sets a Discord bot up: its token, which is saved once it works, then whatever keeps messages from
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
  type Person,
  saveCredentials,
  sectionWithToken,
} from "../../setup_steps.ts";
import { FirstContact } from "../../event_gateway/first_contact.ts";
import { openNetwork } from "../adapters/network.ts";
import { DiscordApi } from "../api.ts";
import { DiscordUnreachableError, isUnauthorized } from "../errors.ts";
import { dialectFor } from "../gateway/connection.ts";
import { type DiscordSection, manifest } from "../manifest.ts";
import { messageSchema, type User } from "../wire.ts";
import { contentCheck, inviteUrl, PORTAL, serverCheck, sessionCheck } from "./checks.ts";

/** Sets Discord bots up. */
export const setup: ChannelSetup = { login };

async function login(scene: SetupScene): Promise<SetupReport> {
  const settings = await sectionWithToken(manifest, scene, askToken);
  const over = new AbortController();
  const signal = AbortSignal.any([scene.signal, over.signal]);
  const link = openNetwork({ ...settings, signal });
  try {
    const api = new DiscordApi(link, scene.clock);
    const checklist = new Checklist(scene);
    const bot = await whoIs(api, settings, scene);
    checklist.tell(passed("bot", `${bot.username} (${bot.id})`));
    await saveCredentials(scene, { token: settings.token });
    const application = await api.application(signal);
    checklist.tell(contentCheck(application));
    checklist.tell(serverCheck(application, await api.guilds(signal)));
    if (scene.isLooking) return checklist.report;
    const { url } = await api.gateway(signal);
    const { owner } = application;
    const allowFrom = owner === null || !scene.isInteractive
      ? settings.allowFrom
      : await offerAccess(personOf(owner), settings.allowFrom, scene);
    await using contact = new FirstContact({
      scene,
      url,
      token: settings.token,
      dialect: dialectFor(settings.intents),
      openSocket: (address, handlers) => link.openSocket(address, handlers),
      senderOf,
    });
    const end = await contact.connected();
    checklist.tell(sessionCheck(application, end));
    if (end === null && scene.isInteractive) {
      scene.say("Write something to the bot now, in a direct message. Enter skips this.");
      scene.showLink(inviteUrl(application.id));
      checklist.tell(await contactCheck(await contact.firstSender(), allowFrom, scene));
    }
    return checklist.report;
  } finally {
    over.abort();
  }
}

async function askToken(scene: SetupScene): Promise<string> {
  scene.say("To create the bot, open this address, choose New Application, then the page Bot:");
  scene.showLink(PORTAL);
  scene.say(
    "There switch Message Content Intent on, save, and choose Reset Token to see the token.",
  );
  return (await scene.ask("Token: ", { isSecret: true })).replace(/^Bot\s+/i, "");
}

/** @throws {SetupError} when the token is wrong, or Discord out of reach */
async function whoIs(
  api: DiscordApi,
  { apiBase }: DiscordSection,
  { signal }: SetupScene,
): Promise<User> {
  try {
    return await api.bot(signal);
  } catch (error) {
    if (isUnauthorized(error)) {
      const message = "Cannot sign in: Discord does not know the token; reset it on the page Bot " +
        `of ${PORTAL} and copy the new one`;
      throw new SetupError("setup_refused", message, { cause: error });
    }
    if (!(error instanceof DiscordUnreachableError)) throw error;
    const message = `Cannot reach "${apiBase}": ${error.message}; channels.discord.proxy may help`;
    throw new SetupError("setup_unreachable", message, { cause: error });
  }
}

function senderOf(type: string, data: unknown): User | null {
  const author = type === "MESSAGE_CREATE" ? messageSchema.safeParse(data).data?.author : undefined;
  return author === undefined || author.bot ? null : author;
}

async function contactCheck(
  sender: User | null,
  allowFrom: readonly string[],
  scene: SetupScene,
): Promise<SetupCheck> {
  if (sender === null) return NO_FIRST_MESSAGE;
  const person = personOf(sender);
  await offerAccess(person, allowFrom, scene);
  return passed(NO_FIRST_MESSAGE.name, `a message of ${person.shown} came`);
}

function personOf({ id, username }: User): Person {
  return { id, shown: `${username} (${id})` };
}
