import assert from "node:assert/strict";
import { basename, dirname } from "node:path";
import { Harness, type HarnessOptions } from "./harness.ts";

const BYTES = new TextEncoder().encode("some bytes");

/** A mail with files, each with its type and the line of its name. */
function withFiles(
  files: readonly { readonly name: string; readonly type?: string; readonly size?: number }[],
): { readonly lines: string; readonly text: string } {
  const parts = files.map(({ name, type = "application/pdf", size }) =>
    `--b\nContent-Type: ${type}\nContent-Transfer-Encoding: base64\n` +
    `Content-Disposition: attachment; filename="${name}"\n\n` +
    `${(size === undefined ? BYTES : new Uint8Array(size)).toBase64().replace(/.{76}/g, "$&\n")}\n`
  );
  return {
    lines: 'Content-Type: multipart/mixed; boundary="b"\n',
    text: `--b\nContent-Type: text/plain\n\nLook\n${parts.join("")}--b--`,
  };
}

async function received(
  section: HarnessOptions["section"],
  files: Parameters<typeof withFiles>[0],
): Promise<{ readonly text: string; readonly names: readonly string[]; readonly folder: string }> {
  await using harness = await Harness.ready({ ...(section !== undefined && { section }) });
  const [text = ""] = await harness.receive(withFiles(files));
  const media = harness.gateway.inbounds[0]?.media ?? [];
  for (const path of media) assert.equal(dirname(path), harness.gateway.mediaFolder);
  const names = media.map((path) => basename(path).replace(/^[0-9a-f]{12}(\.\d+)?-/, ""));
  return { text, names, folder: harness.gateway.mediaFolder };
}

Deno.test("E-mail keeps a file under a name that begins with its mail's", async () => {
  await using harness = await Harness.ready();
  const [text = ""] = await harness.receive(withFiles([{ name: "doc.pdf" }]));
  const [path = ""] = harness.gateway.inbounds[0]?.media ?? [];
  assert.match(basename(path), /^[0-9a-f]{12}-doc\.pdf$/);
  assert.deepEqual(await Deno.readFile(path), BYTES);
  assert.equal(text, `Look\n[attachment: ${basename(path)}]`);
});

Deno.test("E-mail keeps no files unless it is told which", async () => {
  const { text, names } = await received({ allowedAttachmentTypes: [] }, [{ name: "doc.pdf" }]);
  assert.deepEqual(names, []);
  assert.match(text, /^Look\n\[attachment not taken: doc\.pdf, application\/pdf is not among/);
});

Deno.test("E-mail keeps files by their type", async () => {
  const files = [{ name: "a.pdf" }, { name: "b.png", type: "image/png" }];
  assert.deepEqual((await received({ allowedAttachmentTypes: ["image/*"] }, files)).names, [
    "b.png",
  ]);
  assert.deepEqual(
    (await received({ allowedAttachmentTypes: ["application/pdf"] }, files)).names,
    ["a.pdf"],
  );
});

Deno.test("E-mail keeps as many files as it shall, and none that is too large", async () => {
  const { names, text } = await received({ maxAttachmentsPerEmail: 2, maxAttachmentSize: 100 }, [
    { name: "large.bin", size: 101 },
    { name: "one.bin" },
    { name: "two.bin" },
    { name: "three.bin" },
  ]);
  assert.deepEqual(names, ["one.bin", "two.bin"]);
  assert.match(text, /large\.bin, 101 bytes, 100 are taken/);
  assert.match(text, /three\.bin, 2 a mail are taken/);
});

Deno.test("E-mail keeps a file in its folder whatever it is called", async () => {
  const { names } = await received(undefined, [{ name: "../../../etc/passwd" }]);
  assert.deepEqual(names, ["passwd"]);
});

Deno.test("E-mail takes the words alone of a mail that is too large", async () => {
  const { names, text } = await received(
    { maxAttachmentSize: 1_000, maxAttachmentsPerEmail: 1 },
    [{ name: "large.bin", size: 1_200_000 }],
  );
  assert.deepEqual(names, []);
  assert.match(text, /^Look\n\[the mail has 2 MB: its attachments were not taken\]$/);
});

Deno.test("E-mail has sound written down", async () => {
  await using harness = await Harness.ready();
  harness.gateway.speech = { state: "transcribed", text: "call me" };
  const texts = await harness.receive(withFiles([{ name: "memo.mp3", type: "audio/mpeg" }]));
  assert.deepEqual(texts, ["Look\n[transcription: call me]"]);
});

Deno.test("E-mail keeps a mail that was sent along as a file", async () => {
  await using harness = await Harness.ready();
  await harness.receive({
    lines: 'Content-Type: multipart/mixed; boundary="b"\n',
    text: "--b\nContent-Type: text/plain\n\nSee\n--b\nContent-Type: message/rfc822\n" +
      'Content-Disposition: attachment; filename="old.eml"\n\nSubject: Old\n\nold words\n--b--',
  });
  const [inbound] = harness.gateway.inbounds;
  assert.match(inbound?.content ?? "", /^See\n\[attachment: [0-9a-f]{12}-old\.eml\]$/);
});
