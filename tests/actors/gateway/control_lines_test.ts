import assert from "node:assert/strict";
import fc from "fast-check";
import { LineCutter, parseLine } from "../../../actors/gateway/control_lines.ts";

function bytes(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

Deno.test("LineCutter gives the same lines however the bytes come", () => {
  const line = fc.string({ unit: "grapheme" }).map((text) => text.replaceAll("\n", ""));
  fc.assert(fc.property(
    fc.array(line, { maxLength: 8 }),
    fc.array(fc.nat(40), { maxLength: 20 }),
    (lines, cuts) => {
      const whole = bytes(lines.map((text) => `${text}\n`).join(""));
      const cutter = new LineCutter(10_000);
      const places = [0, ...cuts.filter((at) => at < whole.length).toSorted((a, b) => a - b)];
      const found = places.flatMap((from, index) =>
        cutter.push(whole.subarray(from, places[index + 1] ?? whole.length))
      );
      assert.deepEqual(found, lines.map((text) => text.toWellFormed()));
    },
  ));
});

Deno.test("LineCutter keeps what it holds when the reader's buffer is used again", () => {
  const cutter = new LineCutter(100);
  const buffer = bytes("abc");
  cutter.push(buffer);
  buffer.fill(120);
  assert.deepEqual(cutter.push(bytes("\n")), ["abc"]);
});

Deno.test("LineCutter takes a line as long as its bound and none longer", () => {
  assert.deepEqual(new LineCutter(3).push(bytes("abc\n")), ["abc"]);
  assert.throws(() => new LineCutter(3).push(bytes("abcd")), { code: "control_garbled" });
  const cutter = new LineCutter(3);
  cutter.push(bytes("ab"));
  assert.throws(() => cutter.push(bytes("cd\n")), { code: "control_garbled" });
});

Deno.test("A line that is no UTF-8 or no JSON is garbled", () => {
  const broken = new Uint8Array([0xff, 0xfe, 10]);
  assert.throws(() => new LineCutter(10).push(broken), { code: "control_garbled" });
  assert.throws(() => parseLine("{no"), { code: "control_garbled" });
});
