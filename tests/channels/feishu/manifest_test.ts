import assert from "node:assert/strict";
import { z } from "zod";
import { baseUrlOf, manifest } from "../../../channels/feishu/manifest.ts";
import { instancesOf } from "../../../channels/manifest.ts";

const schema = manifest.schema(z);
const APP = { appId: "cli_0123456789abcdef", appSecret: "secret" };

Deno.test("The Feishu section has a default for every key", () => {
  assert.deepEqual(schema.parse({}), {
    enabled: false,
    allowFrom: [],
    appId: "",
    appSecret: "",
    encryptKey: "",
    verificationToken: "",
    groupPolicy: "mention",
    reactEmoji: "THUMBSUP",
    doneEmoji: null,
    queuedEmoji: null,
    toolHintPrefix: "🔧",
    showReasoning: false,
    topicIsolation: true,
    replyToMessage: false,
    streaming: true,
    domain: "feishu",
    instances: [],
  });
});

Deno.test.each([{ reactEmoji: "" }, { reactEmoji: "  " }, { reactEmoji: null }])(
  "The Feishu section takes %j as no reaction",
  (section) => assert.equal(schema.parse(section).reactEmoji, null),
);

Deno.test.each(["feishu", "lark", "https://open.example.com", "http://127.0.0.1:8080/"])(
  "The Feishu section takes %s as a domain",
  (domain) => assert.equal(schema.parse({ domain }).domain, domain),
);

Deno.test.each(["", "dingtalk", "ftp://a.io", "https://a.io/path", "https://u:p@a.io"])(
  "The Feishu section refuses the domain %j",
  (domain) => assert.equal(schema.safeParse({ domain }).success, false),
);

Deno.test.each([
  { domain: "feishu", hosts: ["open.feishu.cn:443", "msg-frontier.feishu.cn:443"] },
  { domain: "http://127.0.0.1:8080", hosts: ["127.0.0.1:8080"] },
  { domain: "https://open.example.com", hosts: ["open.example.com:443"] },
  { domain: "http://open.example.com", hosts: ["open.example.com:80"] },
])("The Feishu channel reaches $hosts for $domain", ({ domain, hosts }) => {
  assert.deepEqual(manifest.hosts(schema.parse({ domain })), hosts);
});

Deno.test("The Feishu channel reaches only larksuite.com for lark", () => {
  const hosts = manifest.hosts(schema.parse({ domain: "lark" }));
  assert.ok(hosts.includes("open.larksuite.com:443"));
  assert.ok(hosts.every((host) => host.endsWith(".larksuite.com:443")));
});

Deno.test("The Feishu channel names what is missing", () => {
  const missing = (section: object) => manifest.missing(schema.parse(section)).join("\n");
  assert.match(missing({}), /channels\.feishu\.appId.*\n.*channels\.feishu\.appSecret/);
  assert.match(missing({ ...APP, appId: "cli_short" }), /"cli_short".*16 hex digits/);
  assert.equal(missing(APP), "");
});

Deno.test.each([
  { domain: "feishu", url: "https://open.feishu.cn" },
  { domain: "lark", url: "https://open.larksuite.com" },
  { domain: "http://127.0.0.1:8080/", url: "http://127.0.0.1:8080" },
])("baseUrlOf gives $url for $domain", ({ domain, url }) => {
  assert.equal(baseUrlOf(domain), url);
});

const OTHER = "cli_fedcba9876543210";

function botsOf(section: unknown) {
  return instancesOf(manifest, schema.parse(section));
}

Deno.test("A Feishu section is one bot under the channel's name", () => {
  const [bot, ...others] = botsOf(APP);
  assert.deepEqual(others, []);
  assert.equal(bot?.name, "feishu");
  assert.equal(bot?.section.appId, APP.appId);
});

Deno.test("Feishu instances inherit the common keys and nothing of the credentials", () => {
  const section = {
    ...APP,
    encryptKey: "key",
    allowFrom: ["ou_1"],
    groupPolicy: "open",
    doneEmoji: "OK",
    instances: [{ id: "work", appId: OTHER, appSecret: "s2", doneEmoji: null, domain: "lark" }],
  };
  const [, work] = botsOf(section);
  assert.equal(work?.name, "feishu.work");
  assert.partialDeepStrictEqual(work?.section, {
    appId: OTHER,
    appSecret: "s2",
    encryptKey: "",
    allowFrom: ["ou_1"],
    groupPolicy: "open",
    reactEmoji: "THUMBSUP",
    doneEmoji: null,
    domain: "lark",
    instances: [],
  });
  assert.deepEqual(schema.parse(work?.section), work?.section);
});

Deno.test("Feishu keys that all bots share are no bot of their own", () => {
  const instances = [
    { id: "default", ...APP },
    { id: "off", appId: OTHER, appSecret: "s", enabled: false },
  ];
  assert.deepEqual(botsOf({ allowFrom: ["*"], instances }).map(({ name }) => name), ["feishu"]);
});

Deno.test("Feishu skips a second bot with the same app, or the same id, and says which", () => {
  const instances = [
    { id: "same", ...APP },
    { id: "twice", appId: OTHER, appSecret: "s" },
    { id: "twice", appId: "cli_1111111111111111", appSecret: "s" },
  ];
  assert.deepEqual(botsOf({ ...APP, instances }).map(({ skipped }) => skipped), [
    null,
    "channels.feishu.instances[0] is skipped: channels.feishu has the same app",
    null,
    "channels.feishu.instances[2] is skipped: channels.feishu.instances[1] has the same id",
  ]);
});

Deno.test("Feishu names what an instance lacks by its place", () => {
  const section = schema.parse({ ...APP, instances: [{ id: "work", appId: "cli_x" }] });
  assert.deepEqual(manifest.missing(section), [
    'channels.feishu.instances[0].appId is "cli_x": an App ID is cli_ followed by 16 hex digits',
    "channels.feishu.instances[0].appSecret is missing: copy the App Secret from the developer console",
  ]);
});

Deno.test.each(["", "a b", "a/b", "a.b", "ü"])("Feishu refuses the instance id %j", (id) => {
  assert.equal(schema.safeParse({ instances: [{ id, ...APP }] }).success, false);
});
