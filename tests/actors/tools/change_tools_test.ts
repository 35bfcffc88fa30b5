import assert from "node:assert/strict";
import { join } from "node:path";
import {
  applyPatchTool,
  editFileTool,
  notebookEditTool,
  readFileTool,
  writeFileTool,
} from "../../../actors/tools/file_tools.ts";
import { countCall } from "../../../actors/tools/read_notes.ts";
import { encodeText } from "../../../actors/tools/text_encoding.ts";
import type { Tool } from "../../../actors/tools/tool.ts";
import type { JsonObject } from "../../../actors/kernel/json.ts";
import { type ToolBench, toolBench } from "../../support/tool_context.ts";

async function call(tool: Tool, args: JsonObject, bench: ToolBench): Promise<string> {
  countCall(bench.context.reads);
  const { content } = await tool.call(args, bench.context);
  assert.ok(typeof content === "string");
  return content;
}

async function edited(bench: ToolBench, before: string, args: JsonObject, path = "f.txt") {
  await Deno.writeTextFile(join(bench.workspace, path), before);
  const answer = await call(editFileTool, { path, ...args }, bench);
  return { answer, after: await Deno.readTextFile(join(bench.workspace, path)) };
}

Deno.test.each<[string, string, JsonObject, string]>([
  ["takes a deleted line's end along", "a\nb\nc\n", { old_text: "b", new_text: "" }, "a\nc\n"],
  ["deletes a line named with its end", "a\nb\nc\n", { old_text: "b\n", new_text: "" }, "a\nc\n"],
  ["never joins lines", "bar foo\nbaz\n", { old_text: " foo", new_text: "" }, "bar\nbaz\n"],
  ["keeps the rest of a line", "a b c\n", { old_text: " b", new_text: "" }, "a c\n"],
  ["strips blanks at line ends", "a\n", { old_text: "a", new_text: "b  \nc\t" }, "b\nc\n"],
  ["replaces one of several", "x\nx\n", { old_text: "x", new_text: "y", occurrence: 2 }, "x\ny\n"],
  ["keeps CRLF", "a\r\nb\r\n", { old_text: "a", new_text: "c\nd" }, "c\r\nd\r\nb\r\n"],
  [
    "carries curly quotes over",
    "say \u201cit\u2019s\u201d\n",
    { old_text: 'say "it\'s"', new_text: 'say "that\'s"' },
    "say \u201cthat\u2019s\u201d\n",
  ],
  [
    "prefers what stands there exactly",
    '\u201ca\u201d "a"\n',
    { old_text: '"a"', new_text: '"b"' },
    '\u201ca\u201d "b"\n',
  ],
  [
    "gives each place its own indentation",
    "  a\n  b\n\n    a\n    b\n",
    { old_text: "a\nb", new_text: "c\nd", replace_all: true },
    "  c\n  d\n\n    c\n    d\n",
  ],
])("edit_file %s", async (_what, before, args, expected) => {
  await using bench = await toolBench();
  assert.equal((await edited(bench, before, args)).after, expected);
});

Deno.test("edit_file keeps blanks at line ends in Markdown", async () => {
  await using bench = await toolBench();
  const { after } = await edited(bench, "a\n", { old_text: "a", new_text: "b  \nc" }, "f.md");
  assert.equal(after, "b  \nc\n");
});

function numbered(count: number, end = ""): string {
  const line = (n: number) => `const value${n} = compute(${n}, "of some text")${end}\n`;
  return Array.from({ length: count }, (_, n) => line(n)).join("");
}

