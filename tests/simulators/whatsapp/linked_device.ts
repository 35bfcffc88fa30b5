/**
 * A device as a login leaves it behind.
 * @module
 */

import { BufferJSON, WA_CERT_DETAILS } from "@whiskeysockets/baileys";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { z } from "zod";
import { DeviceStore } from "../../../channels/whatsapp/adapters/device_store.ts";
import { freshCredentials } from "./phone.ts";
import type { WhatsAppPlatform } from "../whatsapp_server.ts";

const LIBRARY = "@whiskeysockets/baileys";

/** Lets the library of this process trust a simulated server. */
export function trust(platform: WhatsAppPlatform): void {
  Object.assign(WA_CERT_DETAILS, { PUBLIC_KEY: platform.identity.rootKey });
}

/**
 * The library for another process, which trusts a simulated server and is otherwise the same.
 *
 * @returns the path of the import map that puts it in the library's place
 */
export async function libraryThatTrusts(
  platform: WhatsAppPlatform,
  folder: string,
): Promise<string> {
  const text = await Deno.readTextFile(new URL("../../../deno.json", import.meta.url));
  const { imports } = z.object({ imports: z.record(z.string(), z.string()) }).parse(
    JSON.parse(text),
  );
  const library = imports[LIBRARY] ?? "";
  const module = join(folder, "trusting_library.ts");
  const key = JSON.stringify([...platform.identity.rootKey]);
  await Deno.writeTextFile(
    module,
    `import { WA_CERT_DETAILS } from "${library}";\n` +
      `WA_CERT_DETAILS.PUBLIC_KEY = Uint8Array.from(${key});\n` +
      `export * from "${library}";\n`,
  );
  const path = join(folder, "import_map.json");
  const map = { imports: { ...imports, [LIBRARY]: pathToFileURL(module).href } };
  await Deno.writeTextFile(path, JSON.stringify(map));
  return path;
}

/** Puts a linked device into a folder. */
export function linkDevice(platform: WhatsAppPlatform, folder: string): void {
  using store = DeviceStore.open(folder);
  const credentials = platform.linked(freshCredentials("device"));
  store.begin().save(JSON.stringify(credentials, BufferJSON.replacer));
}
