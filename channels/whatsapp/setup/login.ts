/**
 * Sets WhatsApp up: links a device to an account, then waits for a first message.
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
import { changesTo, Checklist, firstMessage, offerAccess, readSection } from "../../setup_steps.ts";
import { connect } from "../adapters/connection.ts";
import { DeviceStore } from "../adapters/device_store.ts";
import { loadLibrary } from "../adapters/library.ts";
import { idOf, isGroup, isListed, type PersonIds } from "../ids.ts";
import { manifest, type WhatsAppSection } from "../manifest.ts";
import { senderOf } from "../receive/admission.ts";
import { isBlank, unwrapped } from "../receive/parts.ts";
import type { ReceivedMessage } from "../wire.ts";
import { link, type LinkingOptions, type SignedIn, signIn } from "./linking.ts";

/** Sets devices up. */
export const setup: ChannelSetup = { login };

/** Codes against the device itself; a new one has to be linked. */
const GONE_CODES: ReadonlySet<number> = new Set([401, 403, 411]);
const REPLACED_CODE = 440;

async function login(scene: SetupScene): Promise<SetupReport> {
  const section = readSection(manifest, scene.section);
  if (scene.isLooking) return linked(scene);
  const library = await loadLibrary();
  using store = DeviceStore.open(scene.stateFolder);
  const first = Promise.withResolvers<ReceivedMessage>();
  const options: LinkingOptions = {
    ...{ scene, store },
    phone: "",
    connect: (own) =>
      connect({ ...own, library, serverUrl: section.serverUrl, clock: scene.clock }),
    onMessage: (message) => {
      if (isFirst(message)) first.resolve(message);
    },
  };
  await using device = await signedIn(options);
  const checklist = new Checklist(scene);
  checklist.tell(passed("device", `linked to +${idOf(device.self)}`));
  await scene.save(changesTo(scene.section, { enabled: true }));
  if (scene.isInteractive) {
    checklist.tell(await contactCheck(first.promise, { section, scene, self: device.self }));
  }
  return checklist.report;
}

/** Whether a device is linked, as the folder says: only one connection may use it. */
function linked(scene: SetupScene): SetupReport {
  using store = DeviceStore.open(scene.stateFolder);
  const checklist = new Checklist(scene);
  const name = "device";
  if (store.current() !== null) checklist.tell(passed(name, "linked"));
  else {
    const remedy = "link one: channels login whatsapp";
    checklist.tell({
      ...{ name, state: "missing", isNeeded: true, detail: "none is linked", remedy, url: null },
    });
  }
  return checklist.report;
}

/** The device that is linked already, or a new one. */
async function signedIn(options: LinkingOptions): Promise<SignedIn> {
  const { scene, store } = options;
  const known = scene.isForced ? null : store.current();
  if (known !== null) {
    const tried = await signIn(known, options);
    if (tried.state === "signed_in") return tried.device;
    const { code, detail } = tried.ending;
    if (code === REPLACED_CODE) {
      const state =
        "the gateway uses the device just now; stop it first, or link another by --force";
      throw new SetupError("setup_refused", `Cannot check the device: ${state}`);
    }
    if (!GONE_CODES.has(code)) {
      throw new SetupError("setup_unreachable", `Cannot reach WhatsApp: ${detail} (${code})`);
    }
    scene.say("The device that was linked is logged out; link it again.");
  }
  return await link({ ...options, phone: await phoneFor(scene) });
}

/** The number for a code that is typed in; "" for one that is scanned. */
async function phoneFor({ given, isScanning, isInteractive, ask }: SetupScene): Promise<string> {
  const digitsOf = (text: string): string => text.replace(/\D/g, "");
  if (given["phone"] !== undefined) return digitsOf(given["phone"]);
  if (isScanning) return "";
  if (!isInteractive) {
    const how = "give --scan to scan a code, or --phone to type one in";
    throw new SetupError("setup_incomplete", `Cannot link a device: ${how}`);
  }
  return digitsOf(
    await ask("The account's phone number, to type a code in (Enter: scan a code): "),
  );
}

/** Something that a person says to the bot alone. */
function isFirst({ isFromMe, chatJid, contents }: ReceivedMessage): boolean {
  return !isFromMe && !isGroup(chatJid) && !isBlank(unwrapped(contents));
}

/** Waits for a first message, and offers to let its sender in. */
async function contactCheck(
  message: Promise<ReceivedMessage>,
  { section, scene, self }: {
    readonly section: WhatsAppSection;
    readonly scene: SetupScene;
    readonly self: PersonIds;
  },
): Promise<SetupCheck> {
  const name = "first message";
  scene.say(`Write something to +${idOf(self)} from another account now. Enter skips this.`);
  const came = await firstMessage(scene, message);
  if (came === null) {
    const remedy = "put your number into channels.whatsapp.allowFrom";
    const detail = "none came";
    return { name, state: "unknown", isNeeded: false, detail, remedy, url: null };
  }
  const sender = senderOf(came, { phoneOf: () => null });
  const id = idOf(sender);
  const shown = came.name === "" ? id : `${came.name} (${id})`;
  if (!isListed(sender, section.allowFrom)) {
    await offerAccess({ id, shown }, section.allowFrom, scene);
  }
  return passed(name, `a message of ${shown} came`);
}
