import assert from "node:assert/strict";
import { sniffImage } from "../../../actors/tools/image_kind.ts";

const HEADS: [string, number[], string | undefined][] = [
  ["PNG", [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0], "image/png"],
  ["JPEG", [0xff, 0xd8, 0xff, 0xe0], "image/jpeg"],
  ["GIF", [...new TextEncoder().encode("GIF89a")], "image/gif"],
  ["WebP", [...new TextEncoder().encode("RIFF1234WEBPVP8 ")], "image/webp"],
  ["WAV", [...new TextEncoder().encode("RIFF1234WAVEfmt ")], undefined],
  ["PDF", [...new TextEncoder().encode("%PDF-1.7")], undefined],
  ["nothing", [], undefined],
];

Deno.test.each(HEADS)("sniffImage knows %s by its first bytes", (_name, head, mime) => {
  assert.equal(sniffImage(new Uint8Array(head)), mime);
});
