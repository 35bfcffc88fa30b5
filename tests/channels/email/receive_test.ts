import assert from "node:assert/strict";
import { ALICE, Harness, mail } from "./harness.ts";

const OTHER = "carol@example.com";

Deno.test("E-mail hands a mail in with its ids, and marks it seen after that", async () => {
  await using harness = await Harness.ready();
  const texts = await harness.receive({ id: "<one@mail.example>", subject: "Lunch", text: "Hi" });
  assert.deepEqual(texts, ["[subject: Lunch]\nHi"]);
  assert.partialDeepStrictEqual(harness.gateway.inbounds[0], {
    platformId: "<one@mail.example>",
    chatId: ALICE,
    senderId: ALICE,
  });
  assert.deepEqual([...harness.platform.inbox.mails[0]?.flags ?? []], ["\\Seen"]);
});

Deno.test("E-mail marks nothing seen where it shall not, and hands a mail in once all the same", async () => {
  await using harness = await Harness.ready({ section: { markSeen: false } });
  await harness.receive({ text: "hello" });
  await harness.restart();
  assert.deepEqual(await harness.receive({ text: "bye" }), ["hello", "bye"]);
  assert.deepEqual(harness.platform.inbox.mails.flatMap(({ flags }) => [...flags]), []);
});

Deno.test("E-mail leaves the mails alone that were there before its first start", async () => {
  await using harness = await Harness.start();
  harness.platform.deliver(mail({ text: "from long ago" }));
  await harness.isReady();
  assert.deepEqual(await harness.receive({ text: "new" }), ["new"]);
});

Deno.test("E-mail fetches a mail again that the gateway refused, and marks it seen only then", async () => {
  await using harness = await Harness.ready();
  harness.gateway.answers.push("refused");
  harness.platform.deliver(mail({ text: "hello" }));
  await harness.pass(() => harness.gateway.answers.length === 0, "the refusal");
  assert.deepEqual(harness.platform.inbox.mails.flatMap(({ flags }) => [...flags]), []);
  await harness.isRead();
  assert.equal(harness.gateway.inbounds.length, 1);
  assert.deepEqual(harness.platform.inbox.mails.flatMap(({ flags }) => [...flags]), ["\\Seen"]);
});

Deno.test("E-mail goes on behind a mail during which the connection broke", async () => {
  await using harness = await Harness.ready();
  const { platform } = harness;
  const gate = Promise.withResolvers<void>();
  harness.gateway.gate = gate.promise;
  platform.deliver(mail({ text: "one" }));
  platform.deliver(mail({ text: "two" }));
  await harness.pass(() => platform.effects > 0, "the first mail is fetched");
  platform.cutAll();
  gate.resolve();
  await harness.isRead();
  assert.deepEqual(harness.gateway.inbounds.map(({ content }) => content), ["one", "two"]);
});

Deno.test("E-mail finds what is new by time and id when the mailbox was numbered anew", async () => {
  await using harness = await Harness.ready();
  const { platform, clock } = harness;
  await harness.receive({ text: "one" });
  await harness.receive({ text: "two" });
  await harness.stop();
  await clock.advance(60_000);
  platform.deliver(mail({ text: "meanwhile" }));
  platform.inbox.mails.shift();
  platform.inbox.renumber();
  await harness.restart();
  assert.deepEqual(await harness.receive({ text: "after" }), ["one", "two", "meanwhile", "after"]);
});

Deno.test("E-mail asks a server that does not tell of new mails, as often as it shall", async () => {
  await using harness = await Harness.ready({
    hasIdle: false,
    section: { pollIntervalSeconds: 20 },
  });
  await harness.later(1_000);
  harness.platform.deliver(mail({ text: "hello" }));
  await harness.later(15_000);
  assert.deepEqual(harness.gateway.inbounds, []);
  await harness.isRead();
  assert.equal(harness.gateway.inbounds.length, 1);
  assert.match(harness.gateway.states.at(-1)?.detail ?? "", /every 20 s/);
});