Deno.test.each<[string, string, JsonObject]>([
  ["a run of blanks", "a\n", { old_text: "a", new_text: `b${" ".repeat(60_000)}c` }],
  ["lines of which there are many", "a\n".repeat(30_000), {
    old_text: `${"a\n".repeat(5_000)}b\n`,
    new_text: "c",
  }],
  ["a long text that is not there", numbered(3_000), {
    old_text: numbered(120, " // not there"),
    new_text: "c",
  }],
])("edit_file takes no long time with %s", async (_what, before, args) => {
  await using bench = await toolBench();
  let bestMs = Infinity;
  for (let run = 0; run < 3; run++) {
    const startMs = performance.now();
    await edited(bench, before, args);
    bestMs = Math.min(bestMs, performance.now() - startMs);
  }
  assert.ok(bestMs < 1_500, `${Math.round(bestMs)} ms`);
});

Deno.test("edit_file hints at what differs, and at names alike", async () => {
  await using bench = await toolBench();
  const missing = { new_text: "x" };
  const cased = await edited(bench, "Hello World\n", { old_text: "hello world", ...missing });
  assert.match(cased.answer, /Only upper and lower case differ/);
  const blank = await edited(bench, "a  =  1\nb\n", { old_text: "a = 1", ...missing });
  assert.match(blank.answer, /Only blanks and line ends differ/);
  await Deno.writeTextFile(join(bench.workspace, "config.yaml"), "a");
  const typo = { path: "confg.yaml", old_text: "a", new_text: "b" };
  assert.match(
    await call(editFileTool, typo, bench),
    /^Error: .*no such file. There is config.yaml/,
  );
  const notebook = { path: "n.ipynb", old_text: "a", new_text: "b" };
  assert.match(await call(editFileTool, notebook, bench), /^Error: .*notebook_edit/);
});

Deno.test.each(["utf-8-bom", "utf-16le", "utf-16be", "gb18030", "windows-1252"] as const)(
  "edit_file keeps a file in %s",
  async (encoding) => {
    await using bench = await toolBench();
    const word = encoding === "windows-1252" ? "caf\u00e9" : "\u4f60\u597d\u4e16\u754c";
    const path = join(bench.workspace, "f.txt");
    await Deno.writeFile(path, encodeText(`${word} one\n`, encoding));
    assert.match(
      await call(readFileTool, { path: "f.txt" }, bench),
      new RegExp(`1\\| ${word} one`),
    );
    await call(editFileTool, { path: "f.txt", old_text: "one", new_text: "two" }, bench);
    assert.deepEqual(await Deno.readFile(path), encodeText(`${word} two\n`, encoding));
  },
);

Deno.test("edit_file does not lose a character that the file's encoding has not", async () => {
  await using bench = await toolBench();
  const path = join(bench.workspace, "f.txt");
  await Deno.writeFile(path, encodeText("caf\u00e9\n", "windows-1252"));
  const edit = { path: "f.txt", old_text: "caf", new_text: "\u4f60" };
  await assert.rejects(call(editFileTool, edit, bench), /write_file to make it UTF-8/);
  assert.deepEqual(await Deno.readFile(path), encodeText("caf\u00e9\n", "windows-1252"));
});

Deno.test("read_file does not show twice what has not changed, unless it must", async () => {
  await using bench = await toolBench();
  const path = join(bench.workspace, "a.txt");
  await Deno.writeTextFile(path, "one\ntwo\n");
  const read = (args: JsonObject = {}) => call(readFileTool, { path: "a.txt", ...args }, bench);
  assert.match(await read(), /1\| one/);
  assert.match(await read(), /has not changed/);
  assert.match(await read({ force: true }), /1\| one/);
  assert.match(await read({ offset: 2 }), /2\| two/);
  await Deno.writeTextFile(path, "ONE\ntwo\n");
  assert.match(await read(), /1\| ONE/);
  await call(writeFileTool, { path: "a.txt", content: "ONE\ntwo\n" }, bench);
  assert.match(await read(), /1\| ONE/);
  assert.match(await read({ offset: 9 }), /^Error/);
  assert.match(await read({ offset: 9 }), /^Error/);
  for (let n = 0; n < 10; n++) countCall(bench.context.reads);
  assert.match(await read(), /1\| ONE/, "the first time is out of sight by now");
});

