import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { fileURLToPath } from "node:url";
import { DeviceStore } from "../../../../channels/whatsapp/adapters/device_store.ts";
import { setup } from "../../../../channels/whatsapp/setup/mod.ts";
import { linkDevice, trust } from "../../../simulators/whatsapp/linked_device.ts";
import { WhatsAppPlatform } from "../../../simulators/whatsapp_server.ts";
import { ManualClock } from "../../../support/manual_clock.ts";
import { checkStates, Desk } from "../../../support/setup_desk.ts";
import { temporaryFolder } from "../../../support/temporary_folder.ts";
import { until } from "../../../support/until.ts";

const PROGRAM = new URL("./login_program.ts", import.meta.url);

/** Begins to link a device, and is killed when `isTime` holds after the code was scanned. */
async function killedLogin(
  platform: WhatsAppPlatform,
  folder: string,
  isTime: () => boolean,
): Promise<void> {
  const child = new Deno.Command(Deno.execPath(), {
    args: [
      ...["run", "-A", "--no-check", fileURLToPath(PROGRAM), platform.url],
      ...[Buffer.from(platform.identity.rootKey).toString("base64"), folder],
    ],
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  try {
    let told = "";
    const reading = child.stdout.pipeThrough(new TextDecoderStream());
    for await (const text of reading.values({ preventCancel: true })) {
      told += text;
      if (told.includes("\n")) break;
    }
    platform.scan(told.split("\n")[0] ?? "");
    await until(isTime, { what: "the time to kill the login" });
  } finally {
    child.kill("SIGKILL");
    await child.status;
    await child.stdout.cancel().catch(() => {});
  }
}

Deno.test.each([
  { when: "as the phone accepts", isTime: () => true, mayKeepOld: true },
  {
    when: "when the server has its signature",
    isTime: ({ pairings }: WhatsAppPlatform) => pairings.finished === 1,
    mayKeepOld: false,
  },
  {
    when: "when it has signed in",
    isTime: ({ logins }: WhatsAppPlatform) => logins === 1,
    mayKeepOld: false,
  },
])("A WhatsApp login that is killed $when leaves a whole device, the old one or the new", async ({
  isTime,
  mayKeepOld,
}) => {
  await using folder = await temporaryFolder();
  const platform = new WhatsAppPlatform();
  trust(platform);
  const section = { serverUrl: platform.url };
  await using desk = new Desk({ setup, clock: new ManualClock(), platform, section, given: {} });
  linkDevice(platform, folder.path);
  using store = DeviceStore.open(folder.path);
  store.current()?.keys.set([{ type: "session", id: "alice", value: "old" }]);
  const old = store.current()?.credentials;
  await killedLogin(platform, folder.path, () => isTime(platform));
  const { credentials, keys } = store.current() ?? {};
  const isOld = credentials === old;
  assert.ok(mayKeepOld || !isOld);
  assert.equal(keys?.get("session", "alice"), isOld ? "old" : null, "keys go with their device");
  assert.deepEqual(checkStates(await desk.login({ stateFolder: folder.path })), ["ok device"]);
  assert.equal(platform.pairings.begun, 1);
});
