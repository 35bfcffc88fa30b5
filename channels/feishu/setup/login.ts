/**
 * Sets a Feishu bot up: credentials first, which are saved once they work, then everything that
 * can be looked at from outside.
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
import { changesTo, Checklist, complete, offerAccess, readSection } from "../../setup_steps.ts";
import { postForm } from "../adapters/form.ts";
import { openSdkLink } from "../adapters/sdk.ts";
import { FeishuApi } from "../api.ts";
import {
  CREDENTIAL_CODES,
  FeishuRefusedError,
  FeishuUnreachableError,
  hasCode,
} from "../errors.ts";
import type { FeishuLink } from "../link.ts";
import { baseUrlOf, type FeishuSection, manifest } from "../manifest.ts";
import { checkEvents, checkPermissions, MESSAGE_EVENT_CHECK } from "./checks.ts";
import { consoleUrl, creationGuide, eventGuide, menuGuide } from "./console.ts";
import { FirstContact } from "./first_contact.ts";
import { neededPermissions } from "./permissions.ts";
import { registerApp } from "./registration.ts";

/** Sets Feishu bots up. */
export const setup: ChannelSetup = { login };

/** An app, and the person who created it just now; "" when that is not known. */
interface Credentials {
  readonly appId: string;
  readonly appSecret: string;
  readonly domain: string;
  readonly owner: string;
}

/** An app that lets us in. */
interface SignedIn extends Credentials {
  readonly link: FeishuLink;
  readonly baseUrl: string;
  readonly settings: FeishuSection;
  readonly scene: SetupScene;
}

async function login(scene: SetupScene): Promise<SetupReport> {
  const settings = settingsOf(scene);
  const credentials = await credentialsFor(scene, settings);
  const baseUrl = baseUrlOf(credentials.domain);
  const link = await openSdkLink({
    ...credentials,
    baseUrl,
    encryptKey: "",
    verificationToken: "",
    clock: scene.clock,
    signal: scene.signal,
  });
  const app: SignedIn = { ...credentials, link, baseUrl, settings, scene };
  const checklist = new Checklist(scene);
  checklist.tell(await checkBot(app));
  const allowFrom = await save(app);
  const options = { link, appId: app.appId, baseUrl, signal: scene.signal };
  const needed = neededPermissions(settings);
  checklist.tell(...await checkPermissions(needed, options));
  const event = await checkEvents(options);
  if (scene.isLooking) {
    checklist.tell(event);
    return checklist.report;
  }
  checklist.tell(...await checkContact(app, { event, allowFrom }));
  for (const line of menuGuide(baseUrl, app.appId, scene.commands ?? [])) scene.say(line);
  return checklist.report;
}

/** The section as the channel will read it, whatever is still missing in it. */
function settingsOf({ section, given }: SetupScene): FeishuSection {
  const { domain } = given;
  return readSection(manifest, { ...section, ...(domain && { domain }) });
}

async function credentialsFor(scene: SetupScene, settings: FeishuSection): Promise<Credentials> {
  const { given, isScanning, isForced, isInteractive, say } = scene;
  if (isScanning) return await scan(scene, settings);
  const { domain } = settings;
  const known = isForced ? { appId: "", appSecret: "" } : settings;
  const appId = given["appId"] ?? known.appId;
  // A secret belongs to the app that it was stored for.
  const appSecret = given["appSecret"] ?? (appId === known.appId ? known.appSecret : "");
  if (appId !== "" && appSecret !== "") return checked({ appId, appSecret, domain, owner: "" });
  if (!isInteractive) {
    throw new SetupError(
      "setup_incomplete",
      "Cannot set Feishu up: give --app-id and --app-secret, or use --scan",
    );
  }
  if (appId === "") {
    const baseUrl = baseUrlOf(domain);
    const scopes = neededPermissions(settings).map(({ scope }) => scope);
    say("To create the bot's app:");
    for (const line of creationGuide(baseUrl, scopes)) say(line);
  }
  return checked({
    appId: appId || await scene.ask("App ID (cli_…): "),
    appSecret: appSecret || await scene.ask("App Secret: ", { isSecret: true }),
    domain,
    owner: "",
  });
}