Deno.test("read_file keeps to the size of results that the configuration sets", async () => {
  await using bench = await toolBench();
  await Deno.writeTextFile(join(bench.workspace, "a.txt"), "a line of text\n".repeat(5_000));
  const context = { ...bench.context, resultCharsMax: 4_000 };
  const { content } = await readFileTool.call({ path: "a.txt" }, context);
  assert.ok(typeof content === "string" && content.length < 4_000 && content.length > 2_000);
});

Deno.test("read_file refuses what is too large, quickly", async () => {
  await using bench = await toolBench();
  await Deno.create(join(bench.workspace, "huge.txt")).then((file) => file.close());
  await Deno.truncate(join(bench.workspace, "huge.txt"), 2_000_000_000);
  for (const tool of [readFileTool, editFileTool]) {
    const args = { path: "huge.txt", old_text: "a", new_text: "b" };
    await assert.rejects(call(tool, args, bench), { code: "file_too_large" });
  }
});

Deno.test("apply_patch makes all edits, several of one file in turn", async () => {
  await using bench = await toolBench();
  await Deno.writeTextFile(join(bench.workspace, "a.txt"), "one\r\ntwo\r\n");
  const edits = [
    { path: "a.txt", action: "replace", old_text: "one", new_text: "1" },
    { path: "new/b.txt", action: "add", new_text: "b\n" },
    { path: "./a.txt", action: "replace", old_text: "1\ntwo", new_text: "1\n2" },
  ];
  const dry = await call(applyPatchTool, { edits, dry_run: true }, bench);
  assert.match(dry, /nothing was changed/);
  assert.equal(await Deno.readTextFile(join(bench.workspace, "a.txt")), "one\r\ntwo\r\n");
  const answer = await call(applyPatchTool, { edits }, bench);
  assert.match(answer, /Edited .*a\.txt \(2 edits\)\nAdded .*b\.txt \(1 edits\)$/);
  assert.equal(await Deno.readTextFile(join(bench.workspace, "a.txt")), "1\r\n2\r\n");
  assert.equal(await Deno.readTextFile(join(bench.workspace, "new/b.txt")), "b\n");
});

Deno.test.each<[string, JsonObject, RegExp]>([
  ["a text that is not there", { action: "replace", path: "b.txt", old_text: "x" }, /edit 2 of 2/],
  ["a file that is not there", { action: "replace", path: "c.txt", old_text: "x" }, /no such file/],
  ["a file that is there", { action: "add", path: "b.txt" }, /already/],
  ["a path that is protected", { action: "add", path: "cron/j.json" }, /not allowed/],
])("apply_patch changes nothing when one edit meets %s", async (_what, second, problem) => {
  await using bench = await toolBench();
  for (const name of ["a.txt", "b.txt"]) await Deno.writeTextFile(join(bench.workspace, name), "a");
  const first = { path: "a.txt", action: "replace", old_text: "a", new_text: "changed" };
  const edits = [first, { new_text: "y", ...second }];
  const answer = await call(applyPatchTool, { edits }, bench).catch(String);
  assert.match(answer, problem);
  assert.equal(await Deno.readTextFile(join(bench.workspace, "a.txt")), "a");
});

Deno.test("apply_patch takes back what it wrote when a later file cannot be written", async () => {
  await using bench = await toolBench();
  await Deno.writeTextFile(join(bench.workspace, "a.txt"), "a");
  await Deno.mkdir(join(bench.workspace, "locked"));
  const files = {
    ...bench.context.files,
    resolve: (path: string) => bench.context.files.resolve(path),
    info: (path: string) => bench.context.files.info(path),
    read: (path: string, max: number) => bench.context.files.read(path, max),
    remove: (path: string) => bench.context.files.remove(path),
    list: (path: string, max: number) => bench.context.files.list(path, max),
    write: (path: string, bytes: Uint8Array) =>
      path === "full.txt"
        ? Promise.reject(new Error("no space left on device"))
        : bench.context.files.write(path, bytes),
  };
  const edits = [
    { path: "a.txt", action: "replace", old_text: "a", new_text: "b" },
    { path: "new.txt", action: "add", new_text: "n" },
    { path: "full.txt", action: "add", new_text: "f" },
  ];
  const { content, isError } = await applyPatchTool.call({ edits }, { ...bench.context, files });
  assert.ok(isError);
  assert.match(String(content), /no space left.*Nothing was changed/);
  assert.equal(await Deno.readTextFile(join(bench.workspace, "a.txt")), "a");
  await assert.rejects(Deno.stat(join(bench.workspace, "new.txt")), Deno.errors.NotFound);
});

