import assert from "node:assert/strict";
import { z } from "zod";
import { isFileHost, manifest } from "../../../channels/qq/manifest.ts";

const schema = manifest.schema(z);
const section = schema.parse({ appId: 102000001, secret: " s " });

Deno.test("QQ's section has the defaults that people know", () => {
  assert.deepEqual(schema.parse({}), {
    enabled: false,
    allowFrom: [],
    appId: "",
    secret: "",
    msgFormat: "plain",
    ackMessage: "⏳ Processing...",
    downloadMaxBytes: 209_715_200,
    apiBase: "https://api.sgroup.qq.com",
    authBase: "https://bots.qq.com",
  });
});

Deno.test("QQ's section takes an AppID that is a number, and keys of others", () => {
  const parsed = schema.parse({ appId: 102, mediaDir: "/m", downloadChunkSize: 1_024 });
  assert.equal(parsed.appId, "102");
  assert.equal("mediaDir" in parsed, false);
});

Deno.test.each([
  { downloadMaxBytes: 1_024 },
  { msgFormat: "html" },
  { apiBase: "ftp://x" },
])("QQ's section refuses %o", (wrong) => {
  assert.equal(schema.safeParse(wrong).success, false);
});

Deno.test("QQ's section says what it lacks", () => {
  const lacks = manifest.missing(schema.parse({ appId: "abc" }));
  assert.match(lacks[0] ?? "", /appId is no AppID/);
  assert.match(lacks[1] ?? "", /secret is missing/);
  assert.deepEqual(manifest.missing(section), []);
});

Deno.test("QQ's Worker reaches QQ's hosts alone, or a server of one's own", () => {
  assert.deepEqual(manifest.hosts(section), ["*.qq.com:443", "*.qq.com.cn:443", "*.qpic.cn:443"]);
  const own = { ...section, apiBase: "http://127.0.0.1:81", authBase: "http://127.0.0.1:81" };
  assert.deepEqual(manifest.hosts(own), ["127.0.0.1:81"]);
});

Deno.test.each([
  ["https://multimedia.nt.qq.com.cn/download?x", true],
  ["https://gchat.qpic.cn/a", true],
  ["https://qq.com.evil.example/a", false],
  ["https://evilqq.com/a", false],
  ["https://127.0.0.1/a", false],
  ["http://multimedia.nt.qq.com.cn/a", false],
  ["file:///etc/passwd", false],
  ["", false],
])("QQ's files come from %s: %s", (address, isTaken) => {
  assert.equal(isFileHost(address, section), isTaken);
});
