/**
 * Writes a device's keys, messages and credentials without end, and says what is durable.
 * @module
 */

import { DeviceStore } from "../../../../channels/whatsapp/adapters/device_store.ts";

const store = DeviceStore.open(Deno.args[0] ?? "");
const device = store.current() ?? store.begin();
const encoder = new TextEncoder();
for (let step = Number(device.keys.get("session", "alice") ?? 0) + 1;; step++) {
  const value = String(step);
  device.save(JSON.stringify({ step }));
  await device.keys.together(async () => {
    device.keys.set([{ type: "session", id: "alice", value }]);
    await Promise.resolve();
    device.keys.set([{ type: "session", id: "bo", value }]);
  }, () => {
    const before = store.inbox.first();
    if (before !== null) store.inbox.remove(before);
    store.inbox.put({
      ...{ id: value, chatJid: "1@s.whatsapp.net", isFromMe: false, sentSeconds: 0, name: "" },
      contents: { conversation: "hi" },
    });
  });
  Deno.stdout.writeSync(encoder.encode(`${step}\n`));
}
