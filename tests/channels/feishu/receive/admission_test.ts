import assert from "node:assert/strict";
import { isAllowed } from "../../../../channels/allow_list.ts";
import { admit } from "../../../../channels/feishu/receive/admission.ts";
import { type MessageEvent, messageEventSchema } from "../../../../channels/feishu/wire.ts";

const RULES = { botOpenId: "ou_bot", groupPolicy: "mention", allowFrom: ["*"] } as const;

function event(
  message: Record<string, unknown> = {},
  sender: Record<string, unknown> = {},
): MessageEvent {
  return messageEventSchema.parse({
    sender: { sender_id: { open_id: "ou_alice" }, sender_type: "user", ...sender },
    message: {
      message_id: "om_1",
      chat_id: "oc_1",
      chat_type: "p2p",
      message_type: "text",
      content: '{"text":"hi"}',
      ...message,
    },
  });
}

Deno.test.each([
  { sender: { sender_type: "app" }, reason: "from_an_app" },
  { sender: { sender_type: "bot" }, reason: "from_an_app" },
  { sender: { sender_id: { open_id: "ou_bot" } }, reason: "from_an_app" },
  { sender: { sender_id: null }, reason: "no_sender" },
])("admit ignores what is $reason", ({ sender, reason }) => {
  assert.deepEqual(admit(event({}, sender), RULES), { verdict: "ignored", reason });
});

Deno.test("admit ignores a message that holds nothing but the bot's mention", () => {
  const mentions = [{ key: "@_user_1", id: { open_id: "ou_bot" }, name: "Troupe" }];
  const message = { chat_type: "group", content: '{"text":"@_user_1 "}', mentions };
  assert.deepEqual(admit(event(message), RULES), { verdict: "ignored", reason: "empty" });
});

Deno.test("admit judges the group policy before the allow-list", () => {
  const rules = { ...RULES, allowFrom: [] };
  const group = event({ chat_type: "group" });
  assert.deepEqual(admit(group, rules), { verdict: "ignored", reason: "not_addressed" });
  assert.deepEqual(admit(event(), rules), { verdict: "stranger", senderId: "ou_alice" });
});

Deno.test("admit takes a bare mention that answers something", () => {
  const mentions = [{ key: "@_user_1", id: { open_id: "ou_bot" }, name: "Troupe" }];
  const content = '{"text":"@_user_1"}';
  const message = { chat_type: "group", content, mentions, parent_id: "om_0" };
  assert.equal(admit(event(message), RULES).verdict, "admitted");
});

Deno.test("admit looks for the mention of everybody in what people read, not in the JSON", () => {
  const file = { chat_type: "group", message_type: "file" };
  const content = JSON.stringify({ file_key: "@_all", file_name: "notes.txt" });
  assert.equal(admit(event({ ...file, content }), RULES).verdict, "ignored");
});

Deno.test.each([
  { sender: "alice", list: ["alice"], expected: true },
  { sender: "bob", list: ["alice"], expected: false },
  { sender: "attacker|allow@email.com", list: ["allow@email.com"], expected: false },
  { sender: "anyone", list: ["*"], expected: true },
  { sender: "anyone", list: [], expected: false },
])("isAllowed says $expected for $sender in $list", ({ sender, list, expected }) => {
  assert.equal(isAllowed(sender, list), expected);
});
