import assert from "node:assert/strict";
import { join } from "node:path";
import { LogRecorder } from "../../../support/log_recorder.ts";
import { temporaryFolder } from "../../../support/temporary_folder.ts";
import { checkWith, CountingDisk, libraryAt, skillText, writeAll } from "./_skills.ts";

async function namesOf(library: ReturnType<typeof libraryAt>): Promise<string[]> {
  return (await library.list()).map(({ skill }) => skill.folderName);
}

Deno.test("SkillLibrary has nothing where there are no folders", async () => {
  await using root = await temporaryFolder();
  const library = libraryAt(root.path);
  assert.deepEqual(await library.list(), []);
  assert.deepEqual(await library.texts(), { active: "", index: "" });
});

Deno.test("SkillLibrary puts the workspace's skills over bundled ones, by name", async () => {
  await using root = await temporaryFolder();
  await writeAll(root.path, {
    "ws/tea/SKILL.md": skillText("mine"),
    "ws/zebra/SKILL.md": skillText("z"),
    "ws/notes.md": "a file",
    "ws/empty/other.md": "no skill",
    "ws/.proposed/new/SKILL.md": skillText("not yet"),
    "bundled/tea/SKILL.md": skillText("theirs"),
    "bundled/apple/SKILL.md": skillText("a"),
    "bundled/off/SKILL.md": skillText("off"),
  });
  const library = libraryAt(root.path, { disabled: ["off"] });
  const listed = await library.list();
  assert.ok(!(await library.index()).includes("**off**"), "subagents see nothing of it either");
  assert.deepEqual(
    listed.map(({ skill }) => [skill.folderName, skill.source, skill.description, skill.path]),
    [
      ["apple", "bundled", "a", join(root.path, "bundled/apple/SKILL.md")],
      ["tea", "workspace", "mine", join(root.path, "ws/tea/SKILL.md")],
      ["zebra", "workspace", "z", join(root.path, "ws/zebra/SKILL.md")],
    ],
  );
});

Deno.test("SkillLibrary sees new, changed and removed skills at the next look", async () => {
  await using root = await temporaryFolder();
  const disk = new CountingDisk();
  const library = libraryAt(root.path, { disk });
  await writeAll(root.path, { "ws/tea/SKILL.md": skillText("one") });
  const first = await library.texts();
  assert.equal(await library.texts(), first, "nothing new: the very same texts");
  assert.equal(disk.reads, 1);
  await writeAll(root.path, { "ws/tea/SKILL.md": skillText("another") });
  assert.match((await library.texts()).index, /another/);
  await Deno.mkdir(join(root.path, "ws/cup"));
  assert.deepEqual(await namesOf(library), ["tea"]);
  await writeAll(root.path, { "ws/cup/SKILL.md": skillText("c") }); // into a folder that was known
  assert.deepEqual(await namesOf(library), ["cup", "tea"]);
  await Deno.remove(join(root.path, "ws/tea"), { recursive: true });
  assert.deepEqual(await namesOf(library), ["cup"]);
});

Deno.test("SkillLibrary reads new skills side by side, and not all of very many at once", async () => {
  await using root = await temporaryFolder();
  for (let n = 0; n < 40; n++) {
    await writeAll(root.path, { [`ws/s${n}/SKILL.md`]: skillText(`does ${n}`) });
  }
  const disk = new CountingDisk();
  assert.equal((await libraryAt(root.path, { disk }).list()).length, 40);
  assert.equal(disk.reads, 40);
  assert.ok(disk.readsAtOnce > 1 && disk.readsAtOnce <= 16, `${disk.readsAtOnce} at once`);
});

Deno.test("SkillLibrary looks at few of very many skills before each prompt", async () => {
  await using root = await temporaryFolder();
  for (let n = 0; n < 500; n++) {
    await writeAll(root.path, { [`ws/s${n}/SKILL.md`]: skillText(`does ${n}`) });
  }
  const disk = new CountingDisk();
  const library = libraryAt(root.path, { disk });
  assert.equal((await library.list()).length, 500);
  disk.looks = disk.reads = 0;
  const { index } = await library.texts();
  assert.equal(disk.reads, 0);
  assert.ok(disk.looks <= 70, `${disk.looks} looks`);
  assert.ok(index.length < 30_000, `${index.length} characters`);
  assert.match(index, /More skills, too many to describe here/);
  await writeAll(root.path, { "ws/s77/SKILL.md": skillText("changed") });
  let rounds = 0;
  while (!(await library.list()).some(({ skill }) => skill.description === "changed")) {
    assert.ok(++rounds < 9, "seen once all were looked at in turn");
  }
});

