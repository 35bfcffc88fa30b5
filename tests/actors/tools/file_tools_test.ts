import assert from "node:assert/strict";
import { join } from "node:path";
import {
  editFileTool,
  listDirTool,
  readFileTool,
  writeFileTool,
} from "../../../actors/tools/file_tools.ts";
import type { Tool } from "../../../actors/tools/tool.ts";
import type { JsonObject } from "../../../actors/kernel/json.ts";
import { type ToolBench, toolBench } from "../../support/tool_context.ts";

async function call(tool: Tool, args: JsonObject, bench: ToolBench): Promise<string> {
  const { content } = await tool.call(args, bench.context);
  assert.ok(typeof content === "string");
  return content;
}

async function edited(bench: ToolBench, before: string, args: JsonObject, path = "f.txt") {
  await Deno.writeTextFile(join(bench.workspace, path), before);
  const answer = await call(editFileTool, { path, ...args }, bench);
  return { answer, after: await Deno.readTextFile(join(bench.workspace, path)) };
}

Deno.test("read_file numbers lines and says how to go on", async () => {
  await using bench = await toolBench();
  const lines = Array.from({ length: 20 }, (_, n) => `line ${n + 1}`);
  await Deno.writeTextFile(join(bench.workspace, "a.txt"), lines.join("\r\n"));
  const page = await call(readFileTool, { path: "a.txt", offset: 5, limit: "3" }, bench);
  assert.equal(page, "5| line 5\n6| line 6\n7| line 7\n\n(Lines 5-7 of 20; go on with offset=8)");
  assert.match(await call(readFileTool, { path: "a.txt" }, bench), /20\| line 20\n\n\(End of file/);
});

Deno.test("read_file keeps a page below the size limit of results", async () => {
  await using bench = await toolBench();
  await Deno.writeTextFile(join(bench.workspace, "long.txt"), "中文😀 text\n".repeat(5_000));
  const page = await call(readFileTool, { path: "long.txt" }, bench);
  assert.ok(page.length < 16_000);
  assert.match(page, /go on with offset=\d+/);
});

Deno.test("read_file answers empty, binary and too short files with what they are", async () => {
  await using bench = await toolBench();
  await Deno.writeFile(join(bench.workspace, "b.bin"), new Uint8Array([0, 1, 2, 255]));
  await Deno.writeTextFile(join(bench.workspace, "e.txt"), "");
  await Deno.writeTextFile(join(bench.workspace, "s.txt"), "one\n");
  assert.match(await call(readFileTool, { path: "b.bin" }, bench), /binary file of 4 bytes/);
  assert.match(await call(readFileTool, { path: "e.txt" }, bench), /is empty/);
  assert.match(await call(readFileTool, { path: "s.txt", offset: 9 }, bench), /has 1 lines/);
});

Deno.test("read_file shows a drawing that is text as text", async () => {
  await using bench = await toolBench();
  await Deno.writeTextFile(join(bench.workspace, "a.svg"), '<svg xmlns="x"/>\n');
  const { content } = await readFileTool.call({ path: "a.svg" }, bench.context);
  assert.match(String(content), /^1\| <svg xmlns="x"\/>/);
});

Deno.test("read_file shows images as images", async () => {
  await using bench = await toolBench();
  const png = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 1, 2]);
  await Deno.writeFile(join(bench.workspace, "p.png"), png);
  const { content } = await readFileTool.call({ path: "p.png" }, bench.context);
  assert.ok(Array.isArray(content));
  assert.deepEqual(content[0], {
    type: "image_url",
    image_url: { url: `data:image/png;base64,${png.toBase64()}` },
    _meta: { path: join(bench.workspace, "p.png") },
  });
});