Deno.test("E-mail passes its own mails over, and marks them seen", async () => {
  await using harness = await Harness.ready({ section: { fromAddress: "Assistant@example.org" } });
  await harness.receive({ from: "Bot <BOT@example.org>" });
  await harness.receive({ from: "assistant@EXAMPLE.org" });
  assert.deepEqual(harness.gateway.inbounds, []);
  const flags = harness.platform.inbox.mails.map((one) => [...one.flags]);
  assert.deepEqual(flags, [["\\Seen"], ["\\Seen"]]);
});

Deno.test("E-mail says in a mail's text who else has it, and what a new thread is about", async () => {
  await using harness = await Harness.ready();
  const texts = await harness.receive({
    subject: "=?GB18030?B?xOO6ww==?=",
    lines: `Cc: Carol <${OTHER}>, bot@example.org\nContent-Type: text/plain\n`,
    text: "See above",
  });
  assert.deepEqual(texts, [`[subject: 你好]\n[also to: Carol <${OTHER}>]\nSee above`]);
});

Deno.test.each([
  { charset: "gb18030", encoding: "base64", text: "xOO6w6OsysC95w==", words: "你好，世界" },
  { charset: "iso-2022-jp", encoding: "7bit", text: "\x1b$B$3$s$K$A$O\x1b(B", words: "こんにちは" },
  {
    charset: "utf-8",
    encoding: "quoted-printable",
    text: "gr=C3=BC=C3=9Fe =\ndich",
    words: "grüße dich",
  },
  { charset: "windows-1252", encoding: "quoted-printable", text: "caf=E9 =80", words: "café €" },
  { charset: "x-nobody-knows", encoding: "7bit", text: "plain", words: "plain" },
])("E-mail reads a text in $charset as $encoding", async ({ charset, encoding, text, words }) => {
  await using harness = await Harness.ready();
  const lines = `Content-Type: text/plain; charset=${charset}\n` +
    `Content-Transfer-Encoding: ${encoding}\n`;
  assert.deepEqual(await harness.receive({ lines, text }), [words]);
});

Deno.test("E-mail reads a mail that has only HTML, without what is not shown", async () => {
  await using harness = await Harness.ready();
  const [text = ""] = await harness.receive({
    lines: "Content-Type: text/html; charset=utf-8\n",
    text: "<html><head><title>no</title><style>p{color:red}</style></head><body>" +
      "<p>First &amp; second</p><script>alert(1)</script><p>Third<br>line</p></body></html>",
  });
  assert.match(text, /^First & second\n+Third\nline$/);
});

Deno.test("E-mail says so when a mail is empty, and cuts one that is too long", async () => {
  await using harness = await Harness.ready({ section: { maxBodyChars: 10 } });
  await harness.receive({ text: "" });
  const texts = await harness.receive({ text: "0123456789abcdef" });
  assert.deepEqual(texts, ["(empty mail)", "0123456789\n[cut: the mail is longer]"]);
});

Deno.test("E-mail carries a command out as it is, whatever stands below it", async () => {
  await using harness = await Harness.ready();
  const texts = await harness.receive({
    subject: "Re: Report",
    text:
      "/stop\n\nOn Mon, Nov 30, 2026 at 7:00 AM Bot <bot@example.org> wrote:\n> Working\n\n-- \nAlice",
  });
  assert.deepEqual(texts, ["/stop"]);
});

Deno.test.each([
  { text: "/stop", texts: [] },
  { text: "still there?", texts: ["[sent 2 h 0 min ago, delivered late]\nstill there?"] },
])("E-mail takes $text for what it is when it comes late", async ({ text, texts }) => {
  await using harness = await Harness.ready();
  await harness.stop();
  harness.platform.deliver(mail({ text }));
  await harness.clock.advance(2 * 3_600_000);
  await harness.restart();
  await harness.isRead();
  assert.deepEqual(harness.gateway.inbounds.map(({ content }) => content), texts);
});

