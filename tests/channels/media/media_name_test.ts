import assert from "node:assert/strict";
import * as fc from "fast-check";
import { mediaName, type MediaNameOptions, safeBase } from "../../../channels/media/media_name.ts";

const FILE: MediaNameOptions = {
  messageId: "om_1",
  index: 0,
  kind: "file",
  key: "file_v3_0123456789abcdef",
  names: ["report.pdf"],
  contentType: "application/octet-stream",
};

Deno.test.each(
  [
    { change: {}, to: "om_1-report.pdf" },
    { change: { index: 1 }, to: "om_1.2-report.pdf" },
    { change: { names: ["", "given.txt"] }, to: "om_1-given.txt" },
    { change: { names: [] }, to: "om_1-file_v3_01234567" },
    { change: { names: ["../../etc/passwd"] }, to: "om_1-passwd" },
    { change: { names: ["..\\..\\boot.ini"] }, to: "om_1-boot.ini" },
    { change: { names: ["/"] }, to: "om_1-file_v3_01234567" },
    { change: { names: ["..", "."] }, to: "om_1-file_v3_01234567" },
    { change: { names: ["周报 2026.xlsx"] }, to: "om_1-周报 2026.xlsx" },
    { change: { names: ["a\u202Egpj.exe"] }, to: "om_1-agpj.exe" },
    { change: { names: ["a\nb\0c.txt"] }, to: "om_1-abc.txt" },
    { change: { names: ["$(rm -rf).sh"] }, to: "om_1-__rm -rf_.sh" },
    { change: { names: ["-rf"] }, to: "om_1--rf" },
    { change: { messageId: "../om" }, to: "___om-report.pdf" },
    { change: { kind: "image", names: [] }, to: "om_1-file_v3_01234567.jpg" },
    {
      change: { kind: "image", names: [], contentType: "image/png" },
      to: "om_1-file_v3_01234567.png",
    },
    { change: { kind: "audio", names: [] }, to: "om_1-file_v3_01234567.ogg" },
    { change: { kind: "audio", names: ["note.opus"] }, to: "om_1-note.opus" },
    { change: { kind: "audio", names: ["note.xyz"] }, to: "om_1-note.xyz.ogg" },
    { change: { kind: "video", names: ["clip"] }, to: "om_1-clip.mp4" },
  ] as const,
)("mediaName makes $to of $change", ({ change, to }) => {
  assert.equal(mediaName({ ...FILE, ...change }), to);
});

Deno.test("mediaName gives a base name that any file system takes, whatever people call it", () => {
  const name = fc.oneof(fc.string({ unit: "binary" }), fc.string(), fc.string({ minLength: 300 }));
  fc.assert(
    fc.property(name, fc.string(), fc.nat(20), (given, messageId, index) => {
      const made = mediaName({ ...FILE, names: [given], messageId, index });
      assert.doesNotMatch(made, /[/\\\p{Cc}:*?"<>|]/u);
      assert.ok(!made.startsWith("."), made);
      assert.ok(new TextEncoder().encode(made).length <= 220, made);
      assert.equal(made, made.toWellFormed());
    }),
    { numRuns: 1_000 },
  );
});

Deno.test("mediaName never gives two files of a message one name", () => {
  const pair = fc.tuple(fc.nat(30), fc.string());
  fc.assert(fc.property(pair, pair, ([one, oneName], [other, otherName]) => {
    fc.pre(one !== other);
    const nameOf = (index: number, name: string) => mediaName({ ...FILE, index, names: [name] });
    assert.notEqual(nameOf(one, oneName), nameOf(other, otherName));
  }));
});

Deno.test("safeBase keeps the ending of a name that is too long", () => {
  const long = safeBase(`${"很".repeat(200)}.pdf`);
  assert.match(long, /很\.pdf$/);
  assert.ok(new TextEncoder().encode(long).length <= 120);
});

Deno.test("A name that is full of dots keeps nobody waiting", () => {
  const startMs = performance.now();
  assert.equal(safeBase(`a${".".repeat(200_000)}b`).startsWith("a"), true);
  const tookMs = performance.now() - startMs;
  assert.ok(tookMs < 1_500, `${Math.round(tookMs)} ms`);
});
