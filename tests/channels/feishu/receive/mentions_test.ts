import assert from "node:assert/strict";
import {
  isAddressed,
  withNames,
  withoutLeadingBot,
} from "../../../../channels/feishu/receive/mentions.ts";
import type { Mention } from "../../../../channels/feishu/wire.ts";

const BOT = "ou_bot";

function mention(key: string, name: string, openId = "", userId = ""): Mention {
  return { key, name, id: { open_id: openId, user_id: userId, union_id: "" } };
}

const ALICE = mention("@_user_1", "Alice", "ou_abc123");

Deno.test.each([
  { text: "hello @_user_1 how are you", to: "hello @Alice (ou_abc123) how are you" },
  { text: "@_user_10 and @_user_1", to: "@_user_10 and @Alice (ou_abc123)" },
  { text: "no key here", to: "no key here" },
  { text: "", to: "" },
  { text: "@_all lunch", to: "@all lunch" },
])("withNames turns $text into $to", ({ text, to }) => {
  assert.equal(withNames(text, [ALICE], BOT), to);
});

Deno.test.each([
  {
    name: "both ids",
    list: [mention("@_user_1", "Bob", "ou_b", "u4")],
    to: "@Bob (ou_b, user id: u4)",
  },
  { name: "no ids", list: [mention("@_user_1", "Bob")], to: "@Bob" },
  { name: "no id object", list: [{ key: "@_user_1", name: "Bob", id: null }], to: "@_user_1" },
  { name: "the bot's own id", list: [mention("@_user_1", "Troupe", BOT)], to: "@Troupe" },
  { name: "no name", list: [mention("@_user_1", "", "ou_b")], to: "@@_user_1 (ou_b)" },
  { name: "an empty key", list: [mention("", "Bob", "ou_b")], to: "@_user_1" },
])("withNames names a person with $name", ({ list, to }) => {
  assert.equal(withNames("@_user_1", list, BOT), to);
});

Deno.test("withNames tells @_user_1 from @_user_10", () => {
  const list = [ALICE, mention("@_user_10", "Zoe", "ou_zoe")];
  assert.equal(withNames("@_user_10 @_user_1", list, BOT), "@Zoe (ou_zoe) @Alice (ou_abc123)");
});

Deno.test.each([
  { text: "@_user_1 /stop", to: "/stop" },
  { text: "  @_user_1\n/stop", to: "/stop" },
  { text: "@_user_1 @_user_1 hi", to: "hi" },
  { text: "/stop @_user_1", to: "/stop @_user_1" },
  { text: "@_user_10 /stop", to: "@_user_10 /stop" },
])("withoutLeadingBot turns $text into $to", ({ text, to }) => {
  assert.equal(withoutLeadingBot(text, [mention("@_user_1", "Troupe", BOT)], BOT), to);
});

Deno.test("withoutLeadingBot keeps a leading mention of somebody else", () => {
  assert.equal(withoutLeadingBot("@_user_1 hi", [ALICE], BOT), "@_user_1 hi");
});

Deno.test.each([
  { text: "@_user_1 hi", list: [mention("@_user_1", "Troupe", BOT)], expected: true },
  { text: "@_user_1 hi", list: [ALICE], expected: false },
  { text: "hi", list: [], expected: false },
  { text: "@_all hi", list: [], expected: true },
  { text: "大家@_all", list: [], expected: true },
  { text: "hi", list: [{ key: "@_all", name: "", id: null }], expected: true },
  { text: "the token @_all_of_it", list: [], expected: false },
  { text: "mail@_all.example", list: [], expected: false },
])("isAddressed judges $text as $expected", ({ text, list, expected }) => {
  assert.equal(isAddressed(text, list, BOT), expected);
});
