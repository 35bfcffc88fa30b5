import assert from "node:assert/strict";
import { localPictures } from "../../../channels/markdown/pictures.ts";

Deno.test.each([
  { text: "![a](charts/a.png)", files: { "charts/a.png": "/work/charts/a.png" } },
  { text: "![a](/tmp/a.JPG)", files: { "/tmp/a.JPG": "/tmp/a.JPG" } },
  { text: "![a](file:///tmp/a.png)", files: { "file:///tmp/a.png": "/tmp/a.png" } },
  { text: "![a](my%20chart.png)", files: { "my%20chart.png": "/work/my chart.png" } },
  {
    text: "- **x** ![a](a.png)\n\n  > ![b](b.gif)",
    files: { "a.png": "/work/a.png", "b.gif": "/work/b.gif" },
  },
  { text: "| x |\n|---|\n| ![a](a.png) |", files: { "a.png": "/work/a.png" } },
  { text: "![a](https://a.io/a.png) ![b](data:image/png;base64,x)", files: {} },
  { text: "![a](secrets.txt) `![b](b.png)`", files: {} },
  { text: "```\n![a](a.png)\n```", files: {} },
])("localPictures finds the files of $text", ({ text, files }) => {
  assert.deepEqual(Object.fromEntries(localPictures(text, "/work")), files);
});

Deno.test("localPictures knows no place for relative addresses without a folder", () => {
  assert.equal(localPictures("![a](a.png)", undefined).size, 0);
});
