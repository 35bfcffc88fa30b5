import assert from "node:assert/strict";
import { ownerCheck } from "../../../actors/gateway/rights/owner_check.ts";

Deno.test.each([
  { owners: ["feishu:ou_1"], channel: "feishu", senderId: "ou_1", expected: true },
  { owners: ["feishu:ou_1"], channel: "feishu", senderId: "ou_2", expected: false },
  { owners: ["feishu:ou_1"], channel: "slack", senderId: "ou_1", expected: false },
  { owners: [], channel: "slack", senderId: "ou_9", expected: true },
])("ownerCheck says $expected for $channel:$senderId with $owners", (sent) => {
  assert.equal(ownerCheck(sent.owners)(sent), sent.expected);
});
