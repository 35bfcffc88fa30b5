import assert from "node:assert/strict";
import { Screen, type ScreenOptions } from "../../../channels/cli/screen.ts";
import type { ShownEvent } from "../../../channels/cli/terminal_events.ts";

function shown(changes: Partial<ShownEvent>): ShownEvent {
  return {
    type: "shown",
    key: "a",
    phase: "growing",
    text: "",
    activity: "",
    media: [],
    ...changes,
  };
}

function textOf(pace: ScreenOptions["pace"], events: readonly Partial<ShownEvent>[]): string {
  let written = "";
  const screen = new Screen({ write: (text) => written += text, pace, dim: (text) => `(${text})` });
  for (const event of events) screen.show(shown(event));
  return written;
}

const ANSWER: readonly Partial<ShownEvent>[] = [
  { text: "Hm", activity: "" },
  { text: "Hm", activity: "list_dir" },
  { text: "Hm", activity: "list_dir" },
  { text: "Hm\n\nDone", activity: "" },
  { phase: "final", text: "Hm\n\nDone." },
];

Deno.test("Screen shows an answer in a pipe when it is whole", () => {
  assert.equal(textOf("whole", ANSWER), "Hm\n\nDone.\n");
});

Deno.test("Screen shows an answer as it grows, and each activity once", () => {
  assert.equal(textOf("letters", ANSWER), "Hm\n(↳ list_dir)\n\n\nDone.\n");
});

Deno.test("Screen keeps two answers apart that grow together", () => {
  const events = [
    { key: "a", text: "one\n" },
    { key: "b", text: "two\n" },
    { key: "a", phase: "final", text: "one\nmore" },
    { key: "b", phase: "final", text: "two\nmore" },
  ] as const;
  assert.equal(textOf("lines", events), "one\ntwo\nmore\nmore\n");
});

Deno.test("Screen names files, and shows nothing for a blank answer", () => {
  assert.equal(
    textOf("whole", [{ phase: "final", text: " ", media: ["/ws/a.png"] }]),
    "[file] /ws/a.png\n",
  );
  assert.equal(textOf("letters", [{ phase: "final", text: "\n" }]), "");
});

Deno.test.each<ScreenOptions["pace"]>(["whole", "lines", "letters"])(
  "Screen gives nobody's text power over the terminal, pace %s",
  (pace) => {
    const evil = "a\r\n\x1b]52;c;eA==\x07\u009b2J\x7f";
    const safe = "a\n␛]52;c;eA==␇\ufffd2J␡";
    const events = [{ text: evil.slice(0, 2) }, { text: evil }] as const;
    assert.equal(textOf(pace, [...events, { phase: "final", text: evil }]), `${safe}\n`);
    assert.equal(textOf(pace, [{ phase: "final", media: ["\x1bc"] }]), "[file] ␛c\n");
  },
);