Deno.test("File tools refuse paths that lead out of the workspace, symlinks included", async () => {
  await using bench = await toolBench();
  const outside = join(bench.root, "secret.txt");
  await Deno.writeTextFile(outside, "secret");
  await Deno.symlink(outside, join(bench.workspace, "link.txt"));
  await Deno.symlink(bench.root, join(bench.workspace, "folder"));
  await Deno.symlink(join(bench.root, "new.txt"), join(bench.workspace, "dangling.txt"));
  for (const path of ["../secret.txt", outside, "~/secret.txt", "link.txt", "folder/secret.txt"]) {
    await assert.rejects(readFileTool.call({ path }, bench.context), { code: "path_outside" });
    const write = writeFileTool.call({ path, content: "x" }, bench.context);
    await assert.rejects(write, { code: "path_outside" });
  }
  await assert.rejects(listDirTool.call({ path: "folder" }, bench.context), {
    code: "path_outside",
  });
  const dangling = writeFileTool.call({ path: "dangling.txt", content: "x" }, bench.context);
  await assert.rejects(dangling, { code: "path_missing" });
  assert.equal(await Deno.readTextFile(outside), "secret");
});

Deno.test("File tools read extra roots but never write there", async () => {
  const media = await Deno.realPath(await Deno.makeTempDir());
  await using bench = await toolBench({ readableRoots: [media] });
  const path = join(media, "photo.txt");
  await Deno.writeTextFile(path, "seen");
  assert.match(await call(readFileTool, { path }, bench), /1\| seen/);
  await assert.rejects(writeFileTool.call({ path, content: "x" }, bench.context), {
    code: "path_outside",
  });
  await Deno.remove(media, { recursive: true });
});

Deno.test.each([
  "sessions/feishu_oc_1.jsonl",
  "memory/history.jsonl",
  "memory/.dream_cursor",
  "cron/jobs.json",
])("write_file leaves the gateway's own %s alone", async (path) => {
  await using bench = await toolBench();
  await assert.rejects(writeFileTool.call({ path, content: "x" }, bench.context), {
    code: "path_protected",
  });
});

Deno.test("write_file protects what the gateway names, also without the restriction", async () => {
  const state = await Deno.realPath(await Deno.makeTempDir());
  await using bench = await toolBench({ isRestricted: false, protectedPaths: [state] });
  const own = writeFileTool.call({ path: join(state, "j.sqlite"), content: "x" }, bench.context);
  await assert.rejects(own, { code: "path_protected" });
  await writeFileTool.call({ path: join(bench.root, "free.txt"), content: "x" }, bench.context);
  await Deno.remove(state, { recursive: true });
});

Deno.test("write_file makes folders, replaces whole files and leaves nothing else", async () => {
  await using bench = await toolBench();
  await call(writeFileTool, { path: "a/b/c.txt", content: "first, longer" }, bench);
  await call(writeFileTool, { path: "a/b/c.txt", content: { 键: "值 😀" } }, bench);
  const folder = join(bench.workspace, "a/b");
  assert.equal(await Deno.readTextFile(join(folder, "c.txt")), '{"键":"值 😀"}');
  const names = (await Array.fromAsync(Deno.readDir(folder))).map(({ name }) => name);
  assert.deepEqual(names, ["c.txt"]);
});

Deno.test("edit_file replaces one exact stretch", async () => {
  await using bench = await toolBench();
  const { after } = await edited(bench, "one two three", { old_text: "two", new_text: "2" });
  assert.equal(after, "one 2 three");
});

Deno.test("edit_file keeps each line's own end in a mixed file", async () => {
  await using bench = await toolBench();
  const { after } = await edited(bench, "a\r\nb\nc\r\nd\r\n", {
    old_text: "b\nc",
    new_text: "B\nnew\nC",
  });
  assert.equal(after, "a\r\nB\r\nnew\r\nC\r\nd\r\n");
});

