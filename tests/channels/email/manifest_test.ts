import assert from "node:assert/strict";
import { z } from "zod";
import { addressOf, manifest } from "../../../channels/email/manifest.ts";

const schema = manifest.schema(z);
const WHOLE = {
  consentGranted: true,
  imapHost: "imap.example.org",
  imapUsername: "bot@example.org",
  imapPassword: "secret",
  smtpHost: "smtp.example.org",
  smtpUsername: "bot@example.org",
  smtpPassword: "secret",
};

Deno.test("The e-mail Worker reaches its two servers and nothing else", () => {
  const section = schema.parse({ ...WHOLE, smtpHost: "2001:db8::1", smtpPort: 465 });
  assert.deepEqual(manifest.hosts(section), ["imap.example.org:993", "[2001:db8::1]:465"]);
});

Deno.test("A whole e-mail section lacks nothing", () => {
  assert.deepEqual(manifest.missing(schema.parse(WHOLE)), []);
});

Deno.test.each([
  ...Object.keys(WHOLE).map((key) => ({ key, value: key === "consentGranted" ? false : "" })),
  { key: "smtpUseTls", value: false },
])("An e-mail section needs $key", ({ key, value }) => {
  const [line = ""] = manifest.missing(schema.parse({ ...WHOLE, [key]: value }));
  assert.match(line, new RegExp(`channels\\.email\\.${key}`));
});

Deno.test("The e-mail section takes addresses in any case", () => {
  assert.deepEqual(schema.parse({ allowFrom: ["Alice@Example.NET "] }).allowFrom, [
    "alice@example.net",
  ]);
  assert.equal(addressOf(schema.parse({ ...WHOLE, fromAddress: "Bot@X.org" })), "bot@x.org");
});

Deno.test.each([{ pollIntervalSeconds: 4 }, { imapPort: 0 }, { sessionPer: "day" }])(
  "The e-mail section refuses %j",
  (section) => {
    assert.equal(schema.safeParse(section).success, false);
  },
);