interface Cell {
  readonly cell_type: string;
  readonly source: string;
  readonly id?: string;
  readonly outputs?: readonly unknown[];
}

async function notebook(bench: ToolBench, args: JsonObject): Promise<string> {
  return await call(notebookEditTool, { path: "n.ipynb", ...args }, bench);
}

async function cells(bench: ToolBench): Promise<readonly Cell[]> {
  const text = await Deno.readTextFile(join(bench.workspace, "n.ipynb"));
  assert.match(text, /^\{\n "/, "written with an indent of one");
  return JSON.parse(text).cells;
}

Deno.test("notebook_edit makes, inserts, replaces and deletes", async () => {
  await using bench = await toolBench();
  await notebook(bench, {
    cell_index: 0,
    new_source: "# T",
    cell_type: "markdown",
    edit_mode: "insert",
  });
  await notebook(bench, { cell_index: 0, new_source: "x = 1", edit_mode: "insert" });
  await notebook(bench, { cell_index: -1, new_source: "first", edit_mode: "insert" });
  assert.deepEqual((await cells(bench)).map(({ source }) => source), ["first", "# T", "x = 1"]);
  assert.equal(new Set((await cells(bench)).map(({ id }) => id)).size, 3);
  await notebook(bench, { cell_index: 1, new_source: "# U" });
  const [, second] = await cells(bench);
  assert.equal(second?.cell_type, "markdown", "a replaced cell keeps its type");
  assert.ok(!("outputs" in (second ?? {})));
  await notebook(bench, { cell_index: 0, edit_mode: "delete" });
  assert.deepEqual((await cells(bench)).map(({ source }) => source), ["# U", "x = 1"]);
});

Deno.test("notebook_edit keeps what it does not know, and drops stale outputs", async () => {
  await using bench = await toolBench();
  const before = {
    cells: [{
      cell_type: "code",
      source: ["a\n"],
      outputs: [1],
      execution_count: 3,
      metadata: { k: 1 },
    }],
    metadata: { custom: true },
    nbformat: 4,
    nbformat_minor: 2,
  };
  await Deno.writeTextFile(join(bench.workspace, "n.ipynb"), JSON.stringify(before));
  await notebook(bench, { cell_index: 0, new_source: "b" });
  const after = JSON.parse(await Deno.readTextFile(join(bench.workspace, "n.ipynb")));
  assert.deepEqual(after, {
    ...before,
    cells: [{
      cell_type: "code",
      source: "b",
      outputs: [],
      execution_count: null,
      metadata: { k: 1 },
    }],
  });
});

Deno.test("notebook_edit says what is wrong", async () => {
  await using bench = await toolBench();
  assert.match(await notebook(bench, { cell_index: 0 }), /^Error: .*no such file/);
  await notebook(bench, { cell_index: 0, edit_mode: "insert" });
  assert.match(await notebook(bench, { cell_index: 5 }), /^Error: .*no cell 5: it has 1/);
  assert.match(await notebook(bench, { path: "a.txt", cell_index: 0 }), /^Error: .*no notebook/);
  await Deno.writeTextFile(join(bench.workspace, "n.ipynb"), "{");
  assert.match(await notebook(bench, { cell_index: 0 }), /^Error: .*not the JSON/);
  await assert.rejects(notebook(bench, { cell_index: 0, edit_mode: "move" }), {
    code: "arguments_invalid",
  });
});
