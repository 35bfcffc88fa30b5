import assert from "node:assert/strict";
import { z } from "zod";
import { systemClock } from "../../actors/kernel/adapters/system_clock.ts";
import { BOT, EmailPlatform, headerValue } from "../simulators/email_server.ts";
import { callTool, ModelServer, say } from "../simulators/model_server.ts";
import {
  configFor,
  GatewayHome,
  GatewayProcess,
  type GatewayProcessOptions,
  runTroupe,
  writeConfig,
} from "../support/gateway_process.ts";
import { startInProcess } from "../support/gateway_in_process.ts";
import { until } from "../support/until.ts";

const ALICE = "alice@example.net";
const MAIL = `Authentication-Results: mx.example.org; dmarc=pass header.from=example.net
Received: from mail.example.net by mx.example.org; Mon, 30 Nov 2026 07:00:00 +0000
From: Alice <${ALICE}>
To: ${BOT}
Subject: The weather
Message-ID: <one@example.net>
Content-Type: text/html; charset=utf-8

<p>Will it <b>rain</b>?</p>
`;

Deno.test("E-mail is answered by a gateway that has the printed rights and no others", async () => {
  await using platform = new EmailPlatform({ clock: systemClock });
  // Nobody wants a mail for each word on the way.
  const looking = callTool("list_dir", { path: "." }, { text: "Let me look first." });
  await using model = await ModelServer.start([looking, say("It will ", "rain.")]);
  await using home = await GatewayHome.make();
  const { password, servers } = platform;
  const email = {
    ...servers,
    // By name, as real servers are reached: looking a name up needs a right as well.
    imapHost: "localhost",
    smtpHost: "localhost",
    enabled: true,
    consentGranted: true,
    imapUsername: BOT,
    imapPassword: password,
    imapUseSsl: false,
    smtpUsername: BOT,
    smtpPassword: password,
    smtpUseTls: false,
    allowFrom: [ALICE],
    authServId: "mx.example.org",
  };
  const options: GatewayProcessOptions = {
    model,
    config: { channels: { email }, tools: { exec: { sandbox: "virtual" } } },
  };
  await writeConfig(home, options);
  const { code, stdout, stderr } = await runTroupe(["permissions", "--json"], home.path);
  assert.equal(code, 0, stderr);
  const { command } = z.object({ command: z.array(z.string()) }).parse(JSON.parse(stdout));
  const program = command.slice(0, -1);
  await using gateway = await GatewayProcess.start(home, { ...options, program });
  await until(() => gateway.output.includes("tells of new mails"), {
    timeoutMs: 30_000,
    what: "the mailbox is read",
  });
  platform.deliver(MAIL);
  await until(() => platform.posted.length === 1, {
    timeoutMs: 30_000,
    what: `an answer (${gateway.output})`,
  });
  const [{ to, bytes } = { to: [], bytes: new Uint8Array() }] = platform.posted;
  assert.deepEqual(to, [ALICE]);
  assert.match(new TextDecoder().decode(bytes), /It will rain\./);
  assert.equal(headerValue(bytes, "subject"), "Re: The weather");
  assert.equal(headerValue(bytes, "in-reply-to"), "<one@example.net>");
});

Deno.test("Owners hear over their own channel of an answer by mail that did not arrive", async () => {
  await using platform = new EmailPlatform({ clock: systemClock });
  await using model = await ModelServer.start(() => say("It will ", "rain."));
  await using home = await GatewayHome.make();
  const { password, servers } = platform;
  const email = {
    ...{ ...servers, enabled: true, consentGranted: true, authServId: "mx.example.org" },
    ...{ imapUsername: BOT, imapPassword: password, imapUseSsl: false },
    ...{ smtpUsername: BOT, smtpPassword: password, smtpUseTls: false, allowFrom: [ALICE] },
  };
  const config = configFor({ model, config: { channels: { email }, owners: ["probe:boss"] } });
  await using running = await startInProcess(home, config);
  await until(async () => (await running.gateway.health()).channels["email"]?.state === "ready", {
    timeoutMs: 30_000,
    what: "the mailbox is read",
  });
  platform.deliver(MAIL);
  await until(() => platform.posted.length === 1, { timeoutMs: 30_000, what: "an answer" });
  const id = headerValue(platform.posted[0]?.bytes ?? new Uint8Array(), "message-id");
  platform.deliver(
    `Return-Path: <>\nFrom: MAILER-DAEMON@mx.example.org\nTo: ${BOT}\n` +
      `Subject: Undelivered Mail\nMIME-Version: 1.0\nMessage-ID: <r@mx.example.org>\n` +
      `Content-Type: multipart/report; report-type=delivery-status; boundary="b"\n\n` +
      `--b\nContent-Type: message/delivery-status\n\nReporting-MTA: dns; mx.example.org\n\n` +
      `Final-Recipient: rfc822; ${ALICE}\nAction: failed\nStatus: 5.1.1\n` +
      `Diagnostic-Code: smtp; 550 no such mailbox\n\n` +
      `--b\nContent-Type: message/rfc822\n\nFrom: ${BOT}\nTo: ${ALICE}\n` +
      `Subject: Re: The weather\nMessage-ID: ${id}\n\nIt will rain.\n--b--\n`,
  );
  const { probe } = running;
  await until(() => probe.textsOf("boss").length > 0, { timeoutMs: 30_000, what: "a notice" });
  assert.match(probe.textsOf("boss").join(), /"Re: The weather" to alice@.*550 no such mailbox/s);
  assert.equal(platform.posted.length, 1, "the report itself is answered by nobody");
});
