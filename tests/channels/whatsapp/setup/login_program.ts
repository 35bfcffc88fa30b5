/**
 * Links a device to an account at a simulated server, and writes the code to scan; to be killed.
 * Takes the server's address, the key that it goes by, and the folder of the device.
 * @module
 */

import { WA_CERT_DETAILS } from "@whiskeysockets/baileys";
import { Buffer } from "node:buffer";
import { systemClock } from "../../../../actors/kernel/adapters/system_clock.ts";
import { setup } from "../../../../channels/whatsapp/setup/mod.ts";

const [serverUrl = "", rootKey = "", stateFolder = ""] = Deno.args;
const encoder = new TextEncoder();
Object.assign(WA_CERT_DETAILS, { PUBLIC_KEY: Buffer.from(rootKey, "base64") });
await setup.login({
  section: { serverUrl },
  given: {},
  isScanning: true,
  isForced: true,
  isInteractive: false,
  stateFolder,
  clock: systemClock,
  newId: () => "id",
  signal: new AbortController().signal,
  say: () => {},
  showLink: (link) => void Deno.stdout.writeSync(encoder.encode(`${link}\n`)),
  tell: () => {},
  ask: () => Promise.withResolvers<string>().promise,
  save: () => Promise.withResolvers<void>().promise, // until it is killed
});
