import assert from "node:assert/strict";
import { join } from "node:path";
import { mock } from "node:test";
import { readImage } from "../../../../actors/session/adapters/image_files.ts";
import { DiskPromptFiles, promptFacts } from "../../../../actors/session/adapters/prompt_files.ts";
import {
  syncWorkspace,
  TEMPLATE_DIGESTS,
  templateDigest,
  WORKSPACE_TEMPLATE,
} from "../../../../actors/session/adapters/workspace_template.ts";
import { PromptBuilder } from "../../../../actors/session/prompt.ts";
import { IMAGE_BYTES_MAX } from "../../../../actors/session/runtime_context.ts";
import { temporaryFolder } from "../../../support/temporary_folder.ts";

Deno.test("syncWorkspace makes everything that is missing, once", async () => {
  await using root = await temporaryFolder();
  const workspace = join(root.path, "new", "workspace");
  assert.deepEqual(await syncWorkspace(workspace), {
    made: ["AGENTS.md", "SOUL.md", "USER.md", "TOOLS.md", "HEARTBEAT.md", "memory/MEMORY.md"],
    renewed: [],
  });
  assert.ok((await Deno.stat(join(workspace, "skills"))).isDirectory);
  assert.deepEqual(await syncWorkspace(workspace), { made: [], renewed: [] });
});

Deno.test("syncWorkspace keeps what is there", async () => {
  await using root = await temporaryFolder();
  await Deno.writeTextFile(join(root.path, "SOUL.md"), "mine");
  await Deno.writeTextFile(join(root.path, "USER.md"), "");
  const { made, renewed } = await syncWorkspace(root.path);
  assert.ok(!made.includes("SOUL.md") && !made.includes("USER.md"));
  assert.deepEqual(renewed, []);
  assert.equal(await Deno.readTextFile(join(root.path, "SOUL.md")), "mine");
  assert.equal(await Deno.readTextFile(join(root.path, "USER.md")), "");
});

/** The first TOOLS.md that there was. */
const OLDEST_TOOLS = `# Notes on tools

What each tool takes stands in its own description. Here is what does not.

## exec

- A command ends at its time limit, and everything it started ends with it.
- Long output is cut in the middle: send it to a file, and read the part you need.
- Dangerous commands are refused; a refusal is final, so choose another way instead of rewording it.

## glob and grep

- Use them to find files and text, before \`exec\`.
- Start narrow: a folder, a pattern, a file type. Count or list first when there may be many hits.

## cron

- Reminders and jobs belong there: see \`AGENTS.md\`.
`;

Deno.test("What an older template made, and nobody changed, is brought up to date", async () => {
  await using root = await temporaryFolder();
  const at = (path: string) => join(root.path, path);
  await Deno.writeTextFile(at("SOUL.md"), OLDEST_TOOLS); // whichever file it was: nobody wrote it
  await Deno.writeTextFile(at("TOOLS.md"), `${OLDEST_TOOLS}- and mine\n`);
  await Deno.writeTextFile(at("elsewhere.md"), OLDEST_TOOLS);
  await Deno.symlink("elsewhere.md", at("AGENTS.md"));
  assert.deepEqual((await syncWorkspace(root.path)).renewed, ["SOUL.md"]);
  assert.equal(await Deno.readTextFile(at("SOUL.md")), WORKSPACE_TEMPLATE.get("SOUL.md"));
  assert.equal(await Deno.readTextFile(at("TOOLS.md")), `${OLDEST_TOOLS}- and mine\n`);
  assert.equal(await Deno.readTextFile(at("elsewhere.md")), OLDEST_TOOLS);
});

Deno.test("Each text of the template is known by its digest, as it will be an older one some day", () => {
  for (const [path, text] of WORKSPACE_TEMPLATE) {
    const digest = templateDigest(text);
    assert.ok(TEMPLATE_DIGESTS.has(digest), `add ${digest} of ${path} to TEMPLATE_DIGESTS`);
  }
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
