/**
 * Sets a mailbox up: both servers, which are asked live before anything is saved, then whose mails
 * are taken and how senders are known.
 * @module
 */

import type { JsonObject } from "../../../actors/kernel/json.ts";
import {
  type ChannelSetup,
  passed,
  SetupError,
  type SetupReport,
  type SetupScene,
} from "../../setup.ts";
import { changesTo, Checklist, complete, offerAccess, readSection } from "../../setup_steps.ts";
import { openServers } from "../adapters/servers.ts";
import { lastingRefusal, MailServerError } from "../errors.ts";
import type { EmailLink } from "../link.ts";
import { addressOf, type EmailSection, manifest } from "../manifest.ts";
import { learnAuthServId } from "../receive/learning.ts";
import { serversOf } from "./providers.ts";

/** Sets mailboxes up. */
export const setup: ChannelSetup = { login };

async function login(scene: SetupScene): Promise<SetupReport> {
  const settings = await settingsOf(scene);
  const link = openServers(settings);
  const checklist = new Checklist(scene);
  checklist.tell(
    await reached("reading mail (IMAP)", scene, async () => {
      const mailbox = await link.mailbox.open(scene.signal);
      await using _opened = mailbox;
      return mailbox.isPushing
        ? `${settings.imapHost}, which tells of new mails by itself`
        : `${settings.imapHost}, asked every ${settings.pollIntervalSeconds} s`;
    }),
  );
  checklist.tell(
    await reached("sending mail (SMTP)", scene, async () => {
      await link.post.check(scene.signal);
      return settings.smtpHost;
    }),
  );
  const { allowFrom: _people, ...values } = settings;
  await scene.save(changesTo(scene.section, { ...changed(values, scene), enabled: true }));
  checklist.tell(await senderCheck(link, settings, scene));
  await offerFirstSender(settings, scene);
  return checklist.report;
}

/** What was asked or given, and nothing that stands by itself. */
function changed(settings: Omit<EmailSection, "allowFrom">, { section }: SetupScene): JsonObject {
  const keys = [
    "imapHost",
    "imapPort",
    "imapUsername",
    "imapPassword",
    "imapUseSsl",
    "smtpHost",
    "smtpPort",
    "smtpUsername",
    "smtpPassword",
    "smtpUseSsl",
    "consentGranted",
  ] as const;
  const plain = readSection(manifest, section);
  return Object.fromEntries(
    keys.filter((key) => settings[key] !== plain[key]).map((key) => [key, settings[key]]),
  );
}

/** The section as the channel will read it, with all that it needs. */
async function settingsOf(scene: SetupScene): Promise<EmailSection> {
  const { section, given, isForced, isInteractive } = scene;
  const stored = readSection(manifest, { ...section, ...given });
  const isComplete = manifest.missing(stored).length === 0;
  if (isComplete && !isForced) return stored;
  if (!isInteractive) return complete(manifest, stored);
  const consentGranted = await askConsent(scene, stored);
  const address = await scene.ask(question("Mail address of the bot", addressOf(stored))) ||
    addressOf(stored);
  const known = serversOf(address);
  const imapHost = await askOr(scene, "IMAP server", stored.imapHost || known.imapHost);
  const smtpHost = await askOr(scene, "SMTP server", stored.smtpHost || known.smtpHost);
  scene.say("With most providers this is an app password, made in the account's settings.");
  const password = await scene.ask("Password: ", { isSecret: true });
  const isSubmissionTls = stored.smtpHost === "" && known.smtpPort === 465;
  return complete(manifest, {
    ...stored,
    consentGranted,
    imapHost,
    smtpHost,
    smtpPort: stored.smtpHost === "" ? known.smtpPort : stored.smtpPort,
    smtpUseSsl: isSubmissionTls || stored.smtpUseSsl,
    imapUsername: stored.imapUsername || address,
    smtpUsername: stored.smtpUsername || address,
    imapPassword: password || stored.imapPassword,
    smtpPassword: password || stored.smtpPassword,
  });
}

async function askConsent(
  { ask }: SetupScene,
  { consentGranted }: EmailSection,
): Promise<boolean> {
  if (consentGranted) return true;
  const answer = await ask(
    "The assistant will read every new mail of this mailbox and answer in its name. Agree? [y/N] ",
  );
  if (/^(y|yes)$/i.test(answer)) return true;
  throw new SetupError("setup_incomplete", "Cannot set E-mail up: nobody agreed to it");
}

async function askOr({ ask }: SetupScene, what: string, known: string): Promise<string> {
  return await ask(question(what, known)) || known;
}

function question(what: string, known: string): string {
  return known === "" ? `${what}: ` : `${what} [${known}]: `;
}

/** A server that could be asked. @throws {SetupError} */
async function reached(
  name: string,
  { signal }: SetupScene,
  ask: () => Promise<string>,
): Promise<ReturnType<typeof passed>> {
  try {
    return passed(name, await ask());
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof MailServerError)) throw error;
    const isRefused = lastingRefusal(error) !== null;
    const message = lastingRefusal(error)?.message ?? error.message;
    throw new SetupError(isRefused ? "setup_refused" : "setup_unreachable", message, {
      cause: error,
    });
  }
}

/** How it will be known whether a mail is its sender's. */
async function senderCheck(
  { mailbox }: EmailLink,
  { authServId, verifyDkim, verifySpf }: EmailSection,
  scene: SetupScene,
): Promise<ReturnType<typeof passed>> {
  const name = "checks of senders";
  if (!verifyDkim && !verifySpf) {
    const detail = "off: anybody can write in the name of somebody who is let in";
    const remedy = "set verifyDkim and verifySpf to true";
    return { name, state: "missing", isNeeded: false, detail, remedy, url: null };
  }
  if (authServId !== "") return passed(name, `those signed "${authServId}"`);
  await using opened = await mailbox.open(scene.signal);
  const learned = await learnAuthServId(opened);
  if (learned === null) {
    return {
      name,
      state: "missing",
      isNeeded: false,
      detail: "the mailbox does not tell by what name its server signs its checks",
      remedy: "look for the first Authentication-Results line of a received mail, and put its " +
        "first word into channels.email.authServId",
      url: null,
    };
  }
  const answer = scene.isInteractive
    ? await scene.ask(`The server signs its checks "${learned}". Trust them? [Y/n] `)
    : "";
  if (/^(y|yes|)$/i.test(answer)) await scene.save({ authServId: learned });
  return passed(name, `those signed "${learned}"`);
}

/** The first who may write: without one nobody may. */
async function offerFirstSender({ allowFrom }: EmailSection, scene: SetupScene): Promise<void> {
  if (allowFrom.length > 0 || !scene.isInteractive) return;
  const id = (await scene.ask("Your own mail address, from which you will write: ")).toLowerCase();
  if (id.includes("@")) await offerAccess({ id, shown: id }, allowFrom, scene);
}
