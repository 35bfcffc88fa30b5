import assert from "node:assert/strict";
import fc from "fast-check";
import { AnswerText } from "../../../../actors/gateway/api/answer_text.ts";
import {
  type ExchangeEvent,
  NOTHING_USED,
} from "../../../../actors/gateway/exchange/exchange_events.ts";

function grows(text: string): ExchangeEvent {
  return { type: "text_delta", text };
}

function ends(text: string, media: readonly string[] = []): ExchangeEvent {
  return { type: "finished", text, media, finishReason: "stop", usage: NOTHING_USED };
}

/** What a client has read at the end. */
function read(events: readonly ExchangeEvent[]): string {
  const answer = new AnswerText();
  return events.map((event) => answer.add(event)).join("");
}

Deno.test.each<readonly [string, readonly ExchangeEvent[], string]>([
  ["an answer in pieces", [grows("Hel"), grows("lo"), ends("Hello")], "Hello"],
  ["an answer that never grew", [ends("/status says")], "/status says"],
  [
    "what was said on the way to it",
    [grows("Let me see."), grows("\n\nDone"), ends("Done")],
    "Let me see.\n\nDone",
  ],
  [
    "an end that goes on where the text was left",
    [grows("Let me see."), grows("\n\nHalf"), ends("Half\n\n(stopped)")],
    "Let me see.\n\nHalf\n\n(stopped)",
  ],
  [
    "a text that comes anew and is the same",
    [grows("Hel"), { type: "text_reset", text: "" }, grows("H"), grows("ello"), ends("Hello")],
    "Hello",
  ],
  [
    "a text that comes anew and is another",
    [
      grows("Hel"),
      { type: "text_reset", text: "" },
      grows("Good"),
      grows(" day"),
      ends("Good day"),
    ],
    "Hel\n\nGood day",
  ],
  [
    "what a tool sent in place of the answer",
    [{ type: "message", text: "Told.", media: [] }, ends("")],
    "Told.",
  ],
  ["files by their places", [ends("Here.", ["/w/a.png"])], "Here.\n\n[file: /w/a.png]"],
])("A stream reads %s", (_what, events, expected) => {
  assert.equal(read(events), expected);
});

Deno.test("However an answer is cut, and wherever it begins anew, all of it is read once", () => {
  const pieces = fc.array(fc.string({ minLength: 1, maxLength: 8 }), {
    minLength: 1,
    maxLength: 8,
  });
  fc.assert(
    fc.property(pieces, fc.nat(8), (texts, voidedAfter) => {
      const whole = texts.join("");
      const voided = texts.slice(0, voidedAfter).map(grows);
      const events: ExchangeEvent[] = [
        ...voided,
        ...(voided.length > 0 ? [{ type: "text_reset", text: "" } as const] : []),
        ...texts.map(grows),
        ends(whole),
      ];
      assert.equal(read(events), whole);
    }),
    { numRuns: 200 },
  );
});
