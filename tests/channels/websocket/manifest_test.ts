import assert from "node:assert/strict";
import { z } from "zod";
import { manifest } from "../../../channels/websocket/manifest.ts";

const schema = manifest.schema(z);

Deno.test("A WebSocket section is off, local, streaming and open by default", () => {
  assert.partialDeepStrictEqual(schema.parse({}), {
    enabled: false,
    host: "127.0.0.1",
    port: 8765,
    path: "/",
    streaming: true,
    allowFrom: ["*"],
    tokenIssuePath: "",
    websocketRequiresToken: true,
  });
  assert.deepEqual(manifest.hosts(schema.parse({})), ["127.0.0.1:8765"]);
});

Deno.test.each([
  { path: "ws" },
  { tokenIssuePath: "auth" },
  { path: "/ws", tokenIssuePath: "/ws/" },
  { tokenIssuePath: "/" },
  { sslCertfile: "/cert.pem" },
  { sslKeyfile: "/key.pem" },
  { tokenTtlS: 29 },
  { maxMessageBytes: 1_023 },
  { maxMessageBytes: 16_777_217 },
  { pingIntervalS: 4 },
  { maxConnections: 0 },
  { port: 65_536 },
])("A WebSocket section is refused with %o", (section) => {
  assert.equal(schema.safeParse(section).success, false);
});

Deno.test("Paths are taken without slashes at their end", () => {
  const { path, tokenIssuePath } = schema.parse({ path: "/ws//", tokenIssuePath: "/auth/" });
  assert.deepEqual([path, tokenIssuePath], ["/ws", "/auth"]);
});

Deno.test.each<[Readonly<Record<string, unknown>>, boolean]>([
  [{}, true],
  [{ host: "::1" }, true],
  [{ host: "localhost", websocketRequiresToken: false }, true],
  [{ host: "0.0.0.0" }, false],
  [{ host: "0.0.0.0", websocketRequiresToken: false }, false],
  [{ host: "0.0.0.0", tokenIssuePath: "/auth" }, false],
  [{ host: "0.0.0.0", tokenIssuePath: "/auth", tokenIssueSecret: "s" }, true],
  [
    {
      host: "::",
      tokenIssuePath: "/auth",
      tokenIssueSecret: "s",
      websocketRequiresToken: false,
    },
    false,
  ],
  [{ host: "192.168.1.2", token: "t" }, true],
])("A section %o is complete: %s", (section, isComplete) => {
  assert.equal(manifest.missing(schema.parse(section)).length === 0, isComplete);
});

Deno.test("A Worker may read the certificate besides, and an IPv6 address stands in brackets", () => {
  const section = schema.parse({ host: "::1", sslCertfile: "/c.pem", sslKeyfile: "/k.pem" });
  assert.deepEqual(manifest.reads?.(section), ["/c.pem", "/k.pem"]);
  assert.deepEqual(manifest.hosts(section), ["[::1]:8765"]);
});
