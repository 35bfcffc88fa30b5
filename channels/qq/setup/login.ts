/**
 * Sets a QQ bot up: its AppID and AppSecret, which are saved once they work, then whether the
 * gateway lets it in, and a first message.
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
  NO_FIRST_MESSAGE,
  offerAccess,
  type Person,
  readSection,
  saveCredentials,
} from "../../setup_steps.ts";
import { FirstContact } from "../../event_gateway/first_contact.ts";
import type { SessionEnd } from "../../event_gateway/session.ts";
import { openNetwork } from "../adapters/network.ts";
import { QqApi } from "../api.ts";
import { QqCredentialsError, QqRefusedError, QqUnreachableError } from "../errors.ts";
import { DIALECT, gatewayToken } from "../gateway/connection.ts";
import { manifest, type QqSection } from "../manifest.ts";
import { readMessage } from "../wire.ts";

/** Sets QQ bots up. */
export const setup: ChannelSetup = { login };

/** Where bots are made and changed. */
const PORTAL = "https://q.qq.com";
const INTENTS_CODE = 4014;

async function login(scene: SetupScene): Promise<SetupReport> {
  const settings = await settingsOf(scene);
  const over = new AbortController();
  const signal = AbortSignal.any([scene.signal, over.signal]);
  const link = openNetwork({ ...settings, signal });
  try {
    const api = new QqApi({ link, clock: scene.clock, signal });
    const checklist = new Checklist(scene);
    const entrance = await enter(api, settings, scene);
    checklist.tell(passed("credentials", `QQ knows the bot ${settings.appId}`));
    await saveCredentials(scene, { appId: settings.appId, secret: settings.secret });
    if (scene.isLooking) return checklist.report;
    const { openSocket } = link;
    const options = { ...entrance, scene, dialect: DIALECT, openSocket, senderOf };
    await using contact = new FirstContact(options);
    const end = await contact.connected();
    checklist.tell(sessionCheck(end));
    if (end === null && scene.isInteractive) {
      scene.say("Write something to the bot now, in a chat with it alone. Enter skips this.");
      checklist.tell(await contactCheck(await contact.firstSender(), settings, scene));
    }
    return checklist.report;
  } finally {
    over.abort();
  }
}

/** The section with what was given with the command, is stored, or is asked for. */
async function settingsOf(scene: SetupScene): Promise<QqSection> {
  const { section, given, isForced, isInteractive } = scene;
  const stored = readSection(manifest, section);
  let appId = given["appId"] ?? (isForced ? "" : stored.appId);
  let secret = given["appSecret"] ?? (isForced ? "" : stored.secret);
  if (isInteractive && (appId === "" || secret === "")) {
    scene.say("To create a bot, open this address; its AppID and AppSecret stand on the page");
    scene.say("Development settings (开发设置):");
    scene.showLink(PORTAL);
    appId ||= await scene.ask("AppID: ");
    secret ||= await scene.ask("AppSecret: ", { isSecret: true });
  }
  return complete(manifest, { ...stored, appId, secret });
}

/** @throws {SetupError} when QQ does not know the bot, or is out of reach */
async function enter(
  api: QqApi,
  { apiBase }: QqSection,
  { signal }: SetupScene,
): Promise<{ readonly url: string; readonly token: string }> {
  try {
    const token = gatewayToken(await api.token(signal));
    return { token, url: await api.gatewayUrl(signal) };
  } catch (error) {
    if (error instanceof QqCredentialsError) {
      throw new SetupError("setup_refused", error.message, { cause: error });
    }
    if (error instanceof QqRefusedError) {
      throw new SetupError("setup_refused", error.message, { cause: error });
    }
    if (!(error instanceof QqUnreachableError)) throw error;
    const message = `Cannot reach "${apiBase}": ${error.message}`;
    throw new SetupError("setup_unreachable", message, { cause: error });
  }
}

/** Whether the gateway lets the bot in. @param end null: it did */
function sessionCheck(end: SessionEnd | null): SetupCheck {
  const name = "gateway";
  if (end === null) return passed(name, "connected; no public address needed");
  const isRefused = end.state === "refused";
  return {
    name,
    state: "missing",
    isNeeded: true,
    detail: isRefused ? `refused (code ${end.code})` : end.state === "lost" ? end.detail : "closed",
    remedy: isRefused && end.code === INTENTS_CODE
      ? "let the bot hear of direct, group and guild messages"
      : "try again in a minute",
    url: isRefused ? PORTAL : null,
  };
}

function senderOf(type: string, data: unknown): Person | null {
  const message = readMessage(type, data);
  if (message === null || message.isBot) return null;
  const { senderId: id, senderName: name } = message;
  return { id, shown: name === "" ? id : `${name} (${id})` };
}

async function contactCheck(
  sender: Person | null,
  { allowFrom }: QqSection,
  scene: SetupScene,
): Promise<SetupCheck> {
  if (sender === null) return NO_FIRST_MESSAGE;
  await offerAccess(sender, allowFrom, scene);
  return passed(NO_FIRST_MESSAGE.name, `a message of ${sender.shown} came`);
}
