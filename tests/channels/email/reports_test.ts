import assert from "node:assert/strict";
import { Harness } from "./harness.ts";

/** A report that the mail of this id did not arrive, as mail servers write it. */
function report(id: string, action = "failed"): string {
  return `Return-Path: <>\nFrom: MAILER-DAEMON@mx.example.org (Mail Delivery System)\n` +
    `To: bot@example.org\nSubject: Undelivered Mail Returned to Sender\n` +
    `Auto-Submitted: auto-replied\nMIME-Version: 1.0\nMessage-ID: <r@mx.example.org>\n` +
    `Content-Type: multipart/report; report-type=delivery-status; boundary="b"\n\n` +
    `--b\nContent-Type: text/plain\n\nI'm sorry to have to inform you\n` +
    `--b\nContent-Type: message/delivery-status\n\nReporting-MTA: dns; mx.example.org\n\n` +
    `Final-Recipient: rfc822; bob@example.net\nAction: ${action}\nStatus: 5.1.1\n` +
    `Diagnostic-Code: smtp; 550 5.1.1 <bob@example.net>: Recipient\n    address rejected\n\n` +
    `--b\nContent-Type: message/rfc822\n\nFrom: bot@example.org\nTo: bob@example.net\n` +
    `Subject: The build\nMessage-ID: ${id}\n\nThe build is red\n--b--\n`;
}

Deno.test("E-mail tells the owners of a mail that did not arrive, and answers no report", async () => {
  await using harness = await Harness.ready();
  const [id = ""] = await harness.deliver({ key: "turn:0", text: "The build is red" });
  await harness.receive(report(id));
  assert.deepEqual(harness.gateway.inbounds, []);
  assert.deepEqual(harness.gateway.notices, [
    'The mail "The build" to bob@example.net was sent, but did not arrive: ' +
    "550 5.1.1 <bob@example.net>: Recipient address rejected",
  ]);
});

Deno.test.each([
  { name: "about a mail of somebody else's", id: "<x@y.z>" },
  { name: "about a delay", id: null, action: "delayed" },
])("E-mail tells nobody of a report $name", async ({ id, action = "failed" }) => {
  await using harness = await Harness.ready();
  const [own = ""] = await harness.deliver({ key: "turn:0", text: "The build is red" });
  await harness.receive(report(id ?? own, action));
  assert.deepEqual(harness.gateway.notices, []);
  assert.deepEqual(harness.gateway.inbounds, []);
});

Deno.test("E-mail sends no notice about a notice that did not arrive", async () => {
  await using harness = await Harness.ready();
  const [id = ""] = await harness.deliver({ key: "notice:1:0", text: "Something is wrong" });
  await harness.receive(report(id));
  assert.deepEqual(harness.gateway.notices, []);
});
