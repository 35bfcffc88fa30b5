/**
 * A device as a login leaves it behind.
 * @module
 */

import { BufferJSON, WA_CERT_DETAILS } from "@whiskeysockets/baileys";
import { DeviceStore } from "../../../channels/whatsapp/adapters/device_store.ts";
import { freshCredentials } from "./phone.ts";
import type { WhatsAppPlatform } from "../whatsapp_server.ts";

/** Lets the library of this process trust a simulated server. */
export function trust(platform: WhatsAppPlatform): void {
  Object.assign(WA_CERT_DETAILS, { PUBLIC_KEY: platform.identity.rootKey });
}

/** Puts a linked device into a folder. */
export function linkDevice(platform: WhatsAppPlatform, folder: string): void {
  using store = DeviceStore.open(folder);
  const credentials = platform.linked(freshCredentials("device"));
  store.begin().save(JSON.stringify(credentials, BufferJSON.replacer));
}