Deno.test("E-mail keeps each thread a conversation, whatever of it a mail program names", async () => {
  await using harness = await Harness.ready();
  const { gateway, platform } = harness;
  await harness.receive({ id: "<root@mail.example>", subject: "A" });
  const [first] = gateway.inbounds;
  const [answer = ""] = await harness.deliver({
    key: "turn:0",
    text: "Yes",
    context: first?.context ?? {},
  });
  const names = [
    `References: <root@mail.example>\n ${answer}\nIn-Reply-To: ${answer}\n`,
    `In-Reply-To: ${answer}\n`,
    "References: <root@mail.example>\n",
    "",
  ];
  for (const lines of names) await harness.receive({ subject: "Re: A", lines: lines + "X-A: b\n" });
  const [root, ...others] = gateway.inbounds.map(({ sessionKey }) => sessionKey);
  assert.match(root ?? "", new RegExp(`^email:${ALICE}:thread:[0-9a-f]{16}$`));
  assert.deepEqual(others.map((key) => key === root), [true, true, true, false]);
  assert.equal(platform.posted.length, 1);
});

Deno.test("E-mail keeps all mails of a sender one conversation where it shall", async () => {
  await using harness = await Harness.ready({ section: { sessionPer: "sender" } });
  await harness.receive({});
  assert.equal(harness.gateway.inbounds[0]?.sessionKey, undefined);
});

Deno.test("E-mail stops answering a sender of whom too many mails come, and goes on later", async () => {
  await using harness = await Harness.ready({ section: { maxPerSender: 3, allowFrom: ["*"] } });
  for (let count = 0; count < 5; count++) await harness.receive({ text: `${count}` });
  const texts = await harness.receive({ from: OTHER, text: "and I?" });
  assert.deepEqual(texts, ["0", "1", "2", "and I?"]);
  await harness.clock.advance(11 * 60_000);
  assert.deepEqual((await harness.receive({ text: "again" })).at(-1), "again");
});

Deno.test("E-mail takes a mail without an id once", async () => {
  await using harness = await Harness.ready();
  const anonymous = mail({ text: "hello" }).replace(/^Message-ID: .*\n/m, "");
  await harness.receive(anonymous);
  assert.deepEqual(await harness.receive(anonymous), ["hello"]);
  assert.match(harness.gateway.inbounds[0]?.platformId ?? "", /^<[0-9a-f]{32}@no-id>$/);
});

Deno.test.each([
  { name: "a note of absence", lines: "Auto-Submitted: auto-replied\n" },
  { name: "bulk mail", lines: "Precedence: bulk\n" },
  { name: "a list", lines: "List-Id: Talk <talk.example.net>\n" },
  { name: "a newsletter", lines: "List-Unsubscribe: <https://example.net/u>\n" },
  {
    name: "what Exchange wants no answer to",
    lines: "X-Auto-Response-Suppress: DR, OOF, AutoReply\n",
  },
  { name: "a mail without an envelope sender", lines: "Return-Path: <>\n" },
  { name: "an old robot", lines: "X-Autoreply: yes\n" },
  { name: "a mail of several senders", lines: `From: ${ALICE}\n` },
  { name: "a second sender in one line", from: `${ALICE}, ${OTHER}` },
  { name: "a program", from: "no-reply@example.net" },
  { name: "a mail daemon", from: "MAILER-DAEMON@example.net" },
])("E-mail answers no mail of $name", async ({ lines = "", from = ALICE }) => {
  await using harness = await Harness.ready({ section: { allowFrom: ["*"] } });
  await harness.receive({ from, lines: `${lines}Content-Type: text/plain\n` });
  assert.deepEqual(harness.gateway.inbounds, []);
  assert.deepEqual(harness.platform.inbox.mails.flatMap(({ flags }) => [...flags]), []);
});

Deno.test("E-mail answers a mail that says it is no machine's", async () => {
  await using harness = await Harness.ready();
  const lines = "Auto-Submitted: no\nContent-Type: text/plain\n";
  assert.deepEqual(await harness.receive({ lines }), ["hello"]);
});
