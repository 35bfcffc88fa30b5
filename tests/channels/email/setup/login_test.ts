import assert from "node:assert/strict";
import { setup } from "../../../../channels/email/setup/mod.ts";
import { BOT, EmailPlatform } from "../../../simulators/email_server.ts";
import { ManualClock } from "../../../support/manual_clock.ts";
import { checkStates, Desk } from "../../../support/setup_desk.ts";
import { mail } from "../harness.ts";

/** A person at a terminal, and a provider on this machine. */
function openDesk(): Desk<EmailPlatform> {
  const clock = new ManualClock();
  const platform = new EmailPlatform({ clock });
  const section = {
    ...platform.servers,
    imapUsername: BOT,
    imapUseSsl: false,
    smtpUsername: BOT,
    smtpUseTls: false,
  };
  return new Desk({ setup, clock, platform, section, given: {} });
}

Deno.test("E-mail login asks for what is missing, signs in to both servers, and saves it", async () => {
  await using desk = openDesk();
  for (let count = 0; count < 4; count++) {
    desk.platform.deliver(mail({ from: `x@domain${count}.example` }));
  }
  desk.answers.push("y", "", "", "", desk.platform.password, "y", "Me@Example.net", "y");
  const report = await desk.login({ isInteractive: true });
  assert.equal(report.isReady, true);
  assert.deepEqual(checkStates(report), [
    "ok reading mail (IMAP)",
    "ok sending mail (SMTP)",
    "ok checks of senders",
  ]);
  const saved = Object.assign({}, ...desk.saved);
  assert.partialDeepStrictEqual(saved, {
    enabled: true,
    consentGranted: true,
    imapPassword: desk.platform.password,
    smtpPassword: desk.platform.password,
    authServId: "mx.example.org",
    allowFrom: ["me@example.net"],
  });
});

Deno.test("E-mail login saves nothing when the password is wrong", async () => {
  await using desk = openDesk();
  desk.answers.push("y", "", "", "", "wrong");
  await assert.rejects(desk.login({ isInteractive: true }), { code: "setup_refused" });
  assert.deepEqual(desk.saved, []);
});

Deno.test("E-mail login saves nothing when nobody agrees", async () => {
  await using desk = openDesk();
  desk.answers.push("n");
  await assert.rejects(desk.login({ isInteractive: true }), { code: "setup_incomplete" });
  assert.deepEqual(desk.saved, []);
});

Deno.test("E-mail login asks nobody who is not there", async () => {
  await using desk = openDesk();
  await assert.rejects(desk.login(), { code: "setup_incomplete" });
});

Deno.test("E-mail login says that it cannot reach the servers", async () => {
  await using desk = openDesk();
  const { password } = desk.platform;
  const whole = { consentGranted: true, imapPassword: password, smtpPassword: password };
  desk.section = { ...desk.section, ...whole };
  desk.platform.goOffline();
  await assert.rejects(desk.login(), { code: "setup_unreachable" });
});
