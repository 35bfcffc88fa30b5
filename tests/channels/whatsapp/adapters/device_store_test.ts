import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { DeviceStore } from "../../../../channels/whatsapp/adapters/device_store.ts";
import { temporaryFolder } from "../../../support/temporary_folder.ts";

const WRITER = new URL("./device_writer.ts", import.meta.url);

Deno.test("A device's store holds all that was written when its process is killed", async () => {
  await using folder = await temporaryFolder();
  for (let round = 0; round < 3; round++) {
    const child = new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", "--no-check", fileURLToPath(WRITER), folder.path],
      stdout: "piped",
      stderr: "inherit",
    }).spawn();
    let told = "";
    let isKilled = false;
    for await (const text of child.stdout.pipeThrough(new TextDecoderStream())) {
      told += text; // what was told before the kill may still come after it
      if (isKilled || told.split("\n").length <= 20 + round * 7) continue;
      child.kill("SIGKILL");
      isKilled = true;
    }
    await child.status;
    const last = Number(told.split("\n").at(-2));
    using store = DeviceStore.open(folder.path);
    const device = store.current();
    const step = Number(device?.keys.get("session", "alice"));
    assert.ok(step >= last, `${step} of ${last}`);
    assert.equal(device?.keys.get("session", "bo"), String(step), "keys change together");
    assert.equal(store.inbox.first()?.message?.id, String(step), "a message goes with its keys");
    assert.equal(JSON.parse(device?.credentials ?? "{}").step >= last, true);
  }
});

Deno.test("A device's store keeps the keys of the old device until the new one is saved", async () => {
  await using folder = await temporaryFolder();
  using store = DeviceStore.open(folder.path);
  store.begin().save("one");
  store.current()?.keys.set([{ type: "session", id: "a", value: "1" }]);
  const next = store.begin();
  next.keys.set([{ type: "session", id: "a", value: "2" }]);
  assert.equal(store.current()?.keys.get("session", "a"), "1");
  next.save("two");
  assert.equal(store.current()?.keys.get("session", "a"), "2");
});

Deno.test("A device's keys are as the work left them, whether it fails or not", async () => {
  await using folder = await temporaryFolder();
  using store = DeviceStore.open(folder.path);
  const { keys } = store.begin();
  const change = (value: string) => [{ type: "session", id: "a", value }];
  await keys.together(async () => {
    keys.set(change("1"));
    await Promise.resolve();
    assert.equal(keys.get("session", "a"), "1");
  }, () => {});
  assert.equal(keys.get("session", "a"), "1");
  const failing = keys.together(() => {
    keys.set(change("2"));
    return Promise.reject(new TypeError("no"));
  }, () => {});
  await assert.rejects(failing, TypeError);
  assert.equal(keys.get("session", "a"), "2");
});
