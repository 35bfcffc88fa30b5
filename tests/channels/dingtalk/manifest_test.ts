import assert from "node:assert/strict";
import { z } from "zod";
import { isOwnAddress } from "../../../channels/dingtalk/hosts.ts";
import { manifest } from "../../../channels/dingtalk/manifest.ts";

const schema = manifest.schema(z);

Deno.test("DingTalk's section is off and lets nobody in by itself", () => {
  const section = schema.parse({});
  assert.partialDeepStrictEqual(section, { enabled: false, allowFrom: [], groupPolicy: "mention" });
  assert.equal(manifest.missing(section).length, 2);
});

Deno.test("DingTalk's Worker reaches the platform's hosts, or those of one's own alone", () => {
  assert.deepEqual(manifest.hosts(schema.parse({})), [
    "api.dingtalk.com:443",
    "oapi.dingtalk.com:443",
    "*.dingtalk.com:443",
    "*.aliyuncs.com:443",
  ]);
  const own = schema.parse({ apiBase: "http://10.0.0.1:8080/", oapiBase: "http://10.0.0.1:8080" });
  assert.deepEqual(manifest.hosts(own), ["10.0.0.1:8080"]);
});

Deno.test.each<readonly [string, boolean]>([
  ["https://api.dingtalk.com/x", true],
  ["wss://wss-open-connection.dingtalk.com/connect", true],
  ["https://bucket.oss-accelerate.aliyuncs.com/a", true],
  ["http://api.dingtalk.com/x", false],
  ["ws://a.dingtalk.com:443/x", false],
  ["https://dingtalk.com.evil.example/x", false],
  ["https://evildingtalk.com/x", false],
  ["https://user:word@api.dingtalk.com/x", false],
  ["https://api.dingtalk.com:8443/x", false],
  ["https://127.0.0.1/x", false],
  ["nonsense", false],
])("DingTalk's own addresses, %s: %s", (url, isOwn) => {
  assert.equal(isOwnAddress(url, manifest.hosts(schema.parse({}))), isOwn);
});
