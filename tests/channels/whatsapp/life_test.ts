import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { DeviceStore } from "../../../channels/whatsapp/adapters/device_store.ts";
import { node } from "../../simulators/whatsapp/nodes.ts";
import { GROUP, Harness } from "./harness.ts";

Deno.test("WhatsApp connects again at once when the server wants a new connection", async () => {
  await using harness = await Harness.ready();
  const { platform } = harness;
  const beforeMs = harness.clock.now();
  platform.endStream("515");
  await harness.passUntil(() => platform.logins === 2, "a second login");
  assert.ok(harness.clock.now() - beforeMs < 30_000);
  await harness.isReady();
});

Deno.test("WhatsApp does not fight for a device that another program uses", async () => {
  await using harness = await Harness.ready();
  harness.platform.endStream("440", node("conflict", { type: "replaced" }));
  await assert.rejects(harness.ended, { code: "whatsapp_sign_in", message: /another program/ });
  assert.equal(harness.platform.logins, 1);
});

Deno.test("WhatsApp removes the keys of a device that was logged out", async () => {
  await using harness = await Harness.ready();
  harness.platform.endStream("401", node("conflict", { type: "device_removed" }));
  await assert.rejects(harness.ended, { message: /logged out.+channels login whatsapp/ });
  using store = DeviceStore.open(`${harness.folder.path}/state`);
  assert.equal(store.current(), null);
});

Deno.test("WhatsApp knows a person by number or id once both were seen, and groups by members", async () => {
  await using harness = await Harness.ready();
  const { platform, alice, gateway } = harness;
  const say = (text: string, more: object): void =>
    void platform.userSays({ from: alice, message: { conversation: text }, ...more });
  say("both", {});
  await harness.texts(1);
  say("id alone", { named: "lid" });
  say("in the group", { group: GROUP, named: "lid" });
  const texts = await harness.texts(3);
  assert.deepEqual(texts, ["both", "id alone", "Alice (15551230001): in the group"]);
  assert.deepEqual(gateway.inbounds.map(({ senderId }) => senderId), Array(3).fill(alice.phone));
  assert.deepEqual(gateway.inbounds.map(({ chatId }) => chatId), [
    alice.phoneJid,
    alice.phoneJid,
    GROUP,
  ]);
});

Deno.test("WhatsApp unwraps, quotes, and tells places, contacts and polls in words", async () => {
  await using harness = await Harness.ready();
  const { platform, alice } = harness;
  const say = (message: Parameters<typeof platform.userSays>[0]["message"]): void =>
    void platform.userSays({ from: alice, message });
  say({
    ephemeralMessage: { message: { viewOnceMessage: { message: { conversation: "once" } } } },
  });
  say({
    extendedTextMessage: {
      text: "yes",
      contextInfo: {
        participant: `${platform.botLid}@lid`,
        stanzaId: "A",
        quotedMessage: { conversation: "sure?" },
      },
    },
  });
  say({ locationMessage: { degreesLatitude: 1.5, degreesLongitude: 2.5 } });
  say({
    contactMessage: { displayName: "Bo", vcard: "BEGIN:VCARD\nTEL;type=CELL:+1 5\nEND:VCARD" },
  });
  say({
    pollCreationMessage: { name: "When?", options: [{ optionName: "a" }, { optionName: "b" }] },
  });
  assert.deepEqual(await harness.texts(5), [
    "once",
    "[Reply to bot: sure?]\nyes",
    "[location: 1.5, 2.5]",
    "[contact: Bo, +1 5]",
    "[poll: When? (a / b)]",
  ]);
});

Deno.test("WhatsApp has voice written down, and says what cannot be fetched", async () => {
  await using harness = await Harness.ready();
  const { platform, alice, gateway } = harness;
  gateway.speech = { state: "transcribed", text: "buy milk" };
  const stored = platform.media.put(new TextEncoder().encode("opus"), "audio");
  const lost = platform.media.put(new TextEncoder().encode("gone"), "image");
  platform.media.remove(lost.directPath);
  platform.userSays({ from: alice, message: { audioMessage: { ...stored, ptt: true } } });
  await harness.texts(1);
  platform.userSays({ from: alice, message: { imageMessage: lost } });
  assert.deepEqual(await harness.texts(2), [
    "[transcription: buy milk]",
    "[image: download failed (WhatsApp keeps it no longer)]",
  ]);
});

Deno.test("WhatsApp shows typing, reads and reacts while it works, and takes that back", async () => {
  await using harness = await Harness.ready({ reactEmoji: "👀" });
  const { platform, alice, gateway } = harness;
  platform.userSays({ from: alice, message: { conversation: "hi" } });
  await harness.texts(1);
  const touched = (what: string): boolean => platform.touches.includes(what);
  await harness.passUntil(() => touched("receipt read"), "reading");
  await harness.passUntil(() => touched("chatstate composing"), "typing");
  await harness.passUntil(() => platform.chats.reactions.length === 1, "a reaction");
  const platformId = gateway.inbounds[0]?.platformId ?? "";
  const settles = [{ platformId, outcome: "done" as const, channelState: null }];
  await harness.deliver({ key: "a:0", text: "hello", settles });
  await harness.passUntil(() => platform.chats.reactions.length === 2, "its end");
  assert.deepEqual(platform.chats.reactions.map(({ emoji }) => emoji), ["👀", ""]);
  await harness.passUntil(() => touched("chatstate paused"), "the end of typing");
});

Deno.test("WhatsApp sends files by their kind and name, and repeats no message", async () => {
  await using harness = await Harness.ready();
  const { platform, folder } = harness;
  const media = ["a.png", "b.mp4", "c.ogg", "d.pdf"].map((name) => `${folder.path}/${name}`);
  for (const path of media) await Deno.writeTextFile(path, path);
  const ids = await harness.deliver({ key: "a:0", text: "files", media });
  assert.deepEqual(
    await harness.deliver({ key: "a:0", text: "files", media, channelState: null }),
    ids,
  );
  const seen = platform.chats.of(harness.alice.phoneJid).map(({ message }) => message);
  assert.equal(seen.length, 5);
  assert.equal(seen[0]?.imageMessage?.mimetype, "image/png");
  assert.equal(seen[1]?.videoMessage?.mimetype, "video/mp4");
  assert.equal(seen[2]?.audioMessage?.ptt, true);
  assert.equal(seen[3]?.documentMessage?.fileName, "d.pdf");
});

Deno.test.each([
  "people",
  "inbox",
])(
  "WhatsApp receives a message again that came while its %s could not be written",
  async (table) => {
    await using harness = await Harness.ready();
    const { platform, alice } = harness;
    using database = new DatabaseSync(`${harness.folder.path}/state/device.sqlite`);
    database.exec(`alter table ${table} rename to broken`);
    platform.userSays({ from: alice, message: { conversation: "hello" } });
    await harness.passUntil(() => platform.logins > 1, "a new connection");
    database.exec(`alter table broken rename to ${table}`);
    assert.deepEqual(await harness.texts(1), ["hello"]);
    await harness.isReady();
  },
);
