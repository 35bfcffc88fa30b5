import assert from "node:assert/strict";
import { z } from "zod";
import { baseUrlOf, manifest } from "../../../channels/feishu/manifest.ts";

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
    toolHintPrefix: "🔧",
    replyToMessage: false,
    streaming: true,
    domain: "feishu",
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
