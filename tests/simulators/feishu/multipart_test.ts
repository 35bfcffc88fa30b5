/**
 * Multipart bodies as the SDK and others write them.
 * @module
 */

import assert from "node:assert/strict";
import { parseMultipart } from "./multipart.ts";

Deno.test("parseMultipart keeps every byte of a part without a file name", () => {
  const bytes = Uint8Array.from([0, 255, 13, 10, 45, 45, 13, 10]);
  const head = '--X\r\nContent-Disposition: form-data; name="file"\r\n' +
    "Content-Type: application/octet-stream\r\n\r\n";
  const body = new Uint8Array([
    ...new TextEncoder().encode(head),
    ...bytes,
    ...new TextEncoder().encode("\r\n--X--\r\n"),
  ]);
  assert.deepEqual(parseMultipart("multipart/form-data; boundary=X", body), [
    { name: "file", fileName: undefined, bytes },
  ]);
});

Deno.test("parseMultipart reads what a form of the platform's own writes", async () => {
  const form = new FormData();
  form.set("file_type", "stream");
  form.set("file", new File(["äöü"], "名.txt"));
  const request = new Request("http://127.0.0.1", { method: "POST", body: form });
  const parts = parseMultipart(request.headers.get("content-type") ?? "", await request.bytes());
  const read = parts.map(({ name, fileName, bytes }) => {
    return [name, fileName, new TextDecoder().decode(bytes)];
  });
  assert.deepEqual(read, [["file_type", undefined, "stream"], ["file", "名.txt", "äöü"]]);
});

Deno.test("parseMultipart has no parts for other types", () => {
  assert.deepEqual(parseMultipart("application/json", new Uint8Array()), []);
});

Deno.test("parseMultipart refuses a body that ends before its last boundary", () => {
  const body = new TextEncoder().encode('--X\r\nContent-Disposition: form-data; name="a"\r\n\r\n1');
  assert.throws(() => parseMultipart("multipart/form-data; boundary=X", body), SyntaxError);
});
