import assert from "node:assert/strict";
import { join } from "node:path";
import { openServers } from "../../../channels/email/adapters/servers.ts";
import { ALICE, Harness, mail } from "./harness.ts";

const KEY = "turn-1:0";

Deno.test("E-mail answers in the thread, as text and HTML, and says that it is a program", async () => {
  await using harness = await Harness.ready({ section: { fromName: "Troupe" } });
  await harness.receive({
    id: "<two@mail.example>",
    subject: "Invoice #42",
    lines: "References: <one@mail.example>\nContent-Type: text/plain\n",
  });
  const context = harness.gateway.inbounds[0]?.context ?? {};
  const [id = ""] = await harness.deliver({ key: KEY, text: "It is **paid**", context });
  const [sent] = await harness.sent;
  assert.equal(sent?.messageId, id);
  assert.equal(sent?.subject, "Re: Invoice #42");
  assert.equal(sent?.inReplyTo, "<two@mail.example>");
  assert.equal(sent?.references, "<one@mail.example> <two@mail.example>");
  assert.equal(sent?.text?.trim(), "It is **paid**");
  assert.match(sent?.html ?? "", /<p>It is <strong>paid<\/strong><\/p>/);
  assert.deepEqual(sent?.from, { name: "Troupe", address: "bot@example.org" });
  assert.equal(sent?.headers.find(({ key }) => key === "auto-submitted")?.value, "auto-replied");
});

Deno.test.each([
  { asked: "Re: Lunch", subject: "Re: Lunch" },
  { asked: "RE: Lunch", subject: "RE: Lunch" },
  { asked: "Lunch", subject: "Re: Lunch" },
  { asked: "", subject: "Re: your mail" },
  { asked: "你好", subject: "Re: 你好" },
])("E-mail answers $asked under the subject $subject", async ({ asked, subject }) => {
  await using harness = await Harness.ready();
  await harness.receive({ subject: asked });
  const context = harness.gateway.inbounds[0]?.context ?? {};
  await harness.deliver({ key: KEY, text: "Yes", context });
  assert.equal((await harness.sent)[0]?.subject, subject);
});

Deno.test.each([
  { text: "Subject: Your report\n\nHere it is", subject: "Your report", words: "Here it is" },
  { text: "**Subject:** Your report\nHere it is", subject: "Your report", words: "Here it is" },
  { text: "# Daily news\n\nNothing", subject: "Daily news", words: "# Daily news\n\nNothing" },
  {
    text: "The build is green.\nMore",
    subject: "The build is green.",
    words: "The build is green.\nMore",
  },
  { text: "Subject: alone", subject: "Subject: alone", words: "Subject: alone" },
])("E-mail begins a thread about $subject", async ({ text, subject, words }) => {
  await using harness = await Harness.ready();
  await harness.deliver({ key: KEY, text });
  const [sent] = await harness.sent;
  assert.equal(sent?.subject, subject);
  assert.equal(sent?.text?.trim(), words);
  assert.equal(sent?.inReplyTo, undefined);
  assert.equal(sent?.headers.find(({ key }) => key === "auto-submitted")?.value, "auto-generated");
});

Deno.test("E-mail puts no line into a header that an answer brings along", async () => {
  await using harness = await Harness.ready();
  await harness.deliver({ key: KEY, text: "Subject: a\rBcc: evil@example.com\n\nHello" });
  assert.deepEqual(harness.platform.posted.map(({ to }) => to), [[ALICE]]);
  assert.equal((await harness.sent)[0]?.bcc, undefined);
});

