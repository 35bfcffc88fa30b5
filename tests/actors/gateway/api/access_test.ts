import assert from "node:assert/strict";
import {
  type AccessRules,
  checkAccess,
  crossOriginHeaders,
  senderOf,
} from "../../../../actors/gateway/api/access.ts";
import { sessionKeyFor } from "../../../../actors/gateway/api/conversations.ts";
import { isSameSecret } from "../../../../actors/kernel/same_secret.ts";

const OPEN: AccessRules = { host: "127.0.0.1", apiKey: "", apiKeys: {}, allowOrigins: [] };

function requestWith(headers: Readonly<Record<string, string>>): Request {
  return new Request("http://127.0.0.1:8900/v1/models", { headers });
}

Deno.test.each(["0.0.0.0", "::", "192.168.1.2", "example.org"])(
  "The API does not open at %s without a key",
  (host) => {
    assert.throws(() => checkAccess({ ...OPEN, host }), { code: "api_unprotected", exitCode: 2 });
    checkAccess({ ...OPEN, host, apiKey: "k" });
    checkAccess({ ...OPEN, host, apiKeys: { phone: "k" } });
  },
);

Deno.test.each(["127.0.0.1", "127.1.2.3", "::1", "localhost"])(
  "The API opens at %s without a key",
  (host) => checkAccess({ ...OPEN, host }),
);

Deno.test("A key lets its holder in by name, and nothing else does", () => {
  const rules = { ...OPEN, apiKey: "one", apiKeys: { phone: "two" } };
  assert.equal(senderOf(requestWith({ authorization: "Bearer one" }), rules), "user");
  assert.equal(senderOf(requestWith({ authorization: "bearer two" }), rules), "phone");
  const wrong = [
    {},
    ...["Bearer three", "Bearer ", "one", "Basic one"].map((authorization) => ({ authorization })),
  ];
  for (const headers of wrong) {
    assert.throws(() => senderOf(requestWith(headers), rules), { code: "invalid_api_key" });
  }
  assert.equal(senderOf(requestWith({ authorization: "Bearer any" }), OPEN), "user");
});

Deno.test("A page in a browser comes in only from an origin that is named", () => {
  const page = requestWith({ origin: "https://evil.example" });
  assert.throws(() => senderOf(page, OPEN), { code: "origin_not_allowed" });
  assert.deepEqual(crossOriginHeaders(page, OPEN), {});
  const rules = { ...OPEN, allowOrigins: ["https://evil.example"] };
  assert.equal(senderOf(page, rules), "user");
  const headers = crossOriginHeaders(page, rules);
  assert.equal(headers["access-control-allow-origin"], "https://evil.example");
});

Deno.test("Secrets are the same only whole", () => {
  assert.ok(isSameSecret("secret", "secret"));
  for (const given of ["", "secre", "secrets", "Secret"]) assert.ok(!isSameSecret(given, "secret"));
});

Deno.test("Conversations have their holders' names, and no control characters", () => {
  const key = (sender: string, session: string | null, isUnified = false) =>
    sessionKeyFor({ sender, session }, isUnified);
  assert.equal(key("user", null), "api:default");
  assert.equal(key("user", " work "), "api:work");
  assert.equal(key("phone", "work"), "api:phone/work");
  assert.equal(key("phone", null), "api:phone/default");
  assert.equal(key("user", null, true), "unified:default");
  assert.equal(key("user", "work", true), "api:work");
  for (const session of ["a\nb", "a\u0000", "x".repeat(201)]) {
    assert.throws(() => key("user", session), { code: "invalid_request" });
  }
});
