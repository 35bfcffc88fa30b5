import assert from "node:assert/strict";
import { startTlsServer } from "../../support/tls_server.ts";
import { Harness } from "./harness.ts";

Deno.test.each([
  { section: { imapPassword: "wrong" }, reason: /Authentication failed.*app password/ },
  { section: { smtpPassword: "wrong" }, reason: /not accepted.*app password/ },
  { section: { imapMailbox: "Nowhere" }, reason: /Mailbox doesn't exist.*imapMailbox/ },
  { section: { consentGranted: false }, reason: /consentGranted is false/ },
])("E-mail ends with a clear line under $section", async ({ section, reason }) => {
  await using harness = await Harness.start({ section });
  await assert.rejects(harness.ended, {
    code: "email_credentials",
    recovery: "give_up",
    message: reason,
  });
  assert.equal(harness.gateway.states.at(-1)?.state, "failed");
  assert.deepEqual(harness.platform.posted, []);
});

Deno.test("E-mail believes only after a while that a password that worked is wrong", async () => {
  await using harness = await Harness.ready();
  const { platform, gateway } = harness;
  const denial = "[AUTHENTICATIONFAILED] Authentication failed.";
  for (let count = 0; count < 2; count++) platform.refuse(/^(LOGIN|AUTHENTICATE)/, denial);
  platform.cutAll();
  await harness.pass(() => gateway.states.at(-1)?.state === "reconnecting", "the loss");
  await harness.isReady();
  for (let count = 0; count < 3; count++) platform.refuse(/^(LOGIN|AUTHENTICATE)/, denial);
  platform.cutAll();
  await harness.pass(() => gateway.states.at(-1)?.state === "failed", "the end");
  await assert.rejects(harness.ended, { code: "email_credentials" });
});

Deno.test("E-mail tries again when the server is busy, even where it signs in", async () => {
  await using harness = await Harness.start();
  harness.platform.refuse(
    /^(LOGIN|AUTHENTICATE)/,
    "[UNAVAILABLE] Temporary authentication failure",
  );
  await assert.doesNotReject(harness.isReady());
});

Deno.test("E-mail trusts no certificate that nobody vouches for, and sends no password there", async () => {
  await using server = startTlsServer();
  const section = { imapHost: "127.0.0.1", imapPort: server.port, imapUseSsl: true };
  await using harness = await Harness.start({ section });
  await assert.rejects(harness.ended, { code: "email_credentials" });
  assert.match(harness.gateway.states.at(-1)?.detail ?? "", /certificate|UnknownIssuer/i);
});

Deno.test("E-mail sends no password to a server that has no TLS where it is demanded", async () => {
  await using harness = await Harness.start({ section: { smtpUseTls: true } });
  await assert.rejects(harness.ended, { code: "email_credentials", message: /TLS/ });
  assert.deepEqual(harness.platform.commands, []);
});

Deno.test("E-mail reads though its other server cannot be reached yet", async () => {
  await using harness = await Harness.ready({ section: { smtpPort: 1 } });
  assert.deepEqual(await harness.receive({ text: "hello" }), ["hello"]);
  await assert.rejects(harness.deliver({ key: "turn:0", text: "Yes" }), {
    code: "delivery_transient",
  });
});
