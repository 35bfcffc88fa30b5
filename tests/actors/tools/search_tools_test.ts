import assert from "node:assert/strict";
import { join } from "node:path";
import { globMatcher } from "../../../actors/tools/glob_pattern.ts";
import { globTool, grepTool, listDirTool } from "../../../actors/tools/file_tools.ts";
import type { Tool } from "../../../actors/tools/tool.ts";
import type { JsonObject } from "../../../actors/kernel/json.ts";
import { type ToolBench, toolBench } from "../../support/tool_context.ts";

async function call(tool: Tool, args: JsonObject, bench: ToolBench): Promise<string> {
  const { content } = await tool.call(args, bench.context);
  assert.ok(typeof content === "string");
  return content;
}

function makeFiles(folder: string, count: number): void {
  for (let n = 0; n < count; n++) {
    Deno.openSync(join(folder, `f${n}`), { createNew: true, write: true }).close();
  }
}

/** Writes files; each is a second newer than the one before. */
async function fill(bench: ToolBench, files: Readonly<Record<string, string | Uint8Array>>) {
  for (const [index, [path, content]] of Object.entries(files).entries()) {
    const full = join(bench.workspace, path);
    await Deno.mkdir(join(full, ".."), { recursive: true });
    const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
    await Deno.writeFile(full, bytes);
    await Deno.utime(full, 1_700_000_000 + index, 1_700_000_000 + index);
  }
}

const TREE = {
  "src/k.py": "",
  "pkg/src/k.py": "",
  "tests/test_a.py": "",
  "tests/x/y/test_b.py": "",
  "src/api/c.ts": "",
  "node_modules/n/d.ts": "",
  ".hidden/e.ts": "",
};

Deno.test.each<[string, JsonObject, string[]]>([
  ["names anywhere", { pattern: "*.ts" }, [".hidden/e.ts", "src/api/c.ts"]],
  ["anchored paths", { pattern: "src/*.py" }, ["src/k.py"]],
  ["real globstars", { pattern: "tests/**/test_*.py" }, ["tests/x/y/test_b.py", "tests/test_a.py"]],
  ["leading globstars", { pattern: "**/k.py" }, ["pkg/src/k.py", "src/k.py"]],
  ["braces", { pattern: "**/*.{ts,txt}" }, [".hidden/e.ts", "src/api/c.ts"]],
  ["backslashes", { pattern: "src\\*.py" }, ["src/k.py"]],
  ["folders", { pattern: "src/*", entry_type: "dirs" }, ["src/api/"]],
  ["a folder", { pattern: "*.py", path: "tests" }, ["tests/x/y/test_b.py", "tests/test_a.py"]],
])("glob finds %s, newest first", async (_what, args, expected) => {
  await using bench = await toolBench();
  await fill(bench, TREE);
  assert.deepEqual((await call(globTool, args, bench)).split("\n"), expected);
});

Deno.test("glob shows pages, and says where there is more", async () => {
  await using bench = await toolBench();
  await fill(bench, { "a.txt": "", "b.txt": "", "c.txt": "" });
  assert.equal(
    await call(globTool, { pattern: "*.txt", head_limit: 1, offset: 1 }, bench),
    "b.txt\n\n(2-2 of 3, limit=1, offset=1; go on with offset=2)",
  );
  assert.match(await call(globTool, { pattern: "*.md" }, bench), /Nothing matches/);
});

Deno.test("grep lists files newest first, and lines with what is around them", async () => {
  await using bench = await toolBench();
  await fill(bench, { "a.txt": "alpha\nbeta\ngamma\n", "b.txt": "x\nGAMMA\r\n", "c.md": "gamma" });
  assert.equal(await call(grepTool, { pattern: "gamma" }, bench), "c.md\na.txt");
  assert.equal(
    await call(grepTool, { pattern: "gamma", case_insensitive: true }, bench),
    "c.md\nb.txt\na.txt",
  );
  assert.equal(
    await call(
      grepTool,
      { pattern: "gamma", glob: "*.txt", output_mode: "content", context_before: 1 },
      bench,
    ),
    "a.txt:3\n  2| beta\n> 3| gamma",
  );
  assert.equal(await call(grepTool, { pattern: "gamma", type: "md" }, bench), "c.md");
  assert.equal(
    await call(grepTool, { pattern: "a", output_mode: "count", path: "a.txt" }, bench),
    "a.txt: 3\n\n(3 matches in 1 files)",
  );
});

Deno.test("grep shows all with a limit of 0, one by one with others, and takes a type as an ending", async () => {
  await using bench = await toolBench();
  const many = Array.from({ length: 300 }, (_, n) => [`f${n}.zig`, "hit"] as const);
  await fill(bench, { ...Object.fromEntries(many), "a.txt": "hit" });
  const lines = async (args: JsonObject) =>
    (await call(grepTool, { pattern: "hit", ...args }, bench)).split("\n");
  assert.equal((await lines({ head_limit: 0 })).length, 301);
  assert.equal((await lines({ head_limit: 0, type: "zig" })).length, 300);
  assert.deepEqual((await lines({ type: "zig" })).slice(250), [
    "",
    "(1-250 of 300, limit=250, offset=0; go on with offset=250)",
  ]);
  assert.equal(
    (await lines({ max_results: 2 }))[3],
    "(1-2 of 301, limit=2, offset=0; go on with offset=2)",
  );
});

