import assert from "node:assert/strict";
import { admit } from "../../../channels/email/receive/admission.ts";
import { parseHead } from "../../../channels/email/adapters/mail_parser.ts";
import { forgeryDoubt } from "../../../channels/email/receive/authentication.ts";
import { ALICE, Harness, mail } from "./harness.ts";

const OWN = "Authentication-Results: mx.example.org";
const RECEIVED = "Received: from x by mx.example.org; Mon, 30 Nov 2026 07:00:00 +0000";
const PASS = "dkim=pass header.d=example.net; spf=pass smtp.mailfrom=alice@example.net";

/** Why a mail with these lines on top is doubted, by the checks that are demanded. */
async function doubt(
  lines: readonly string[],
  { from = ALICE, verifyDkim = true, verifySpf = true }: {
    readonly from?: string;
    readonly verifyDkim?: boolean;
    readonly verifySpf?: boolean;
  } = {},
): Promise<string | null> {
  const text = [...lines, `From: ${from}`, "", ""].join("\r\n");
  const head = await parseHead(new TextEncoder().encode(text));
  return forgeryDoubt(head, { authServId: "mx.example.org", verifyDkim, verifySpf });
}

Deno.test.each<{ readonly name: string; readonly lines: readonly string[] }>([
  { name: "DMARC passed", lines: [`${OWN}; dmarc=pass header.from=example.net`, RECEIVED] },
  { name: "DKIM and SPF passed for the sender's domain", lines: [`${OWN}; ${PASS}`, RECEIVED] },
  { name: "the results stand below the own server's lines", lines: [RECEIVED, `${OWN}; ${PASS}`] },
  {
    name: "each check has a line of its own",
    lines: [
      `${OWN}; spf=pass smtp.mailfrom=example.net`,
      `${OWN}; dkim=pass header.d=example.net`,
      RECEIVED,
    ],
  },
  {
    name: "there are comments and a version",
    lines: [`${OWN} 1; dmarc=pass (p=NONE (or so); dis=NONE) header.from="example.net"`, RECEIVED],
  },
  {
    name: "DKIM names who signed by an address",
    lines: [`${OWN}; dkim=pass header.i=@example.net; spf=pass smtp.mailfrom=@example.net`],
  },
])("A mail is its sender's when $name", async ({ lines }) => {
  assert.equal(await doubt(lines), null);
});

Deno.test("A mail of a domain is its sender's when the domain above it stands for it", async () => {
  const lines = [`${OWN}; ${PASS}`, RECEIVED];
  assert.equal(await doubt(lines, { from: "alice@mail.example.net" }), null);
});

Deno.test.each<
  { readonly name: string; readonly lines: readonly string[]; readonly from?: string }
>([
  { name: "it carries no results", lines: [RECEIVED] },
  { name: "only SPF passed", lines: [`${OWN}; spf=pass smtp.mailfrom=example.net`, RECEIVED] },
  { name: "only DKIM passed", lines: [`${OWN}; dkim=pass header.d=example.net`, RECEIVED] },
  { name: "DMARC failed", lines: [`${OWN}; dmarc=fail header.from=example.net`, RECEIVED] },
  {
    name: "what passed was for another domain",
    lines: [`${OWN}; dkim=pass header.d=evil.com; spf=pass smtp.mailfrom=evil.com`, RECEIVED],
  },
  {
    name: "DMARC passed for another domain",
    lines: [`${OWN}; dmarc=pass header.from=evil.com`, RECEIVED],
  },
  {
    name: "the sender's domain is below the one that passed only by its letters",
    lines: [`${OWN}; dmarc=pass header.from=ample.net`, RECEIVED],
  },
  {
    name: "a domain below the sender's passed",
    lines: [`${OWN}; dmarc=pass header.from=evil.example.net`, RECEIVED],
  },
  {
    name: "it is signed by a top-level domain",
    lines: [`${OWN}; dmarc=pass header.from=net`, RECEIVED],
  },
  {
    name: "another server found so",
    lines: ["Authentication-Results: mx.evil.com; dmarc=pass header.from=example.net", RECEIVED],
  },
  {
    name: "it brought a forged line in the own server's name along",
    lines: [
      `${OWN}; dmarc=fail header.from=example.net`,
      RECEIVED,
      `${OWN}; dmarc=pass header.from=example.net`,
    ],
  },
  {
    name: "the forged line follows the own server's at once",
    lines: [RECEIVED, `${OWN}; dmarc=none`, `${OWN}; dmarc=pass header.from=example.net`],
  },
  {
    name: "a pass stands in a comment",
    lines: [`${OWN}; dmarc=fail (dmarc=pass header.from=example.net)`, RECEIVED],
  },
  {
    name: "a pass hides in a quoted word",
    lines: [`${OWN}; dmarc=fail reason="x; dmarc=pass header.from=example.net"`, RECEIVED],
  },
])("A mail is doubted when $name", async ({ lines, ...options }) => {
  assert.notEqual(await doubt(lines, options), null);
});

Deno.test("A mail is not doubted when nothing is demanded, and only by what is", async () => {
  assert.equal(await doubt([], { verifyDkim: false, verifySpf: false }), null);
  const signed = [`${OWN}; dkim=pass header.d=example.net`, RECEIVED];
  assert.equal(await doubt(signed, { verifySpf: false }), null);
  assert.match(await doubt(signed, { verifyDkim: false }) ?? "", /SPF/);
});

Deno.test("Nobody is let in by a list entry that only looks like them", async () => {
  const head = await parseHead(
    new TextEncoder().encode("From: attacker|alice@example.net\r\n\r\n"),
  );
  const rules = {
    ownAddresses: new Set<string>(),
    allowFrom: [ALICE],
    authServId: null,
    verifyDkim: false,
    verifySpf: false,
  };
  assert.equal(admit(head, rules).verdict, "stranger");
});

Deno.test("E-mail does not fetch a forged mail, nor mark it seen", async () => {
  await using harness = await Harness.ready();
  const { effects } = harness.platform;
  await harness.receive({ top: `Authentication-Results: mx.evil.com; dmarc=pass\n` });
  assert.deepEqual(harness.gateway.inbounds, []);
  assert.equal(harness.platform.effects, effects);
});

Deno.test("E-mail learns by what name its server signs from the mails that are there", async () => {
  await using harness = await Harness.start({ section: { authServId: "" } });
  for (let count = 0; count < 5; count++) {
    harness.platform.deliver(mail({ from: `somebody@domain${count}.example` }));
  }
  await harness.isReady();
  assert.deepEqual(await harness.receive({ text: "hello" }), ["hello"]);
  await harness.restart();
  assert.deepEqual(await harness.receive({ text: "again" }), ["hello", "again"]);
});

Deno.test.each([
  { name: "its server signs nothing", tops: ["", "", "", ""] },
  {
    name: "one domain alone writes it",
    tops: Array.from({ length: 5 }, () => "Authentication-Results: evil.com; dmarc=pass\n"),
  },
])("E-mail trusts no name when $name", async ({ tops }) => {
  await using harness = await Harness.start({ section: { authServId: "" } });
  for (const top of tops) harness.platform.deliver(mail({ from: "x@evil.com", top }));
  await harness.isReady();
  await harness.receive({
    top: "Authentication-Results: evil.com; dmarc=pass header.from=example.net\n",
  });
  assert.deepEqual(harness.gateway.inbounds, []);
});