Deno.test("E-mail keeps the quote of an answer to a mail that it began, whose conversation is new", async () => {
  await using harness = await Harness.ready();
  const [id = ""] = await harness.deliver({ key: KEY, text: "The build is red" });
  const text = "Why?\n\nOn Monday Bot wrote:\n> The build is red";
  await harness.receive({ subject: "Re: The build", lines: `In-Reply-To: ${id}\nX-A: b\n`, text });
  const [first] = harness.gateway.inbounds;
  assert.equal(first?.content, text);
  const [answer = ""] = await harness.deliver({
    key: "turn-2:0",
    text: "A test failed",
    context: first?.context ?? {},
  });
  await harness.receive({
    subject: "Re: The build",
    lines: `In-Reply-To: ${answer}\nReferences: ${id} ${answer}\n`,
    text: "Which?\n\nOn Monday Bot wrote:\n> A test failed",
  });
  const [, second] = harness.gateway.inbounds;
  assert.equal(second?.content, "Which?");
  assert.equal(second?.sessionKey, first?.sessionKey);
});

Deno.test.each([
  { replyTo: "carol@example.com", to: "carol@example.com" },
  { replyTo: "evil@example.com", to: ALICE },
])("E-mail answers to $replyTo at $to", async ({ replyTo, to }) => {
  await using harness = await Harness.ready({
    section: { allowFrom: [ALICE, "carol@example.com"] },
  });
  await harness.receive({ lines: `Reply-To: ${replyTo}\nContent-Type: text/plain\n` });
  const context = harness.gateway.inbounds[0]?.context ?? {};
  await harness.deliver({ key: KEY, text: "Yes", context });
  assert.deepEqual(harness.platform.posted.map((posted) => posted.to), [[to]]);
});

Deno.test("E-mail answers nobody when it shall not, and still writes by itself", async () => {
  await using harness = await Harness.ready({ section: { autoReplyEnabled: false } });
  const settles = [{ platformId: "<a@b>", outcome: "done", channelState: null }] as const;
  assert.deepEqual(await harness.deliver({ key: KEY, text: "Yes", settles }), []);
  assert.deepEqual(harness.platform.posted, []);
  await harness.deliver({ key: "turn-2:0", text: "News" });
  assert.equal(harness.platform.posted.length, 1);
});

Deno.test("E-mail sends nothing while an answer grows", async () => {
  await using harness = await Harness.ready();
  await harness.deliver({ key: KEY, phase: "growing", text: "I am", activity: 'exec("ls")' });
  assert.deepEqual(harness.platform.posted, []);
});

Deno.test("E-mail sends files and the pictures that a text shows along", async () => {
  await using harness = await Harness.ready();
  const { path: folder } = harness.folder;
  await Deno.writeTextFile(join(folder, "chart.png"), "png");
  await Deno.writeTextFile(join(folder, "数据.csv"), "a,b");
  await harness.deliver({
    key: KEY,
    text: "See ![the chart](chart.png)",
    media: [join(folder, "数据.csv"), join(folder, "missing.pdf")],
  });
  const [sent] = await harness.sent;
  assert.deepEqual(sent?.attachments.map(({ filename }) => filename), ["chart.png", "数据.csv"]);
  assert.match(sent?.text ?? "", /\(Could not send missing\.pdf: there is no such file\)/);
});

Deno.test("E-mail shows nothing as HTML that is none, and leads nowhere but to the web", async () => {
  await using harness = await Harness.ready();
  const text = '<img src=x onerror=alert(1)> [a](javascript:alert(1)) [b](https://x.org/?a="&b)';
  await harness.deliver({ key: KEY, text });
  const html = (await harness.sent)[0]?.html ?? "";
  assert.doesNotMatch(html, /<img|javascript:/);
  assert.match(html, /<a href="https:\/\/x\.org\/\?a=(%22|&quot;)&amp;b">b<\/a>/);
});

Deno.test("E-mail refuses an address that cannot be one", async () => {
  await using harness = await Harness.ready();
  const sending = harness.deliver({ key: KEY, chatId: "a@b.c, d@e.f", text: "Hi" });
  await assert.rejects(sending, { code: "delivery_permanent" });
  assert.deepEqual(harness.platform.posted, []);
});

Deno.test("E-mail keeps a copy of what it sent, where the server does not", async () => {
  await using harness = await Harness.ready();
  const [id = ""] = await harness.deliver({ key: KEY, text: "Yes" });
  const { mails } = harness.platform.sentFolder;
  await harness.pass(() => mails.length === 1, "the copy");
  assert.match(new TextDecoder().decode(mails[0]?.bytes), new RegExp(RegExp.escape(id)));
});

