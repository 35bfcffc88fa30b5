import assert from "node:assert/strict";
import { z } from "zod";
import { manifest } from "../../../channels/slack/manifest.ts";

const schema = manifest.schema(z);

Deno.test("The Slack section has a default for every key", () => {
  assert.deepEqual(schema.parse({}), {
    enabled: false,
    allowFrom: [],
    mode: "socket",
    webhookPath: "/slack/events",
    userTokenReadOnly: true,
    botToken: "",
    appToken: "",
    replyInThread: true,
    reactEmoji: "eyes",
    doneEmoji: "white_check_mark",
    queuedEmoji: null,
    groupPolicy: "mention",
    groupAllowFrom: [],
    dm: { enabled: true, policy: "open", allowFrom: [] },
    streaming: true,
    apiUrl: "https://slack.com/api/",
  });
});

Deno.test.each([
  { section: {}, hosts: ["slack.com:443", "*.slack.com:443"] },
  {
    section: { apiUrl: "https://slack-gov.com/api" },
    hosts: ["slack-gov.com:443", "*.slack-gov.com:443"],
  },
  { section: { apiUrl: "http://127.0.0.1:8081/api/" }, hosts: ["127.0.0.1:8081"] },
])("The Slack Worker reaches $hosts and nothing else", ({ section, hosts }) => {
  assert.deepEqual(manifest.hosts(schema.parse(section)), hosts);
});

Deno.test.each([
  { section: {}, missing: [/botToken is missing/, /appToken is missing/] },
  { section: { botToken: "xoxp-1", appToken: "xapp-1" }, missing: [/begin with xoxb-/] },
  { section: { botToken: "xoxb-1", appToken: "xoxb-1" }, missing: [/begin with xapp-/] },
  { section: { botToken: " xoxb-1 ", appToken: "xapp-1" }, missing: [] },
])("The Slack section lacks tokens, case %#", ({ section, missing }) => {
  const lines = manifest.missing(schema.parse(section));
  assert.equal(lines.length, missing.length);
  for (const [index, pattern] of missing.entries()) assert.match(lines[index] ?? "", pattern);
});

Deno.test("The Slack section never shows a token in what it lacks", () => {
  const lines = manifest.missing(schema.parse({ botToken: "secret-1", appToken: "secret-2" }));
  assert.equal(lines.length, 2);
  assert.doesNotMatch(lines.join(" "), /secret/);
});

Deno.test("The Slack section takes emoji with and without colons, and none", () => {
  const { reactEmoji, doneEmoji } = schema.parse({ reactEmoji: ":tada:", doneEmoji: "" });
  assert.deepEqual([reactEmoji, doneEmoji], ["tada", null]);
});

Deno.test.each([
  { mode: "webhook" },
  { groupPolicy: "all" },
  { dm: { policy: "mention" } },
  { apiUrl: "nothing" },
  { apiUrl: "https://slack.com/api?x=1" },
])("The Slack section refuses %j", (section) => {
  assert.equal(schema.safeParse(section).success, false);
});

Deno.test("The Slack section says what mode there is", () => {
  const parsed = schema.safeParse({ mode: "webhook" });
  assert.match(parsed.error?.issues[0]?.message ?? "", /must be "socket"/);
});
