/**
 * Sets a Discord bot up: its token, which is saved once it works, then whatever keeps messages from
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
import { openNetwork } from "../adapters/network.ts";
import { DiscordApi } from "../api.ts";
import { DiscordUnreachableError, isUnauthorized } from "../errors.ts";
import { type DiscordSection, manifest } from "../manifest.ts";
import type { User } from "../wire.ts";
import { contentCheck, inviteUrl, PORTAL, serverCheck, sessionCheck } from "./checks.ts";
import { FirstContact } from "./first_contact.ts";

/** Sets Discord bots up. */
export const setup: ChannelSetup = { login };

async function login(scene: SetupScene): Promise<SetupReport> {
  const settings = await settingsOf(scene);
  const over = new AbortController();
  const signal = AbortSignal.any([scene.signal, over.signal]);
  const link = openNetwork({ ...settings, signal });
  try {
    const api = new DiscordApi(link, scene.clock);
    const checks: SetupCheck[] = [];
    const tell = (check: SetupCheck): void => {
      scene.tell(check);
      checks.push(check);
    };
    const bot = await whoIs(api, settings, scene);
    tell(passed("bot", `${bot.username} (${bot.id})`));
    await save(scene, settings);
    const application = await api.application(signal);
    tell(contentCheck(application));
    tell(serverCheck(application, await api.guilds(signal)));
    const { url } = await api.gateway(signal);
    const allowFrom = await offerAccess(application.owner, settings.allowFrom, scene);
    await using contact = new FirstContact({ ...settings, link, scene, url });
    const end = await contact.connected();
    tell(sessionCheck(application, end));
    if (end === null && scene.isInteractive) {
      scene.say("Write something to the bot now, in a direct message. Enter skips this.");
      scene.showLink(inviteUrl(application.id));
      tell(await contactCheck(await contact.firstSender(), allowFrom, scene));
    }
    const isReady = checks.every(({ state, isNeeded }) => state !== "missing" || !isNeeded);
    return { isReady, checks };
  } finally {
    over.abort();
  }
}

/** The section as the channel will read it, with a token that may be one. */
async function settingsOf(scene: SetupScene): Promise<DiscordSection> {
  const { section, given, isForced, isInteractive } = scene;
  const parsed = manifest.schema(z).safeParse(section);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const key = ["channels.discord", ...(issue?.path ?? [])].join(".");
    const message = `Cannot use ${key}: ${issue?.message ?? "it is wrong"}`;
    throw new SetupError("setup_incomplete", message);
  }
  const token = given["token"] ?? (isForced ? "" : parsed.data.token);
  if (token === "" && !isInteractive) {
    throw new SetupError("setup_incomplete", "Cannot set Discord up: give --token");
  }
  const settings = { ...parsed.data, token: token || await askToken(scene) };
  const [missing] = manifest.missing(settings);
  if (missing === undefined) return settings;
  throw new SetupError("setup_incomplete", `Cannot set Discord up: ${missing}`);
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

/** Saves what is new. */
async function save({ section, save }: SetupScene, { token }: DiscordSection): Promise<void> {
  await save({
    ...(section["enabled"] !== true && { enabled: true }),
    ...(section["token"] !== token && { token }),
  });
}

/** The application's owner may speak to it, if they want. Gives who may write now. */
async function offerAccess(
  person: User | null,
  allowFrom: readonly string[],
  scene: SetupScene,
): Promise<readonly string[]> {
  if (person === null || !scene.isInteractive) return allowFrom;
  if (allowFrom.includes("*") || allowFrom.includes(person.id)) return allowFrom;
  const answer = await scene.ask(
    `${person.username} (${person.id}) may not write to the bot yet. Allow it? [Y/n] `,
  );
  if (!/^(y|yes|)$/i.test(answer)) return allowFrom;
  await scene.save({ allowFrom: [...allowFrom, person.id] });
  return [...allowFrom, person.id];
}

async function contactCheck(
  sender: User | null,
  allowFrom: readonly string[],
  scene: SetupScene,
): Promise<SetupCheck> {
  const name = "first message";
  if (sender === null) {
    const remedy = "find your id in the gateway's log when you write to the bot";
    return { name, state: "unknown", isNeeded: false, detail: "none came", remedy, url: null };
  }
  await offerAccess(sender, allowFrom, scene);
  return passed(name, `a message of ${sender.username} (${sender.id}) came`);
}
