import assert from "node:assert/strict";
import {
  dreamEndedText,
  restoredText,
  versionsText,
  versionText,
} from "../../../actors/session/memory_text.ts";

const VERSION = {
  id: "0123456789abcdef0123456789abcdef01234567",
  atMs: Date.UTC(2026, 3, 30, 12, 3),
  subject: "dream: 2026-04-30 12:00, 1 change(s)",
  body: "",
};

Deno.test.each(
  [
    [{ state: "nothing_new" }, /nothing to process/],
    [{ state: "failed", reason: "no money", entries: 2 }, /failed after 1\.3 s: no money.*2 were/],
    [
      { state: "done", entries: 1, left: 4, versions: ["a"], proposals: ["tea"] },
      /done after 1\.3 s: 1 summary taken up, memory changed[^]*dream-log[^]*4 wait[^]*skills: tea/,
    ],
    [{ state: "done", entries: 3, left: 0, versions: [], proposals: [] }, /3 summaries.*nothing/],
  ] as const,
)("The end of Dream %j is told with its time", (outcome, pattern) => {
  assert.match(dreamEndedText(outcome, 1_250), pattern);
});

Deno.test("A version is told with its files, how to undo it, and its difference", () => {
  const shown = { version: VERSION, files: ["SOUL.md", "USER.md"], diff: "-a\n+```\n" };
  assert.equal(
    versionText({ state: "shown", shown }, "", "Asia/Shanghai"),
    "## Memory version\n01234567 · 2026-04-30 20:03 · dream: 2026-04-30 12:00, 1 change(s)\n" +
      "Changed: SOUL.md, USER.md\nTo undo it: /dream-restore 01234567\n\n" +
      "````diff\n-a\n+```\n````",
  );
});

Deno.test.each(
  [
    ["", { state: "unknown" }, /no version of the memory yet/],
    ["abcd", { state: "unknown" }, /no version "abcd".*\/dream-restore lists/],
    ["", { state: "off", reason: "not here" }, /no versions.*: not here\./],
    [
      "",
      { state: "shown", shown: { version: VERSION, files: [], diff: "" } },
      /Changed: no files\nIt has nothing before it/,
    ],
  ] as const,
)("A look at version %j that gives %j says so", (id, answer, pattern) => {
  assert.match(versionText(answer, id, "UTC"), pattern);
});

Deno.test("The list of versions says how to go on", () => {
  const list = versionsText({ state: "versions", versions: [VERSION] }, "UTC");
  assert.match(list, /^01234567 2026-04-30 12:03 - dream: 2026-04-30 12:00, 1 change\(s\)$/m);
  assert.match(list, /\/dream-log <id>.*\/dream-restore 01234567/s);
  assert.match(versionsText({ state: "versions", versions: [] }, "UTC"), /no version/);
});

Deno.test.each(
  [
    [
      { state: "restored", version: VERSION.id, files: ["SOUL.md", "memory/MEMORY.md"] },
      /Took back "ab12" in SOUL\.md, memory\/MEMORY\.md.*01234567.*\/dream-log 01234567/,
    ],
    [{ state: "unchanged" }, /Nothing to do/],
    [{ state: "conflict", files: ["SOUL.md"] }, /later changes.*SOUL\.md\. Nothing was written/],
    [{ state: "unknown" }, /no such version, or it is the first/],
    [{ state: "off", reason: "x" }, /no versions/],
  ] as const,
)("Taking back that ended as %j is told", (restored, pattern) => {
  assert.match(restoredText(restored, "ab12"), pattern);
});
