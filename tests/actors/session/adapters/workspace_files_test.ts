import assert from "node:assert/strict";
import { join } from "node:path";
import { mock } from "node:test";
import { readImage } from "../../../../actors/session/adapters/image_files.ts";
import { DiskPromptFiles, promptFacts } from "../../../../actors/session/adapters/prompt_files.ts";
import {
  syncWorkspace,
  WORKSPACE_TEMPLATE,
} from "../../../../actors/session/adapters/workspace_template.ts";
import { PromptBuilder } from "../../../../actors/session/prompt.ts";
import { IMAGE_BYTES_MAX } from "../../../../actors/session/runtime_context.ts";
import { temporaryFolder } from "../../../support/temporary_folder.ts";

Deno.test("syncWorkspace makes everything that is missing, once", async () => {
  await using root = await temporaryFolder();
  const workspace = join(root.path, "new", "workspace");
  assert.deepEqual(await syncWorkspace(workspace), [
    "AGENTS.md",
    "SOUL.md",
    "USER.md",
    "TOOLS.md",
    "HEARTBEAT.md",
    "memory/MEMORY.md",
  ]);
  assert.ok((await Deno.stat(join(workspace, "skills"))).isDirectory);
  assert.deepEqual(await syncWorkspace(workspace), []);
});

Deno.test("syncWorkspace keeps what is there", async () => {
  await using root = await temporaryFolder();
  await Deno.writeTextFile(join(root.path, "SOUL.md"), "mine");
  await Deno.writeTextFile(join(root.path, "USER.md"), "");
  const created = await syncWorkspace(root.path);
  assert.ok(!created.includes("SOUL.md") && !created.includes("USER.md"));
  assert.equal(await Deno.readTextFile(join(root.path, "SOUL.md")), "mine");
  assert.equal(await Deno.readTextFile(join(root.path, "USER.md")), "");
});

Deno.test("A new workspace is in the prompt, but for its memory and the blank USER.md", async () => {
  await using root = await temporaryFolder();
  await syncWorkspace(root.path);
  const prompt = await new PromptBuilder(new DiskPromptFiles(root.path), promptFacts(root.path))
    .build("cli");
  for (const name of ["AGENTS.md", "SOUL.md", "TOOLS.md"]) {
    assert.ok(prompt.includes(WORKSPACE_TEMPLATE.get(name)?.trim() ?? "missing"), name);
  }
  assert.ok(!prompt.includes("## USER.md"));
  assert.ok(!prompt.includes("## Long-term memory"));
  assert.ok(prompt.includes(`Deno ${Deno.version.deno}`));
});

Deno.test("DiskPromptFiles gives the same text until the file changes", async () => {
  await using root = await temporaryFolder();
  const files = new DiskPromptFiles(root.path);
  const path = join(root.path, "SOUL.md");
  assert.equal(await files.read("SOUL.md"), null);
  await Deno.writeTextFile(path, "one");
  assert.equal(await files.read("SOUL.md"), "one");
  assert.equal(await files.read("SOUL.md"), "one");
  await Deno.writeTextFile(`${path}.new`, "two");
  await Deno.rename(`${path}.new`, path);
  assert.equal(await files.read("SOUL.md"), "two");
  await Deno.remove(path);
  assert.equal(await files.read("SOUL.md"), null);
});

Deno.test("DiskPromptFiles reads no more than the end of a long file, from a line's start", async () => {
  await using root = await temporaryFolder();
  const files = new DiskPromptFiles(root.path);
  const path = join(root.path, "long.jsonl");
  const line = (n: number) => `{"n":${n},"text":"你好 and more"}\n`;
  await Deno.writeTextFile(path, Array.from({ length: 1_000 }, (_, n) => line(n)).join(""));
  const whole = mock.method(Deno, "readTextFile").mock;
  try {
    assert.equal(await files.read("long.jsonl", 80), line(998) + line(999));
    await Deno.writeTextFile(path, line(1_000), { append: true });
    assert.equal(await files.read("long.jsonl", 80), line(999) + line(1_000));
    assert.equal(whole.callCount(), 0);
  } finally {
    whole.restore();
  }
  assert.equal((await files.read("long.jsonl"))?.split("\n").length, 1_002);
});

Deno.test("DiskPromptFiles replaces bytes that are no UTF-8", async () => {
  await using root = await temporaryFolder();
  await Deno.writeFile(join(root.path, "SOUL.md"), new Uint8Array([0x61, 0xff, 0x62]));
  assert.equal(await new DiskPromptFiles(root.path).read("SOUL.md"), "a\ufffdb");
});

Deno.test("readImage reads an image whatever its name is", async () => {
  await using root = await temporaryFolder();
  const path = join(root.path, "photo.txt");
  await Deno.writeFile(path, new Uint8Array([0xff, 0xd8, 0xff, 0x00]));
  assert.deepEqual(await readImage(path), { mime: "image/jpeg", base64: "/9j/AA==" });
});

Deno.test("readImage gives nothing for what is missing, a folder, or too big", async () => {
  await using root = await temporaryFolder();
  assert.equal(await readImage(join(root.path, "missing.png")), null);
  assert.equal(await readImage(root.path), null);
  const path = join(root.path, "huge.gif");
  await Deno.writeTextFile(path, "GIF89a");
  await Deno.truncate(path, IMAGE_BYTES_MAX + 1);
  assert.equal(await readImage(path), null);
});

Deno.test("A file of the prompt that only a person can mend is named, and the rest is there", async () => {
  await using root = await temporaryFolder();
  await Deno.mkdir(join(root.path, "memory/MEMORY.md"), { recursive: true });
  await Deno.symlink("USER.md", join(root.path, "USER.md"));
  await Deno.writeTextFile(join(root.path, "SOUL.md"), "I am calm.");
  const prompt = await new PromptBuilder(
    new DiskPromptFiles(root.path),
    promptFacts(root.path),
  ).build("cli");
  assert.match(prompt, /I am calm\./);
  assert.match(prompt, /\[memory\/MEMORY\.md cannot be read \(IsADirectory\): the owner/);
  assert.match(prompt, /\[USER\.md cannot be read \(FilesystemLoop\): the owner/);
});
