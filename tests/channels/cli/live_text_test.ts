import assert from "node:assert/strict";
import fc from "fast-check";
import { LiveText } from "../../../channels/cli/live_text.ts";

function screen(isByLine = false) {
  const written: string[] = [];
  const text = new LiveText({ write: (piece) => written.push(piece), isByLine });
  return { text, written };
}

Deno.test("LiveText shows a text once, however it grew", () => {
  const pieces = fc.array(fc.string({ minLength: 1 }), { minLength: 1 });
  fc.assert(fc.property(pieces, fc.boolean(), (parts, isByLine) => {
    const { text, written } = screen(isByLine);
    let whole = "";
    for (const part of parts) text.grow(whole += part);
    text.finish(whole);
    assert.equal(written.join(""), whole.endsWith("\n") ? whole : `${whole}\n`);
  }));
});

Deno.test("LiveText writes a text that went another way again, on a new line", () => {
  const { text, written } = screen();
  text.grow("I think");
  text.finish("No: 4");
  assert.equal(written.join(""), "I think\nNo: 4\n");
});

Deno.test("LiveText by lines shows no line before it is complete", () => {
  const { text, written } = screen(true);
  text.grow("one\ntw");
  assert.equal(written.join(""), "one\n");
  text.finish("one\ntwo");
  assert.equal(written.join(""), "one\ntwo\n");
});

Deno.test("LiveText puts a note on a line of its own", () => {
  const { text, written } = screen();
  text.grow("Let me look.");
  text.note("↳ read_file");
  text.finish("Let me look.\n\nFound it.");
  assert.equal(written.join(""), "Let me look.\n↳ read_file\n\n\nFound it.\n");
});

Deno.test("LiveText gives whole lines to its renderer, and begins anew with another text", () => {
  let written = "";
  let made = 0;
  const text = new LiveText({
    write: (piece) => written += piece,
    isByLine: true,
    makeRenderer: () => {
      const number = ++made;
      return { line: (line) => `${number}<${line}>`, end: () => `${number}.` };
    },
  });
  text.grow("a\nb");
  assert.equal(written, "1<a>");
  text.grow("a\nbc\nd");
  text.finish("other\nend");
  assert.equal(written, "1<a>1<bc>1.2<other>2<end>2.");
});