Deno.test("edit_file forgives outer blanks of lines and keeps the file's indentation", async () => {
  await using bench = await toolBench();
  const before = "def f():\n    if x:\n        go()\n";
  const { after } = await edited(bench, before, {
    old_text: "if x:\n    go()",
    new_text: "if y:\n    stop()",
  });
  assert.equal(after, "def f():\n    if y:\n        stop()\n");
});

Deno.test("edit_file forgives curly quotes", async () => {
  await using bench = await toolBench();
  const { after } = await edited(bench, "say \u201chi\u201d now", {
    old_text: 'say "hi"',
    new_text: "say bye",
  });
  assert.equal(after, "say bye now");
});

Deno.test("edit_file refuses an ambiguous stretch with its lines, unless told to replace all", async () => {
  await using bench = await toolBench();
  const first = await edited(bench, "x\ny\nx\n", { old_text: "x", new_text: "z" });
  assert.match(first.answer, /^Error: .*2 times \(lines 1, 3\)/);
  assert.equal(first.after, "x\ny\nx\n");
  const all = await edited(bench, "x\ny\nx\n", {
    old_text: "x",
    new_text: "z",
    replace_all: "yes",
  });
  assert.equal(all.after, "z\ny\nz\n");
});

Deno.test("edit_file shows the nearest place when the stretch is not there", async () => {
  await using bench = await toolBench();
  const { answer } = await edited(bench, "alpha\nfunction render(view) {\nomega\n", {
    old_text: "function render(views) {",
    new_text: "",
  });
  assert.match(
    answer,
    /^Error: .*from line 2:\n(.*\n)*-function render\(views\) \{\n\+function render\(view\) \{/,
  );
});

Deno.test("edit_file warns when the file was not read, or changed since", async () => {
  await using bench = await toolBench();
  const args = { old_text: "a", new_text: "b" };
  assert.match((await edited(bench, "a", args)).answer, /was not read before/);
  await call(readFileTool, { path: "f.txt" }, bench);
  assert.match((await edited(bench, "a!", args)).answer, /has changed since/);
  await Deno.writeTextFile(join(bench.workspace, "g.txt"), "a");
  await call(readFileTool, { path: "g.txt" }, bench);
  assert.match(await call(editFileTool, { path: "g.txt", ...args }, bench), /^Edited/);
});

Deno.test("edit_file makes a missing file from an empty old_text, and only then", async () => {
  await using bench = await toolBench();
  await call(editFileTool, { path: "new/n.txt", old_text: "", new_text: "hi" }, bench);
  assert.equal(await Deno.readTextFile(join(bench.workspace, "new/n.txt")), "hi");
  const again = await call(editFileTool, { path: "new/n.txt", old_text: "", new_text: "x" }, bench);
  assert.match(again, /^Error: .*old_text is empty/);
  const missing = await call(editFileTool, { path: "m", old_text: "a", new_text: "x" }, bench);
  assert.match(missing, /^Error: .*no such file/);
});

Deno.test("list_dir sorts, marks folders, leaves noise out and counts the rest", async () => {
  await using bench = await toolBench();
  for (const folder of ["src/deep", "node_modules/x", ".git"]) {
    await Deno.mkdir(join(bench.workspace, folder), { recursive: true });
  }
  for (const file of ["b.txt", "a.txt", "src/main.py", "build"]) {
    await Deno.writeTextFile(join(bench.workspace, file), "");
  }
  await Deno.symlink("a.txt", join(bench.workspace, "z"));
  assert.equal(await call(listDirTool, { path: "." }, bench), "a.txt\nb.txt\nbuild\nsrc/\nz@");
  assert.match(
    await call(listDirTool, { path: ".", recursive: true, max_entries: 4 }, bench),
    /^a.txt\nb.txt\nbuild\nsrc\/\n\n\(First 4 of 7 entries\)$/,
  );
  assert.match(await call(listDirTool, { path: "src/deep" }, bench), /is empty/);
  await assert.rejects(listDirTool.call({ path: "none" }, bench.context), { code: "path_missing" });
});
