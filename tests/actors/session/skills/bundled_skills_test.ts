/// <reference lib="deno.unstable" />
import assert from "node:assert/strict";
import { join } from "node:path";
import { z } from "zod";
import {
  bundledSkillsFolder,
  copyFolder,
} from "../../../../actors/session/skills/adapters/bundled_skills.ts";
import { readFrontMatter } from "../../../../actors/session/skills/front_matter.ts";
import { cronTool } from "../../../../actors/tools/cron.ts";
import { execTool } from "../../../../actors/tools/exec.ts";
import { writeStdinTool } from "../../../../actors/tools/exec_sessions.ts";
import { FILE_TOOLS } from "../../../../actors/tools/file_tools.ts";
import { myTool } from "../../../../actors/tools/my.ts";
import { recallTool } from "../../../../actors/tools/recall.ts";
import type { Tool } from "../../../../actors/tools/tool.ts";
import { webSettingsOf } from "../../../../actors/tools/web/web_settings.ts";
import { webTools } from "../../../../actors/tools/web/web_tools.ts";
import { Probe } from "../../../support/probe.ts";
import { temporaryFolder } from "../../../support/temporary_folder.ts";
import { checkWith, libraryAt, writeAll } from "./_skills.ts";

const FOLDER = bundledSkillsFolder("/nowhere");
const NAMES = [...Deno.readDirSync(FOLDER)].map(({ name }) => name).toSorted();
const SCRIPTS = join(FOLDER, "skill-creator/scripts");

async function run(script: string, ...args: readonly string[]) {
  const output = await new Deno.Command("sh", { args: [script, ...args] }).output();
  const decoder = new TextDecoder();
  return {
    code: output.code,
    text: decoder.decode(output.stdout) + decoder.decode(output.stderr),
  };
}

Deno.test("The bundled skills are those that the handbook names", () => {
  assert.deepEqual(NAMES, [
    ...["cron", "github", "memory", "my", "skill-creator", "summarize", "tmux", "weather"],
  ]);
});

Deno.test.each(NAMES)("The bundled skill %s reads well, and passes its own check", async (name) => {
  const text = await Deno.readTextFile(join(FOLDER, name, "SKILL.md"));
  const { head, problem } = await readFrontMatter(text);
  assert.equal(problem, null);
  assert.equal(head?.["name"], name);
  const described = z.string().parse(head["description"]);
  assert.ok(described.length > 40 && described.length <= 250, "a trigger, not an essay");
  assert.ok(text.split("\n").length < 100);
  const { code, text: said } = await run(join(SCRIPTS, "check.sh"), join(FOLDER, name));
  assert.equal(code, 0, said);
});

