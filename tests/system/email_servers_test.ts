import assert from "node:assert/strict";
import type { EmailSection } from "../../channels/email/mod.ts";
import { ALICE, Harness, mail } from "../channels/email/harness.ts";
import { headerValue } from "../simulators/email_server.ts";
import { ACCOUNT, MailServers, MAY_SERVE_MAIL } from "./mail_servers.ts";

/** The keys of a section for real servers. */
function sectionFor({ authority, ports }: MailServers): Partial<EmailSection> {
  return {
    imapHost: "localhost",
    imapPort: ports.imaps,
    imapUseSsl: true,
    imapPassword: ACCOUNT.password,
    smtpHost: "localhost",
    smtpPort: ports.submission,
    smtpUseTls: true,
    smtpPassword: ACCOUNT.password,
    caCertificates: authority,
  };
}

/** For the names of tests that cannot run here. */
const NOTE = MAY_SERVE_MAIL ? "" : " [skipped: Dovecot takes the rights of root]";

Deno.test({
  name: `E-mail reads and answers at real servers by TLS, and loses nothing over a restart${NOTE}`,
  ignore: !MAY_SERVE_MAIL,
  async fn() {
    await using servers = await MailServers.start();
    await servers.deliver(mail({ text: "from long ago" }));
    await using harness = await Harness.ready({ section: sectionFor(servers) });
    const { gateway } = harness;
    const has = (count: number): Promise<void> =>
      harness.pass(() => gateway.inbounds.length === count, `mail ${count}`);
    await harness.later(500);
    await servers.deliver(mail({ subject: "Lunch", id: "<one@example.net>", text: "When?" }));
    await has(1);
    const context = gateway.inbounds[0]?.context ?? {};
    const [id = ""] = await harness.deliver({ key: "turn:0", text: "At **noon**", context });
    assert.deepEqual(servers.relayed.map(({ to }) => to), [[ALICE]]);
    const answer = servers.relayed[0]?.bytes ?? new Uint8Array();
    assert.equal(headerValue(answer, "message-id"), id);
    assert.equal(headerValue(answer, "in-reply-to"), "<one@example.net>");
    await harness.stop();
    await servers.deliver(mail({ text: "meanwhile" }));
    await harness.restart();
    await has(2);
    assert.deepEqual(gateway.inbounds.map(({ content }) => content), [
      "[subject: Lunch]\nWhen?",
      "meanwhile",
    ]);
  },
});

Deno.test({
  name: `E-mail trusts no real server whose authority nobody named, and no wrong password${NOTE}`,
  ignore: !MAY_SERVE_MAIL,
  async fn() {
    await using servers = await MailServers.start();
    for (
      const wrong of [{ caCertificates: "" }, { imapPassword: "wrong" }, { smtpPassword: "no" }]
    ) {
      await using harness = await Harness.start({ section: { ...sectionFor(servers), ...wrong } });
      await assert.rejects(harness.ended, { code: "email_credentials" });
    }
  },
});
