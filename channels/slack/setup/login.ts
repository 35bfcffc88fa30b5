/**
 * Sets a Slack app up: its two tokens, which are saved once they work, then everything that can be
 * looked at from outside.
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
  complete,
  offerAccess,
  readSection,
  saveCredentials,
} from "../../setup_steps.ts";
import { slackLink } from "../adapters/link.ts";
import { SlackApi } from "../api.ts";
import { CREDENTIAL_REASONS, isRefusedFor, SlackUnreachableError } from "../errors.ts";
import type { SlackLink } from "../link.ts";
import { manifest, type SlackSection } from "../manifest.ts";
import { appManifest, EVENTS, newAppUrl, SCOPES } from "./app_manifest.ts";
import { FirstContact } from "./first_contact.ts";

/** Sets Slack apps up. */
export const setup: ChannelSetup = { login };

const CONSOLE = "https://api.slack.com/apps";

async function login(scene: SetupScene): Promise<SetupReport> {
  const settings = await settingsOf(scene);
  using link = slackLink(settings);
  const api = new SlackApi(link);
  const checklist = new Checklist(scene);
  const bot = await signIn("botToken", settings, () => api.identity(scene.signal));
  checklist.tell(passed("bot", `${bot.user} (${bot.user_id}) in ${bot.team}`));
  const url = await signIn("appToken", settings, () => api.socketAddress(scene.signal));
  await saveCredentials(scene, { botToken: settings.botToken, appToken: settings.appToken });
  checklist.tell(...await scopeChecks(link, scene));
  if (scene.isLooking) return checklist.report;
  await using contact = await FirstContact.open({ link, url, bot, scene });
  const end = await contact.connected();
  checklist.tell(
    end === null ? passed("socket", "connected by Socket Mode") : {
      name: "socket",
      state: "missing",
      isNeeded: true,
      detail: end,
      remedy: 'switch Socket Mode on at "Socket Mode" of the app',
      url: CONSOLE,
    },
  );
  if (end === null && scene.isInteractive) {
    checklist.tell(await contactCheck(contact, settings, scene));
  }
  return checklist.report;
}

/** The section as the channel will read it, with tokens that may be some. */
async function settingsOf(scene: SetupScene): Promise<SlackSection> {
  const stored = readSection(manifest, scene.section);
  return complete(manifest, { ...stored, ...await tokensFor(scene, stored) });
}

async function tokensFor(
  scene: SetupScene,
  stored: SlackSection,
): Promise<Pick<SlackSection, "botToken" | "appToken">> {
  const { given, isForced, isInteractive, say } = scene;
  const botToken = given["botToken"] ?? (isForced ? "" : stored.botToken);
  const appToken = given["appToken"] ?? (isForced ? "" : stored.appToken);
  if (botToken !== "" && appToken !== "") return { botToken, appToken };
  if (!isInteractive) {
    throw new SetupError(
      "setup_incomplete",
      "Cannot set Slack up: give --bot-token and --app-token",
    );
  }
  const app = appManifest(scene.commands ?? []);
  say("To create the app, open this address, choose the workspace, and confirm:");
  say(newAppUrl(app));
  say('Or choose "From a manifest" there and paste:');
  say(JSON.stringify(app, null, 2));
  say('Then, in the app: "Install App", and copy the Bot User OAuth Token.');
  const bot = botToken || await scene.ask("Bot token (xoxb-…): ", { isSecret: true });
  say('"Basic Information", "App-Level Tokens": make one with the scope connections:write.');
  const socket = appToken || await scene.ask("App-level token (xapp-…): ", { isSecret: true });
  return { botToken: bot.trim(), appToken: socket.trim() };
}

/** @throws {SetupError} when the token is wrong, or Slack out of reach */
async function signIn<T>(
  key: "botToken" | "appToken",
  { apiUrl }: SlackSection,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (isRefusedFor(error, CREDENTIAL_REASONS)) {
      const reason = CREDENTIAL_REASONS.get(error.reason) ?? error.reason;
      const message = `Cannot sign in with "${key}": ${reason} (${error.reason}); see ${CONSOLE}`;
      throw new SetupError("setup_refused", message, { cause: error });
    }
    if (!(error instanceof SlackUnreachableError)) throw error;
    const message = `Cannot reach "${apiUrl}": ${error.message}`;
    throw new SetupError("setup_unreachable", message, { cause: error });
  }
}

async function scopeChecks(
  link: SlackLink,
  { signal }: SetupScene,
): Promise<readonly SetupCheck[]> {
  const granted = new Set(await link.scopes(signal));
  return SCOPES.map(({ scope, purpose, isOptional }): SetupCheck => {
    const detail = isOptional ? `${purpose} (optional)` : purpose;
    const check = { name: `scope ${scope}`, isNeeded: !isOptional, detail };
    if (granted.has(scope)) return { ...check, state: "ok", remedy: null, url: null };
    const remedy = 'add it at "OAuth & Permissions", then install the app again';
    return { ...check, state: "missing", remedy, url: CONSOLE };
  });
}

/** Waits for a first message, and offers to let its sender in. */
async function contactCheck(
  contact: FirstContact,
  { allowFrom }: SlackSection,
  scene: SetupScene,
): Promise<SetupCheck> {
  scene.say("Write something to the bot now, in a direct message. Enter skips this.");
  const user = await contact.firstMessage();
  if (user === null) {
    return {
      name: "events",
      state: "unknown",
      isNeeded: true,
      detail: "no message came",
      remedy: `"Event Subscriptions", "Subscribe to bot events": ${EVENTS.join(", ")}`,
      url: CONSOLE,
    };
  }
  await offerAccess({ id: user, shown: user }, allowFrom, scene);
  return passed("events", `a message of ${user} came`);
}
