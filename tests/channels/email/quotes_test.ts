import assert from "node:assert/strict";
import fc from "fast-check";
import { ownWords } from "../../../channels/email/receive/quotes.ts";

Deno.test.each([
  [
    "Gmail",
    "Yes.\n\nOn Mon, Nov 30, 2026 at 7:00 AM Bot <bot@x.org> wrote:\n\n> May I?\n> Really\n",
  ],
  [
    "a broken attribution",
    "Yes.\n\nOn Mon, Nov 30, 2026 at 7:00 AM The Bot\n<bot@x.org> wrote:\n> May I?\n",
  ],
  [
    "Apple Mail",
    "Yes.\n\nSent from my iPhone\n\n> On 30 Nov 2026, at 07:00, Bot <b@x.org> wrote:\n> \n> May I?\n",
  ],
  [
    "Outlook",
    "Yes.\n\n________________________________\nFrom: Bot <b@x.org>\nSent: Monday\nTo: Alice\nSubject: x\n\nMay I?",
  ],
  ["old Outlook", "Yes.\n\n-----Original Message-----\nFrom: Bot\nMay I?"],
  [
    "Outlook in German",
    "Yes.\n\nVon: Bot <b@x.org>\nGesendet: Montag\nAn: Alice\nBetreff: x\n\nDarf ich?",
  ],
  ["Thunderbird in German", "Yes.\n\nAm 30.11.2026 um 07:00 schrieb Bot:\n> Darf ich?\n"],
  ["Gmail in French", "Yes.\n\nLe lun. 30 nov. 2026 à 07:00, Bot <b@x.org> a écrit :\n\n> Oui ?\n"],
  ["Gmail in Chinese", "Yes.\n\nBot <b@x.org> 于2026年11月30日周一 07:00写道：\n\n> 可以吗？\n"],
  [
    "QQ",
    'Yes.\n\n------------------ 原始邮件 ------------------\n发件人: "Bot" <b@x.org>;\n发送时间: 2026年\n收件人: "Alice";\n\n可以吗',
  ],
  ["Gmail in Japanese", "Yes.\n\n2026年11月30日(月) 7:00 Bot <b@x.org>:\n\n> いい？\n"],
  ["a signature below the quote", "Yes.\n\nOn Monday Bot wrote:\n> May I?\n\n-- \nAlice\nACME"],
  ["a signature", "Yes.\n\n-- \nAlice\nACME"],
  ["a telephone", "Yes.\n\nSent from my phone"],
])("The words of an answer by %s are those of its writer", (_program, text) => {
  assert.equal(ownWords(text.replaceAll("\n", "\r\n"), true), "Yes.");
});

Deno.test.each([
  ["quotes between the words", "> May I?\nYes.\n> And this?\nNo."],
  ["a rule", "One\n\n---\n\nTwo\n--\nThree"],
  ["a line that ends in wrote:", "This is what she wrote:\nnothing"],
  ["one line with a colon", "From: here to there it is far\nSo I stay"],
  ["a list", "- one\n- two\n\n* three"],
  ["words that begin like an attribution", "On time? Yes"],
])("The words of an answer keep %s", (_what, text) => {
  assert.equal(ownWords(text, true), text);
});

Deno.test("A mail that answers nothing keeps what it forwards", () => {
  const text =
    "What is this?\n\n---------- Forwarded message ---------\nFrom: X <x@y.z>\nDate: Monday\n" +
    "Subject: Offer\n\n> Buy!";
  assert.equal(ownWords(text, false), text);
});

Deno.test("An answer that is a quote alone is kept", () => {
  assert.equal(ownWords("> May I?", true), "> May I?");
  assert.equal(ownWords("-- \nAlice", true), "-- \nAlice");
});

Deno.test("What is kept of a mail stands in it, at its beginning", () => {
  const line = fc.constantFrom(
    "",
    "> q",
    "On Monday X wrote:",
    "-- ",
    "hello",
    "From: a",
    "To: b",
    "____",
  );
  fc.assert(fc.property(fc.array(line), fc.boolean(), (lines, isAnswer) => {
    const text = lines.join("\n");
    assert.ok(text.trim().startsWith(ownWords(text, isAnswer)));
  }));
});

Deno.test.each(["\n", "> ", "-", "_", "From: a\n", "On ", "<a@b", " ", "-- \n", "On a\n", "写道"])(
  "The words of a long mail full of %j are found at once",
  (piece) => {
    const startMs = performance.now();
    ownWords(piece.repeat(Math.ceil(200_000 / piece.length)), true);
    assert.ok(performance.now() - startMs < 500, `${performance.now() - startMs} ms`);
  },
);
