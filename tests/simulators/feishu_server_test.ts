/**
 * The platform as the official SDK meets it.
 * @module
 */

import assert from "node:assert/strict";
import { FeishuPlatform } from "./feishu_server.ts";
import { sdkClient, sdkConnection } from "./feishu/sdk.ts";

Deno.test("FeishuPlatform hands a person's message to the SDK and sees it acknowledged", async () => {
  await using platform = await FeishuPlatform.start();
  const received: unknown[] = [];
  using _connection = await sdkConnection(platform, (event) => void received.push(event));
  const said = platform.userSays({ text: "hello" });
  const acknowledgement = await said.acknowledged;
  assert.equal(acknowledgement.code, 200);
  assert.partialDeepStrictEqual(received, [{
    event_type: "im.message.receive_v1",
    sender: { sender_id: { open_id: "ou_alice" }, sender_type: "user" },
    message: { message_id: said.messageId, chat_type: "p2p", content: '{"text":"hello"}' },
  }]);
});

Deno.test("FeishuPlatform shows what the SDK sent, once for each uuid", async () => {
  await using platform = await FeishuPlatform.start();
  platform.addPerson("ou_alice");
  const client = sdkClient(platform);
  const request = {
    params: { receive_id_type: "open_id" as const },
    data: { receive_id: "ou_alice", msg_type: "text", content: '{"text":"hi"}', uuid: "u-1" },
  };
  const first = await client.im.message.create(request);
  const second = await client.im.message.create(request);
  assert.equal(first.data?.message_id, second.data?.message_id);
  assert.deepEqual(platform.chat("ou_alice").messages.map(({ text }) => text), ["hi"]);
});
