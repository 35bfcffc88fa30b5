import assert from "node:assert/strict";
import { unreadNote, unsentNote } from "../../../channels/media/unsent.ts";

Deno.test("A file that does not arrive is named without its folder", () => {
  assert.equal(unsentNote("/work/plans/a.pdf", "why"), "(Could not send a.pdf: why)");
});

Deno.test.each(
  [
    { state: "missing", bytesMax: 1, says: "there is no such file" },
    { state: "unreadable", bytesMax: 1, says: "the channel may not read it" },
    { state: "empty", bytesMax: 1, says: "the file is empty" },
    { state: "too_large", bytesMax: 50_000_000, says: "it is larger than 50 MB" },
    { state: "too_large", bytesMax: 100 * 1024 * 1024, says: "it is larger than 100 MB" },
  ] as const,
)("A file that is $state is told with its reason", ({ state, bytesMax, says }) => {
  assert.equal(unreadNote("a.pdf", state, bytesMax), `(Could not send a.pdf: ${says})`);
});
