import assert from "node:assert/strict";
import { shapingCheck } from "../../../actors/gateway/rights/owner_check.ts";

const CHANNELS = {
  sendProgress: true,
  sendToolHints: false,
  sendMaxRetries: 3,
  mediaDays: 30,
  mediaMegabytes: 2_000,
  transcriptionProvider: "groq",
  transcriptionModel: null,
  others: {},
  enabled: {
    feishu: { enabled: true, allowFrom: ["ou_1"] },
    slack: { enabled: true, allowFrom: ["U1", "U2"] },
    discord: { enabled: true, allowFrom: ["*"] },
  },
};

interface Sender {
  readonly channel: string;
  readonly senderId?: string;
}

Deno.test.each<[owners: string[], sender: Sender, expected: boolean]>([
  [[], { channel: "feishu", senderId: "ou_1" }, true],
  [[], { channel: "feishu", senderId: "ou_2" }, false],
  [[], { channel: "slack", senderId: "U1" }, false],
  [[], { channel: "discord", senderId: "7" }, false],
  [[], { channel: "discord", senderId: "*" }, false],
  [[], { channel: "telegram", senderId: "9" }, false],
  [[], { channel: "feishu" }, false],
  [[], { channel: "system", senderId: "cron" }, false],
  [[], { channel: "cli", senderId: "user" }, true],
  [["slack:U1"], { channel: "slack", senderId: "U1" }, true],
  [["slack:U1"], { channel: "slack", senderId: "U2" }, false],
  [["slack:U1"], { channel: "feishu", senderId: "ou_1" }, false],
  [["slack:U1"], { channel: "cli", senderId: "user" }, true],
])("With the owners %j the words of %j may shape the assistant: %s", (owners, sender, expected) => {
  assert.equal(shapingCheck({ owners, channels: CHANNELS })(sender), expected);
});
