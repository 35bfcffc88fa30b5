import assert from "node:assert/strict";
import { join } from "node:path";
import { type FitOptions, fitResult } from "../../../actors/session/tool_result.ts";
import { WorkspaceFiles } from "../../../actors/tools/adapters/workspace_files.ts";
import { bucketName } from "../../../actors/tools/result_folder.ts";
import { readFileTool } from "../../../actors/tools/file_tools.ts";
import type { ContentBlock } from "../../../providers/provider.ts";
import { type ToolBench, toolBench } from "../../support/tool_context.ts";

const DAY_MS = 24 * 3_600_000;

function options(bench: ToolBench, change: Partial<FitOptions> = {}): FitOptions {
  let count = 0;
  return {
    toolName: "grep",
    charsMax: 2_048,
    sessionKey: "test:runner",
    workspace: bench.workspace,
    files: bench.context.files,
    newId: () => `call_${++count}`,
    nowMs: Date.now(),
    ...change,
  };
}

function buckets(bench: ToolBench): string {
  return join(bench.workspace, ".nanobot/tool-results");
}

Deno.test("A long result goes to a file that read_file shows in pages that fit", async () => {
  await using bench = await toolBench();
  const text = `${"a line of output\n".repeat(1_000)}${"endless ".repeat(2_000)}`;
  const shown = String(await fitResult({ content: text, isError: false }, options(bench)));
  assert.ok(shown.length < 2_048);
  const path = /kept in (.*)\]/.exec(shown)?.[1] ?? "";
  assert.equal(path, join(buckets(bench), "test_3Arunner", "call_1.txt"));
  let seen = "";
  for (let offset = 1; offset > 0;) {
    const context = { ...bench.context, resultCharsMax: 2_048 };
    const { content } = await readFileTool.call({ path, offset }, context);
    const page = String(content);
    assert.ok(page.length < 2_048 + 1_000);
    seen += page.replaceAll(/^\d+\| /gm, "");
    offset = Number(/go on with offset=(\d+)/.exec(page)?.[1] ?? 0);
  }
  assert.equal(seen.match(/a line of output/g)?.length, 1_000);
});

Deno.test.each([
  { what: "no text", content: "" },
  { what: "blanks", content: " \n\t" },
  { what: "no blocks", content: [] },
  { what: "blank blocks", content: [{ type: "text", text: " " } as const] },
])("A result of $what says that there is nothing", async ({ content }) => {
  await using bench = await toolBench();
  const fitted = await fitResult({ content, isError: false }, options(bench));
  assert.match(String(fitted), /^\(\w+ finished without output\)$/);
});

Deno.test.each([
  { what: "2,000 characters", text: "a".repeat(2_000), kept: "a".repeat(2_000) },
  { what: "one more", text: "a".repeat(2_001), kept: `${"a".repeat(2_000)}\na` },
  {
    what: "twice as many",
    text: "a".repeat(4_000),
    kept: `${"a".repeat(2_000)}\n${"a".repeat(2_000)}`,
  },
  { what: "2,001 pairs", text: "🐈".repeat(2_001), kept: `${"🐈".repeat(2_000)}\n🐈` },
  {
    what: "short ones around",
    text: `a\n\n${"b".repeat(2_001)}\nc\n`,
    kept: `a\n\n${"b".repeat(2_000)}\nb\nc\n`,
  },
])("A line is broken where read_file would cut it: $what", async ({ text, kept }) => {
  await using bench = await toolBench();
  await fitResult({ content: text, isError: false }, options(bench, { charsMax: 100 }));
  const path = join(buckets(bench), "test_3Arunner", "call_1.txt");
  assert.equal(await Deno.readTextFile(path), kept);
});

Deno.test("Two calls of one session never share a file", async () => {
  await using bench = await toolBench();
  const fit = options(bench);
  const first = await fitResult({ content: "a".repeat(3_000), isError: false }, fit);
  const second = await fitResult({ content: "b".repeat(3_000), isError: false }, fit);
  assert.match(String(first), /call_1\.txt/);
  assert.match(String(second), /call_2\.txt/);
});

Deno.test("Old buckets go, and all but the newest 32", async () => {
  await using bench = await toolBench();
  for (let n = 0; n < 40; n++) {
    const bucket = join(buckets(bench), `s${n}`);
    await Deno.mkdir(bucket, { recursive: true });
    await Deno.writeTextFile(join(bucket, "r.txt"), "x");
    const seconds = (Date.now() - (n < 3 ? 8 : 1) * DAY_MS) / 1_000 + n;
    await Deno.utime(bucket, seconds, seconds);
  }
  await fitResult({ content: "a".repeat(3_000), isError: false }, options(bench));
  const left = (await Array.fromAsync(Deno.readDir(buckets(bench)))).map(({ name }) => name);
  assert.equal(left.length, 32);
  assert.ok(left.includes("test_3Arunner") && left.includes("s39") && !left.includes("s0"));
});

