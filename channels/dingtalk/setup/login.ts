/**
 * Sets a DingTalk robot up: the app's credentials, which are saved once they work, then its stream
 * and a first message.
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
  connectedInTime,
  firstMessage,
  NO_FIRST_MESSAGE,
  offerAccess,
  type Person,
  readSection,
  saveCredentials,
} from "../../setup_steps.ts";
import { fetchLink } from "../adapters/fetch_link.ts";
import { DingTalkApi } from "../api.ts";
import { DingTalkUnreachableError, isCredentialsRefusal } from "../errors.ts";
import { type DingTalkSection, manifest } from "../manifest.ts";
import { listen, type Listening } from "./listening.ts";

/** Sets DingTalk robots up. */
export const setup: ChannelSetup = { login };

const CONSOLE = "https://open-dev.dingtalk.com";

async function login(scene: SetupScene): Promise<SetupReport> {
  const settings = await settingsOf(scene);
  using link = fetchLink(settings);
  const api = new DingTalkApi(settings, link, scene);
  await reached(settings, scene, () => api.signIn(scene.signal));
  const checklist = new Checklist(scene);
  checklist.tell(passed("app", `${settings.clientId} can sign in`));
  const { clientId, clientSecret } = settings;
  await saveCredentials(scene, { clientId, clientSecret });
  if (scene.isLooking) return checklist.report;
  const over = new AbortController();
  const listening = listen({ api, link, scene, signal: over.signal });
  try {
    checklist.tell(await streamCheck(listening, scene));
    const isConnected = checklist.report.isReady;
    if (isConnected && scene.isInteractive) {
      checklist.tell(await contactCheck(listening, settings, scene));
    }
  } finally {
    over.abort();
    await listening.ended;
  }
  return checklist.report;
}

/** The section with what was given, is stored, or is asked for. */
async function settingsOf(scene: SetupScene): Promise<DingTalkSection> {
  const { section, given, isForced, isInteractive } = scene;
  const stored = readSection(manifest, section);
  const clientId = given["clientId"] ?? (isForced ? "" : stored.clientId);
  const clientSecret = given["clientSecret"] ?? (isForced ? "" : stored.clientSecret);
  if (clientId !== "" && clientSecret !== "") return { ...stored, clientId, clientSecret };
  if (!isInteractive) return complete(manifest, { ...stored, clientId, clientSecret });
  scene.say("In DingTalk's developer console, create an app for your organization; there:");
  scene.showLink(CONSOLE);
  scene.say('1. "Add capability": Robot; message receiving mode: Stream. Publish it.');
  scene.say('2. "Permissions": qyapi_robot_sendmsg, for answers in direct chats.');
  scene.say('3. "Versions": publish the app; who shall write to it must be in its range.');
  scene.say('Client ID and Client Secret stand under "Credentials".');
  return complete(manifest, {
    ...stored,
    clientId: clientId || await scene.ask("Client ID: "),
    clientSecret: clientSecret || await scene.ask("Client Secret: ", { isSecret: true }),
  });
}

/** @throws {SetupError} when the credentials are wrong, or DingTalk out of reach */
async function reached(
  { apiBase }: DingTalkSection,
  { signal }: SetupScene,
  ask: () => Promise<void>,
): Promise<void> {
  try {
    await ask();
  } catch (error) {
    signal.throwIfAborted();
    if (isCredentialsRefusal(error)) {
      const message = "Cannot sign in: DingTalk does not know this client id with this secret; " +
        `copy both anew from ${CONSOLE}`;
      throw new SetupError("setup_refused", message, { cause: error });
    }
    if (!(error instanceof DingTalkUnreachableError)) throw error;
    const message = `Cannot reach "${apiBase}": ${error.message}`;
    throw new SetupError("setup_unreachable", message, { cause: error });
  }
}

/** Whether messages will come. */
async function streamCheck({ connected }: Listening, scene: SetupScene): Promise<SetupCheck> {
  const name = "receiving messages";
  const outcome = await connectedInTime(scene, "no answer in time", [connected]);
  if (outcome === null) return passed(name, "by Stream mode; no public address needed");
  return {
    name,
    state: "missing",
    isNeeded: true,
    detail: outcome,
    remedy: "switch the robot's message receiving mode to Stream, and publish it",
    url: CONSOLE,
  };
}

/** Waits for a first message, and offers to let its sender in. */
async function contactCheck(
  { sender }: Listening,
  { allowFrom }: DingTalkSection,
  scene: SetupScene,
): Promise<SetupCheck> {
  scene.say("Look for the robot in DingTalk, and write something to it now. Enter skips this.");
  const person: Person | null = await firstMessage(scene, sender);
  if (person === null) return NO_FIRST_MESSAGE;
  await offerAccess(person, allowFrom, scene);
  return passed(NO_FIRST_MESSAGE.name, `a message of ${person.shown} came`);
}
