import assert from "node:assert/strict";
import { z } from "zod";
import { systemClock } from "../../actors/kernel/adapters/system_clock.ts";
import { BOT, EmailPlatform, headerValue } from "../simulators/email_server.ts";
import { ModelServer, say } from "../simulators/model_server.ts";
import {
  GatewayHome,
  GatewayProcess,
  type GatewayProcessOptions,
  runTroupe,
  writeConfig,
} from "../support/gateway_process.ts";
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
  await using model = await ModelServer.start(() => say("It will ", "rain."));
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
  assert.equal(headerValue(bytes, "subject"), "Re: The weather");
  assert.equal(headerValue(bytes, "in-reply-to"), "<one@example.net>");
});
