import assert from "node:assert/strict";
import fc from "fast-check";
import {
  continues,
  hideLineEnds,
  PasteFilter,
  restoreLineEnds,
} from "../../../channels/cli/paste_filter.ts";

const BEGIN = "\x1b[200~";
const END = "\x1b[201~";

Deno.test("PasteFilter keeps pasted line ends out of the editor and lets typed ones through", () => {
  const filter = new PasteFilter();
  assert.equal(filter.push(`a${BEGIN}one\r\ntwo\rthree\n${END}b\r`), "aone⏎two⏎three⏎b\r");
});

Deno.test("PasteFilter finds the end of a paste however the keys are cut", () => {
  const part = fc.constantFrom("a", "\r", "\x1b", "[", "2", "01~", "\x1b[A", "世");
  fc.assert(fc.property(fc.array(part), fc.array(fc.nat(30)), (parts, cuts) => {
    const pasted = parts.join("").replaceAll(END, "");
    const keys = `${pasted}${END}.`;
    const filter = new PasteFilter();
    filter.push(BEGIN);
    const places = [0, ...cuts.filter((at) => at < keys.length).toSorted((a, b) => a - b)];
    const pieces = places.map((from, index) => filter.push(keys.slice(from, places[index + 1])));
    assert.equal(pieces.join(""), `${pasted.replaceAll("\r", "⏎")}.`);
  }));
});

Deno.test("PasteFilter does not hold a lone Escape back", () => {
  assert.equal(new PasteFilter().push("\x1b"), "\x1b");
});

Deno.test("A text of several lines comes back from the editor's single line", () => {
  assert.equal(restoreLineEnds(hideLineEnds("a\nb\r\n\nc")), "a\nb\n\nc");
});

Deno.test.each(["\x1b\r", "\x1b\n", "\x1b[13;2u", "\x1b[27;2;13~"])(
  "PasteFilter takes %j for a line end of the text",
  (key) => assert.equal(new PasteFilter().push(`a${key}b\r`), "a⏎b\r"),
);

Deno.test.each([["a\\", true], ["\\", true], ["a\\\\", false], ["a", false], ["", false]])(
  "A line %j goes on: %s",
  (line, expected) => assert.equal(continues(line), expected),
);