Deno.test("What stands in every prompt is short", async () => {
  await using root = await temporaryFolder();
  await copyFolder(FOLDER, join(root.path, "bundled"));
  const all = { bins: ["gh", "tmux"], tools: ["cron", "exec", "my", "read_file", "web_fetch"] };
  const tools = [...all.tools, "write_file", "write_stdin"];
  const library = libraryAt(root.path, { requirements: checkWith({ ...all, tools }) });
  const { active, index } = await library.texts();
  assert.match(active, /### Skill: memory\n[^]*### Skill: my\n/);
  assert.ok(active.length < 3_000, `${active.length}`);
  assert.ok(index.length < 4_000, `${index.length}`);
  assert.ok(!index.includes("unavailable:"));
});

Deno.test("Tools and arguments that the skills name are there", async () => {
  const found: string[] = [];
  for (const name of NAMES) {
    const texts = [await Deno.readTextFile(join(FOLDER, name, "SKILL.md"))];
    if (name === "my") {
      texts.push(await Deno.readTextFile(join(FOLDER, name, "references/examples.md")));
    }
    for (const text of texts) {
      for (const [, tool = "", args = ""] of text.matchAll(/^ {4}(\w+)\((.*)\)$/gm)) {
        const parameters = parametersOf(tool);
        for (const [, argument = ""] of args.replaceAll(/"[^"]*"/g, '""').matchAll(/(\w+)=/g)) {
          assert.ok(parameters.includes(argument), `${name}: ${tool}(${argument})`);
        }
        found.push(tool);
      }
      for (const [, word = ""] of text.matchAll(/`([a-z]+_[a-z_]+)`/g)) {
        assert.ok(WORDS.has(word) || TOOLS.has(word), `${name}: \`${word}\``);
      }
    }
  }
  assert.deepEqual([...new Set(found)].toSorted(), ["cron", "exec", "my", "web_fetch"]);
});

Deno.test("A skill can be laid out, checked and packed", async () => {
  await using root = await temporaryFolder();
  const init = (...args: readonly string[]) => run(join(SCRIPTS, "init.sh"), ...args);
  const resources = ["--resources", "scripts,references,assets", "--examples"];
  assert.match((await init("Pay Slips!", "--path", root.path, ...resources)).text, /pay-slips/);
  const skill = join(root.path, "pay-slips");
  for (
    const file of [
      ...["SKILL.md", "scripts/example.sh", "references/api_reference.md"],
      "assets/example_asset.txt",
    ]
  ) assert.ok((await Deno.stat(join(skill, file))).isFile, file);
  const refused: [RegExp, ...string[]][] = [
    [/there already/, "pay-slips", "--path", root.path],
    [/letter or a digit/, "!!", "--path", root.path],
    [/longer/, "x".repeat(65), "--path", root.path],
    [/unknown resource/, "x", "--path", root.path, "--resources", "docs"],
    [/needs --resources/, "x", "--path", root.path, "--examples"],
  ];
  for (const [problem, ...args] of refused) assert.match((await init(...args)).text, problem);
  const check = () => run(join(SCRIPTS, "check.sh"), skill);
  assert.match((await check()).text, /TODO/);
  await writeAll(skill, {
    "SKILL.md": "---\nname: pay-slips\ndescription: >\n  Reads pay slips,\n  one by one.\n---\nx\n",
  });
  assert.deepEqual(await check(), { code: 0, text: `${skill} is fine\n` });
  const pack = () => run(join(SCRIPTS, "pack.sh"), skill, root.path);
  assert.equal((await pack()).code, 0);
  const listed = await new Deno.Command("tar", {
    args: ["-tzf", join(root.path, "pay-slips.tar.gz")],
  }).output();
  assert.match(new TextDecoder().decode(listed.stdout), /^pay-slips\/scripts\/example\.sh$/m);
  await Deno.remove(join(root.path, "pay-slips.tar.gz"));
  await Deno.symlink("/etc/hostname", join(skill, "assets/link"));
  assert.match((await pack()).text, /links/);
  await assert.rejects(Deno.stat(join(root.path, "pay-slips.tar.gz")), Deno.errors.NotFound);
  await writeAll(skill, { "README.md": "x", "SKILL.md": "---\nname: other\nlevel: 3\n---\n" });
  const { code, text } = await check();
  assert.equal(code, 1);
  for (const problem of [/README/, /name is "other"/, /no description/, /unknown key level/]) {
    assert.match(text, problem);
  }
});

Deno.test("The copy of a folder holds what the folder does, and nothing else", async () => {
  await using root = await temporaryFolder();
  await writeAll(root.path, { "from/a/x.txt": "1", "from/y.txt": "2", "to/a/old.txt": "0" });
  await writeAll(root.path, { "to/y.txt": "other", "to/gone/z.txt": "0" });
  await copyFolder(join(root.path, "from"), join(root.path, "to"));
  const paths: string[] = [];
  for await (const { name } of Deno.readDir(join(root.path, "to"))) paths.push(name);
  for await (const { name } of Deno.readDir(join(root.path, "to/a"))) paths.push(`a/${name}`);
  assert.deepEqual(paths.toSorted(), ["a", "a/x.txt", "y.txt"]);
  assert.equal(await Deno.readTextFile(join(root.path, "to/y.txt")), "2");
});

const TOOLS: ReadonlyMap<string, Tool> = new Map(
  [
    ...FILE_TOOLS,
    ...webTools(webSettingsOf(
      {
        web: {
          ...{ enable: true, proxy: null, userAgent: "", fetch: { useJinaReader: false } },
          search: { provider: "duckduckgo", apiKey: "", baseUrl: "", maxResults: 5, timeout: 30 },
        },
        allowedHosts: [],
        ssrfWhitelist: [],
      },
      {
        ...{ braveApiKey: "", tavilyApiKey: "", jinaApiKey: "", kagiApiKey: "" },
        searxngBaseUrl: "",
      },
      16_000,
    )),
    cronTool(() => Promise.reject(new Error("not asked"))),
    myTool(true),
    execTool(60),
    writeStdinTool(new Probe()),
    recallTool(() => Promise.reject(new Error("not asked"))),
  ].map((tool) => [tool.name, tool]),
);

/** Arguments, settings of `my`, and names of the outside. */
const WORDS: ReadonlySet<string> = new Set([
  ...["output_mode", "files_with_matches", "fixed_strings", "head_limit", "yield_time_ms"],
  ...[
    "current_iteration",
    "max_iterations",
    "weather_code",
    "every_seconds",
    "cron_expr",
    "job_id",
  ],
]);

function parametersOf(name: string): readonly string[] {
  const tool = TOOLS.get(name);
  assert.ok(tool !== undefined, `there is no tool ${name}`);
  const { properties } = z.object({ properties: z.record(z.string(), z.unknown()) })
    .parse(tool.parameters);
  return Object.keys(properties);
}