Deno.test("SkillLibrary leaves out what is broken, names file and reason once, and keeps the rest", async () => {
  await using root = await temporaryFolder();
  await using elsewhere = await temporaryFolder();
  await using logs = await LogRecorder.start();
  await writeAll(elsewhere.path, { "SKILL.md": skillText("outside") });
  await writeAll(root.path, {
    "ws/good/SKILL.md": skillText("g"),
    "ws/yaml/SKILL.md": "---\nmetadata: [a\n---\nx",
    "ws/list/SKILL.md": "---\n- a\n- b\n---\nx",
    "ws/open/SKILL.md": "---\nname: x\n",
    "ws/**bold**/SKILL.md": skillText("b"),
    "ws/big/SKILL.md": skillText("b") + "x".repeat(300_000),
    "bundled/yaml/SKILL.md": skillText("the bundled one"),
  });
  await Deno.mkdir(join(root.path, "ws/folder/SKILL.md"), { recursive: true });
  await Deno.symlink(elsewhere.path, join(root.path, "ws/out"));
  await Deno.symlink(join(root.path, "nowhere"), join(root.path, "ws/dangling"));
  await Deno.symlink(join(root.path, "ws/circle"), join(root.path, "ws/circle"));
  const library = libraryAt(root.path);
  assert.deepEqual(await namesOf(library), ["good", "yaml"]);
  await library.list();
  const problems = new Map(
    library.problems().map(({ path, reason }) => [path.slice(root.path.length + 4), reason]),
  );
  const expected: [string, RegExp][] = [
    ["**bold**/SKILL.md", /letters/],
    ["big/SKILL.md", /more than/],
    ["folder/SKILL.md", /no file/],
    ["list/SKILL.md", /no list of `key: value`/],
    ["open/SKILL.md", /no end/],
    ["out/SKILL.md", /link/],
    ["yaml/SKILL.md", /no YAML/],
  ];
  assert.deepEqual([...problems.keys()].toSorted(), expected.map(([path]) => path));
  for (const [path, reason] of expected) assert.match(problems.get(path) ?? "", reason);
  const warnings = logs.warnings("Left out the skill");
  assert.equal(warnings.length, expected.length);
});

Deno.test("SkillLibrary follows a link to a folder that tools may read", async () => {
  await using root = await temporaryFolder();
  await writeAll(root.path, { "shared/tea/SKILL.md": skillText("t", "always: true") });
  await Deno.mkdir(join(root.path, "ws"));
  await Deno.symlink(join(root.path, "shared/tea"), join(root.path, "ws/cup"));
  const [listed] = await libraryAt(root.path).list();
  assert.equal(listed?.skill.folderName, "cup");
  assert.equal(listed.skill.folder, join(root.path, "shared/tea"));
});

Deno.test("SkillLibrary shows always-on skills whole, and those that lack something in the list", async () => {
  await using root = await temporaryFolder();
  const needsGh = 'metadata: {"nanobot": {"always": true, "requires": {"bins": ["gh"]}}}';
  await writeAll(root.path, {
    "ws/on/SKILL.md": "---\nalways: true\n---\n# Top\n\nsee {baseDir}/x\n",
    "ws/lacking/SKILL.md": skillText("l", needsGh),
    "ws/plain/SKILL.md": skillText("p"),
  });
  const library = libraryAt(root.path);
  const { active, index } = await library.texts();
  assert.equal(
    active,
    `# Active skills\n\n### Skill: on\n\n#### Top\n\nsee ${root.path}/ws/on/x`,
  );
  const path = (name: string) => `\`${root.path}/ws/${name}/SKILL.md\``;
  assert.ok(index.endsWith(
    `\n- **lacking** — l (unavailable: CLI: gh)  ${path("lacking")}\n` +
      `- **plain** — p  ${path("plain")}`,
  ));
  assert.match(await library.index(), /\*\*on\*\*/);
  const withGh = libraryAt(root.path, { requirements: checkWith({ bins: ["gh"] }) });
  assert.match((await withGh.texts()).active, /Skill: lacking/);
});