Deno.test.each([
  { what: "are older than a week", count: 3, days: 8, bytes: 10, left: 1 },
  { what: "are more than a hundred", count: 105, days: 0.5, bytes: 10, left: 100 },
  { what: "take more than 200 MB", count: 4, days: 0.5, bytes: 90_000_000, left: 3 },
])("Of a conversation's own results those go that $what", async ({ count, days, bytes, left }) => {
  await using bench = await toolBench();
  const bucket = join(buckets(bench), "test_3Arunner");
  await Deno.mkdir(bucket, { recursive: true });
  for (let n = 0; n < count; n++) {
    const path = join(bucket, `r${n}.txt`);
    await Deno.writeTextFile(path, "");
    await Deno.truncate(path, bytes);
    const seconds = (Date.now() - days * DAY_MS) / 1_000 + n;
    await Deno.utime(path, seconds, seconds);
  }
  const fitted = await fitResult({ content: "a".repeat(3_000), isError: false }, options(bench));
  const names = (await Array.fromAsync(Deno.readDir(bucket))).map(({ name }) => name);
  assert.equal(names.length, left);
  assert.ok(names.some((name) => String(fitted).includes(name)), "the new one is there");
});

Deno.test("A result stays readable when nothing can be written or cleaned", async () => {
  await using bench = await toolBench();
  const broken = () => Promise.reject(new Error("no space left on device"));
  const files = {
    ...options(bench).files,
    write: broken,
    list: broken,
    info: broken,
    remove: broken,
  };
  const long = { content: "a".repeat(3_000), isError: false };
  assert.match(String(await fitResult(long, options(bench, { files }))), /cut at 2048 characters/);
});

Deno.test("Images of a result are bounded, in number and in size", async () => {
  await using bench = await toolBench();
  const image = (chars: number): ContentBlock => ({
    type: "image_url",
    image_url: { url: "x".repeat(chars) },
  });
  const few = [image(10), { type: "text", text: "one" } as const];
  assert.equal(await fitResult({ content: few, isError: false }, options(bench)), few);
  const many = [
    ...Array.from({ length: 12 }, () => image(10)),
    { type: "text", text: "all" } as const,
  ];
  const fitted = await fitResult({ content: many, isError: false }, options(bench));
  assert.equal(fitted.length, 9);
  assert.deepEqual(fitted.at(-1), { type: "text", text: "all\n(4 more images are not shown)" });
  const huge = await fitResult({ content: [image(15_000_000)], isError: false }, options(bench));
  assert.deepEqual(huge, [{ type: "text", text: "(1 more images are not shown)" }]);
  const wordy = [image(10), { type: "text", text: "w".repeat(5_000) } as const];
  const [kept, note] = await fitResult({ content: wordy, isError: false }, options(bench));
  assert.ok(typeof kept === "object" && kept.type === "image_url");
  assert.ok(typeof note === "object" && note.type === "text" && note.text.includes("kept in"));
});

Deno.test("Tools of a session see no long results of another where they are kept apart", async () => {
  await using bench = await toolBench();
  const rules = { workspace: bench.workspace, homeFolder: bench.root, isRestricted: true };
  const separateFolder = buckets(bench);
  const more = { readableRoots: [], protectedPaths: [], separateFolder };
  const files = new WorkspaceFiles({ ...rules, ...more }, () => "id");
  const keptFor = async (sessionKey: string) => {
    const result = { content: "x".repeat(3_000), isError: false };
    const shown = String(await fitResult(result, options(bench, { files, sessionKey })));
    return /kept in (.*)\]/.exec(shown)?.[1] ?? "";
  };
  const [mine, theirs] = [await keptFor("feishu:a"), await keptFor("feishu:a_3Ab")];
  const own = files.forSession({ sessionKey: "feishu:a" });
  assert.equal((await own.read(mine, 10_000)).length > 0, true);
  const refused = { code: "path_protected", message: /belongs to another conversation/ };
  await assert.rejects(own.read(theirs, 10_000), refused);
  await assert.rejects(own.list(separateFolder, 10), refused);
  await assert.rejects(own.write(theirs, new Uint8Array()), refused);
  await Deno.symlink(theirs, join(bench.workspace, "way_in.txt"));
  await assert.rejects(own.read("way_in.txt", 10_000), refused);
});

Deno.test.each([
  ["feishu:oc_1", "feishu_3Aoc_1"],
  ["feishu_3Aoc_1", "feishu_5F3Aoc_1"],
  ["a*b", "a_2Ab"],
  ["a_2Ab", "a_5F2Ab"],
  ["a/../b", "a_2F.._2Fb"],
])("The bucket of %s is %s", (sessionKey, name) => {
  assert.equal(bucketName(sessionKey), name);
});