async function scan(scene: SetupScene, { domain }: FeishuSection): Promise<Credentials> {
  const app = await registerApp({
    domain,
    postForm,
    clock: scene.clock,
    signal: scene.signal,
    onLink: (url, lifetimeS) => {
      const minutes = Math.round(lifetimeS / 60);
      scene.say(`Scan this code with Feishu or Lark, or open the address (${minutes} minutes):`);
      scene.showLink(url);
    },
  });
  scene.say(`The app ${app.appId} was created.`);
  return checked({ ...app, owner: app.openId });
}

function checked(credentials: Credentials): Credentials {
  const { appId, appSecret } = credentials;
  complete(manifest, manifest.schema(z).parse({ appId, appSecret }));
  return { ...credentials, appId: appId.trim(), appSecret: appSecret.trim() };
}

/**
 * Who the bot is. Wrong credentials, and a platform that is out of reach, end the set-up.
 *
 * @throws {SetupError}
 */
async function checkBot({ link, appId, baseUrl, scene }: SignedIn): Promise<SetupCheck> {
  try {
    const bot = await new FeishuApi(link).bot(scene.signal);
    return passed("bot", `${bot.app_name || "the bot"} (${bot.open_id})`);
  } catch (error) {
    if (hasCode(error, CREDENTIAL_CODES)) {
      throw new SetupError(
        "setup_refused",
        `Cannot sign in as "${appId}": the App ID or the App Secret is wrong ` +
          `(code ${error.platformCode}); compare both with ` +
          consoleUrl(baseUrl, appId, "credentials"),
        { cause: error },
      );
    }
    if (error instanceof FeishuUnreachableError) {
      const message = `Cannot reach "${baseUrl}": ${error.message}`;
      throw new SetupError("setup_unreachable", message, { cause: error });
    }
    if (!(error instanceof FeishuRefusedError)) throw error;
    return {
      name: "bot",
      isNeeded: true,
      state: "missing",
      detail: `the app has no bot (code ${error.platformCode})`,
      remedy: "add the bot feature, then publish a version",
      url: consoleUrl(baseUrl, appId, "bot"),
    };
  }
}

/** Saves what is new. Gives who may write now. */
async function save(app: SignedIn): Promise<readonly string[]> {
  const { appId, appSecret, domain, owner, settings, scene } = app;
  // Ids of people count for one app: those of another app mean nobody here.
  const isOtherApp = settings.appId !== "" && settings.appId !== appId;
  const kept = isOtherApp
    ? settings.allowFrom.filter((entry) => entry === "*")
    : settings.allowFrom;
  const isNewOwner = owner !== "" && !kept.includes("*") && !kept.includes(owner);
  const allowFrom = isNewOwner ? [...kept, owner] : kept;
  const { section } = scene;
  await scene.save({
    ...changesTo(section, { enabled: true, appId, appSecret }),
    ...((section["domain"] ?? "feishu") !== domain && { domain }),
    ...((isOtherApp || isNewOwner) && { allowFrom }),
  });
  return allowFrom;
}

/** Connects, and where a person is there, waits for their first message. */
async function checkContact(
  app: SignedIn,
  { event, allowFrom }: { readonly event: SetupCheck; readonly allowFrom: readonly string[] },
): Promise<readonly SetupCheck[]> {
  const { link, appId, baseUrl, scene } = app;
  await using contact = new FirstContact(link, scene);
  const end = await contact.connected();
  const connection = end === null ? passed("long connection", "connected") : {
    name: "long connection",
    isNeeded: true,
    state: "missing",
    detail: end,
    remedy: "add the bot feature and publish a version",
    url: consoleUrl(baseUrl, appId, "events"),
  } as const;
  if (end !== null || !scene.isInteractive) return [connection, event];
  if (event.state !== "ok") { for (const line of eventGuide(baseUrl, appId)) scene.say(line); }
  scene.say("Write something to the bot now, in a direct chat. Enter skips this.");
  const openId = await contact.firstMessage();
  if (openId === null) {
    return [connection, event.state === "ok" ? event : { ...event, detail: "no message came" }];
  }
  await offerAccess({ id: openId, shown: openId }, allowFrom, scene);
  return [connection, passed(MESSAGE_EVENT_CHECK, `a message of ${openId} came`)];
}