Deno.test.each(["../*", "../outside/*", "/etc/*", "sub/../../*", "{..,none}/*"])(
  "glob finds nothing outside by %s",
  async (pattern) => {
    await using bench = await toolBench();
    await fill(bench, { "../outside/secret.txt": "" });
    const answer = await call(globTool, { pattern }, bench);
    assert.match(answer, /^\(Nothing matches/);
  },
);

Deno.test.each(["*(*a)b", "+(a|@(aa))b", "x/*(?|a).md"])(
  "glob refuses %s, which takes forever with a long name",
  (pattern) => {
    assert.throws(() => globMatcher(pattern), /a wildcard stands in a repeated group/);
  },
);

Deno.test.each([["*(a|b).md", "ab.md"], ["!(*.test).ts", "a.ts"], ["@(a*|b).md", "ax.md"]])(
  "glob takes %s",
  (pattern, name) => assert.ok(globMatcher(pattern)(name)),
);

Deno.test("grep never shows a line twice, however close its matches are", async () => {
  await using bench = await toolBench();
  await fill(bench, { "a.txt": "1\nhit\n3\nhit\n5\n6\n7\n8\nhit\n" });
  const args = { pattern: "hit", output_mode: "content", context_before: 1, context_after: 1 };
  assert.equal(
    await call(grepTool, args, bench),
    "a.txt:2\n  1| 1\n> 2| hit\n  3| 3\n> 4| hit\n  5| 5\n\na.txt:9\n  8| 8\n> 9| hit",
  );
});

Deno.test("grep takes brackets as they stand when told to", async () => {
  await using bench = await toolBench();
  await fill(bench, { "a.txt": "list[0] = (1)\n" });
  const args = { pattern: "list[0] = (", fixed_strings: true };
  assert.equal(await call(grepTool, args, bench), "a.txt");
  await assert.rejects(call(grepTool, { pattern: "list[0] = (" }, bench), {
    code: "arguments_invalid",
    message: /fixed_strings/,
  });
});

Deno.test("grep counts what it leaves out, and goes on past what it cannot read", async () => {
  await using bench = await toolBench();
  await fill(bench, {
    "good.txt": "needle",
    "b.bin": new Uint8Array([0, 1, 2]),
    "big.txt": "needle",
  });
  await Deno.truncate(join(bench.workspace, "big.txt"), 3_000_000);
  await Deno.symlink("nowhere", join(bench.workspace, "broken"));
  await Deno.symlink(bench.workspace, join(bench.workspace, "circle"));
  const answer = await call(grepTool, { pattern: "needle" }, bench);
  assert.match(answer, /^good\.txt\n\n\(Skipped 1 files of more than/);
  assert.match(answer, /Skipped 1 binary files/);
});

Deno.test("grep heeds ignore files, also those of subfolders, unless told not to", async () => {
  await using bench = await toolBench();
  await fill(bench, {
    ".gitignore": "*.log\n/out/\n!keep.log\n",
    "sub/.gitignore": "local.txt\n",
    "a.log": "needle",
    "keep.log": "needle",
    "out/x.txt": "needle",
    "sub/out/x.txt": "needle",
    "sub/local.txt": "needle",
    "sub/b.log": "needle",
  });
  assert.equal(await call(grepTool, { pattern: "needle" }, bench), "sub/out/x.txt\nkeep.log");
  const all = await call(grepTool, { pattern: "needle", include_ignored: true }, bench);
  assert.equal(all.split("\n").length, 6);
  assert.equal(await call(grepTool, { pattern: "needle", path: "a.log" }, bench), "a.log");
});

Deno.test.each(["(a+)+$", "(a|a)*$", "(.*)*x", "(a|aa)+$", "([a-z]+)*\\d", "^(([a-z])+.)+[A-Z]$"])(
  "grep is not slowed down by the expression %s",
  async (pattern) => {
    await using bench = await toolBench();
    await fill(bench, { "a.txt": `${"a".repeat(50_000)}!\n` });
    const startMs = performance.now();
    await call(grepTool, { pattern }, bench);
    assert.ok(performance.now() - startMs < 5_000);
  },
);

Deno.test("grep refuses expressions that are too large, and says what it does not know", async () => {
  await using bench = await toolBench();
  for (const pattern of ["((a{100}){100}){100}", "(?=x)y", "(\\w+) \\1", "x".repeat(5_000)]) {
    await assert.rejects(call(grepTool, { pattern }, bench), { code: "arguments_invalid" });
  }
});

Deno.test("grep finds texts in other encodings", async () => {
  await using bench = await toolBench();
  const wide = new Uint8Array([0xff, 0xfe, ...[..."needle"].flatMap((c) => [c.charCodeAt(0), 0])]);
  await fill(bench, { "wide.txt": wide, "latin.txt": new Uint8Array([0xe9, 0x20, 0x6e]) });
  assert.equal(await call(grepTool, { pattern: "needle" }, bench), "wide.txt");
  assert.equal(await call(grepTool, { pattern: "é n" }, bench), "latin.txt");
});

Deno.test("list_dir works in a workspace whose own path looks like noise", async () => {
  await using bench = await toolBench();
  await fill(bench, { "build/dist/a.txt": "" });
  const inside = { path: "build", recursive: true };
  assert.match(await call(listDirTool, inside, bench), /is empty/);
  const noise = join(bench.workspace, "build/dist");
  assert.equal(await call(listDirTool, { path: noise, recursive: true }, bench), "a.txt");
});

Deno.test("list_dir and glob are bounded in folders with very many entries", async () => {
  await using bench = await toolBench();
  const folder = join(bench.workspace, "many");
  await Deno.mkdir(folder);
  makeFiles(folder, 25_000);
  const listed = await call(listDirTool, { path: "many", recursive: true, max_entries: 3 }, bench);
  assert.match(listed, /\(First 3 of more than 20000 entries\)/);
  assert.match(await call(globTool, { pattern: "f1*" }, bench), /more than can be looked through/);
});