Deno.test.each([
  { keepsSent: true },
  { keepsSent: false, section: { saveSent: false } },
])("E-mail signs in for no copy that it need not keep: %o", async (options) => {
  await using harness = await Harness.ready(options);
  const { signal } = new AbortController();
  const { mailbox } = openServers(harness.section);
  await using _reading = await mailbox.open(signal);
  const loginsBefore = loginsAt(harness);
  await mailbox.keepSent(new TextEncoder().encode(mail({ text: "Yes" })), signal);
  assert.equal(loginsAt(harness), loginsBefore);
  assert.deepEqual(harness.platform.sentFolder.mails, []);
});

Deno.test("E-mail finds a mail in doubt where its server keeps copies, and sends none twice", async () => {
  await using harness = await Harness.ready({ keepsSent: true });
  harness.platform.plant({ at: "LOST" });
  const showing = { key: KEY, text: "Yes" };
  await assert.rejects(harness.deliver(showing), { code: "delivery_unknown" });
  await assert.rejects(harness.deliver(showing), { code: "delivery_unknown" });
  assert.equal(await harness.lookUp(showing), "arrived");
  assert.equal(await harness.lookUp({ key: "turn-2:0", text: "No" }), "absent");
  assert.equal(harness.platform.posted.length, 1);
});

Deno.test("E-mail repeats a mail in doubt under the same id, with a word about it", async () => {
  await using harness = await Harness.ready();
  harness.platform.plant({ at: "LOST" });
  await assert.rejects(harness.deliver({ key: KEY, text: "Yes" }), { code: "delivery_unknown" });
  assert.equal(await harness.lookUp({ key: KEY, text: "Yes" }), "cannot_tell");
  await harness.deliver({ key: KEY, text: "Yes", notice: "(again)" });
  const [first, second] = await harness.sent;
  assert.equal(first?.messageId, second?.messageId);
  assert.match(second?.text ?? "", /^\(again\)\n\nYes/);
});

Deno.test("A repetition that fails leaves the first attempt in doubt", async () => {
  await using harness = await Harness.ready();
  harness.platform.plant({ at: "LOST" });
  await assert.rejects(harness.deliver({ key: KEY, text: "Yes" }), { code: "delivery_unknown" });
  harness.platform.plant({ at: "DATA", reply: "451 4.3.0 Busy" });
  const again = harness.deliver({ key: KEY, text: "Yes", notice: "(again)" });
  await assert.rejects(again, { code: "delivery_transient" });
  await assert.rejects(harness.deliver({ key: KEY, text: "Yes" }), { code: "delivery_unknown" });
});

Deno.test.each(
  [
    { at: "RCPT", reply: "550 5.1.1 No such user", code: "delivery_permanent" },
    { at: "END", reply: "554 5.7.1 Spam", code: "delivery_permanent" },
    { at: "END", reply: "452 4.2.2 Mailbox full", code: "delivery_transient" },
    { at: "RCPT", reply: "450 Greylisted for 5 minutes", code: "delivery_transient" },
    { at: "AUTH", reply: "454 4.7.0 Temporary failure", code: "delivery_transient" },
  ] as const,
)("E-mail understands $reply as $code", async ({ at, reply, code }) => {
  await using harness = await Harness.ready();
  harness.platform.plant({ at, reply });
  const retryAfterMs = reply.includes("5 minutes") ? 300_000 : undefined;
  await assert.rejects(harness.deliver({ key: KEY, text: "Yes" }), { code, retryAfterMs });
  await harness.deliver({ key: KEY, text: "Yes" });
  assert.equal(harness.platform.posted.length, 1);
});

function loginsAt({ platform }: Harness): number {
  return platform.commands.filter((command) => /^(LOGIN|AUTHENTICATE)$/.test(command)).length;
}
