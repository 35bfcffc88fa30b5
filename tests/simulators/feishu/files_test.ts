/**
 * Uploads and downloads as the official SDK meets them.
 * @module
 */

import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { buffer } from "node:stream/consumers";
import type { Client } from "@larksuiteoapi/node-sdk";
import { FeishuPlatform } from "../feishu_server.ts";
import { refusalOf, sdkClient } from "./sdk.ts";

const PNG = Uint8Array.fromHex("89504e470d0a1a0a00000000ffd8ff0d0a2d2d");

function send(client: Client, msg_type: string, content: Record<string, string>) {
  return client.im.message.create({
    params: { receive_id_type: "open_id" },
    data: { receive_id: "ou_bob", msg_type, content: JSON.stringify(content) },
  });
}

function upload(client: Client, file_type: "opus" | "mp4" | "pdf" | "stream", bytes: Uint8Array) {
  return client.im.file.create({
    data: { file_type, file_name: "名.bin", file: Buffer.from(bytes) },
  });
}

Deno.test("FeishuPlatform takes an image byte for byte and shows it", async () => {
  await using platform = await FeishuPlatform.start();
  platform.addPerson("ou_bob");
  const client = sdkClient(platform);
  const uploaded = await client.im.image.create({
    data: { image_type: "message", image: Buffer.from(PNG) },
  });
  await send(client, "image", { image_key: uploaded?.image_key ?? "" });
  assert.deepEqual(platform.file(uploaded?.image_key ?? "")?.bytes, PNG);
  assert.deepEqual(platform.chat("ou_bob").messages.map(({ text }) => text), ["[image]"]);
});

Deno.test.each(
  [
    { file_type: "opus", msg_type: "audio" },
    { file_type: "mp4", msg_type: "media" },
    { file_type: "pdf", msg_type: "file" },
    { file_type: "stream", msg_type: "file" },
  ] as const,
)("FeishuPlatform sends an upload of type $file_type as $msg_type only", async (pair) => {
  await using platform = await FeishuPlatform.start();
  platform.addPerson("ou_bob");
  const client = sdkClient(platform);
  const uploaded = await upload(client, pair.file_type, PNG);
  const content = { file_key: uploaded?.file_key ?? "" };
  for (const msg_type of ["audio", "media", "file"]) {
    if (msg_type === pair.msg_type) await send(client, msg_type, content);
    else assert.equal(await refusalOf(send(client, msg_type, content)), "400/230055");
  }
  assert.equal(platform.file(content.file_key)?.name, "名.bin");
});

Deno.test.each([
  { what: "an empty file", bytes: new Uint8Array(), code: 234010 },
  { what: "a file above 30 MB", bytes: new Uint8Array(30 * 1024 * 1024 + 1), code: 234006 },
])("FeishuPlatform refuses $what", async ({ bytes, code }) => {
  await using platform = await FeishuPlatform.start();
  assert.equal(await refusalOf(upload(sdkClient(platform), "stream", bytes)), `400/${code}`);
});

Deno.test("FeishuPlatform refuses an image that is none", async () => {
  await using platform = await FeishuPlatform.start();
  const uploading = sdkClient(platform).im.image.create({
    data: { image_type: "message", image: Buffer.from("plain text") },
  });
  assert.equal(await refusalOf(uploading), "400/234011");
});

Deno.test("FeishuPlatform gives a person's file out under its message only", async () => {
  await using platform = await FeishuPlatform.start();
  const file_key = platform.storeFile({ name: "../名.bin", bytes: PNG });
  const content = { file_key, file_name: "../名.bin" };
  const said = platform.userSays({ msgType: "file", content });
  const other = platform.userSays({ text: "no file" });
  const client = sdkClient(platform);
  const download = (message_id: string, type: string) =>
    client.im.messageResource.get({ path: { message_id, file_key }, params: { type } });
  const file = await download(said.messageId, "file");
  assert.deepEqual(new Uint8Array(await buffer(file.getReadableStream())), PNG);
  const encodedName = encodeURIComponent("../名.bin");
  assert.ok(String(file.headers["content-disposition"]).includes(encodedName));
  for (const [messageId, type] of [[other.messageId, "file"], [said.messageId, "image"]] as const) {
    await assert.rejects(download(messageId, type), { status: 400 });
  }
});

Deno.test("FeishuPlatform gives nothing out of forwarded bundles", async () => {
  await using platform = await FeishuPlatform.start();
  const bundle = platform.userForwards({}, [{ openId: "ou_bob", text: "x" }]);
  const client = sdkClient(platform);
  const path = { message_id: bundle.messageId, file_key: "file_x" };
  await assert.rejects(
    client.im.messageResource.get({ path, params: { type: "file" } }),
    { status: 400 },
  );
  assert.equal(platform.calls("im.messageResource.get")[0]?.code, 234043);
});
