import assert from "node:assert/strict";
import { z } from "zod";
import { manifest } from "../../../channels/telegram/manifest.ts";

const schema = manifest.schema(z);

Deno.test("The Telegram section has a default for every key", () => {
  assert.deepEqual(schema.parse({}), {
    enabled: false,
    allowFrom: [],
    token: "",
    proxy: null,
    replyToMessage: false,
    reactEmoji: "👀",
    doneEmoji: null,
    queuedEmoji: null,
    groupPolicy: "mention",
    streaming: true,
    streamEditInterval: 0.6,
    toolHintPrefix: "🔧",
    apiRoot: "https://api.telegram.org",
  });
});

Deno.test.each([
  { section: {}, hosts: ["api.telegram.org:443"] },
  { section: { apiRoot: "http://127.0.0.1:8081/" }, hosts: ["127.0.0.1:8081"] },
  {
    section: { proxy: "socks5://10.0.0.1:1080" },
    hosts: ["api.telegram.org:443", "10.0.0.1:1080"],
  },
  { section: { proxy: "http://proxy.lan" }, hosts: ["api.telegram.org:443", "proxy.lan:80"] },
])("The Telegram Worker reaches $hosts and nothing else", ({ section, hosts }) => {
  assert.deepEqual(manifest.hosts(schema.parse(section)), hosts);
});

Deno.test.each([
  { section: { token: "" }, missing: /token is missing/ },
  { section: { token: "hello" }, missing: /no bot token/ },
])("The Telegram section lacks a token, case %#", ({ section, missing }) => {
  const [line = ""] = manifest.missing(schema.parse(section));
  assert.match(line, missing);
});

Deno.test("The Telegram section takes numbers as ids", () => {
  assert.deepEqual(schema.parse({ allowFrom: [1234, "alice"] }).allowFrom, ["1234", "alice"]);
});

Deno.test("The Telegram section passes over keys of nanobot's that nothing needs here", () => {
  const section = schema.parse({ connectionPoolSize: 32, poolTimeout: 5, replyToMessage: true });
  assert.equal(section.replyToMessage, true);
  assert.equal("connectionPoolSize" in section, false);
});

Deno.test.each([
  { streamEditInterval: 0 },
  { proxy: "ftp://a.b" },
  { apiRoot: "nothing" },
  { groupPolicy: "all" },
])("The Telegram section refuses %j", (section) => {
  assert.equal(schema.safeParse(section).success, false);
});
