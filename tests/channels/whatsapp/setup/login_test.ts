import assert from "node:assert/strict";
import { DeviceStore } from "../../../../channels/whatsapp/adapters/device_store.ts";
import { setup } from "../../../../channels/whatsapp/setup/mod.ts";
import { trust } from "../../../simulators/whatsapp/linked_device.ts";
import { WhatsAppPlatform } from "../../../simulators/whatsapp_server.ts";
import { freePort } from "../../../support/free_port.ts";
import { ManualClock } from "../../../support/manual_clock.ts";
import { checkStates, Desk } from "../../../support/setup_desk.ts";
import { temporaryFolder } from "../../../support/temporary_folder.ts";
import { until } from "../../../support/until.ts";

function openDesk(own?: { readonly serverUrl: string }): Desk<WhatsAppPlatform> {
  const platform = new WhatsAppPlatform();
  trust(platform);
  const section = own ?? { serverUrl: platform.url };
  return new Desk({ setup, clock: new ManualClock(), platform, section, given: {} });
}

Deno.test("WhatsApp login links a device by a scanned code, and knows it the next time", async () => {
  await using folder = await temporaryFolder();
  await using desk = openDesk();
  const { path: stateFolder } = folder;
  const login = desk.login({ isScanning: true, stateFolder });
  await until(() => desk.links.length > 0);
  assert.match(desk.links[0] ?? "", /^https:\/\/wa\.me\/settings\/linked_devices#/);
  desk.platform.scan(desk.links[0] ?? "");
  assert.deepEqual(checkStates(await login), ["ok device"]);
  assert.deepEqual(desk.saved, [{ enabled: true }]);
  assert.equal(((await Deno.stat(`${stateFolder}/device.sqlite`)).mode ?? 0) & 0o777, 0o600);
  assert.deepEqual(checkStates(await desk.login({ stateFolder })), ["ok device"]);
});

Deno.test("WhatsApp login links a device by a code that is typed into the phone", async () => {
  await using folder = await temporaryFolder();
  await using desk = openDesk();
  const given = { phone: "+1 555 000-9999" };
  const login = desk.login({ given, stateFolder: folder.path });
  const typed = (): string | undefined => /Type in: (\w{4}-\w{4})/.exec(desk.said.join("\n"))?.[1];
  await until(() => typed() !== undefined);
  await desk.platform.enterCode((typed() ?? "").replace("-", ""));
  assert.deepEqual(checkStates(await login), ["ok device"]);
  using store = DeviceStore.open(folder.path);
  assert.notEqual(store.current(), null);
});

Deno.test("WhatsApp login asks nobody who is not there", async () => {
  await using folder = await temporaryFolder();
  await using desk = openDesk();
  await assert.rejects(desk.login({ stateFolder: folder.path }), { code: "setup_incomplete" });
});

Deno.test("WhatsApp login ends at once, and says why, where no server answers", async () => {
  await using folder = await temporaryFolder();
  const section = { serverUrl: `ws://127.0.0.1:${freePort()}` };
  await using desk = openDesk(section);
  const login = desk.login({ isScanning: true, stateFolder: folder.path });
  await assert.rejects(login, { code: "setup_unreachable", message: /^Cannot link the device: / });
});

Deno.test("WhatsApp login that only looks tells whether a device is linked, and connects to nothing", async () => {
  await using folder = await temporaryFolder();
  await using desk = openDesk();
  const report = await desk.login({ isLooking: true, stateFolder: folder.path });
  assert.deepEqual([report.isReady, checkStates(report)], [false, ["missing device"]]);
  assert.match(report.checks[0]?.remedy ?? "", /channels login whatsapp/);
});
