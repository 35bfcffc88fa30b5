import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { COMMANDS } from "../actors/session/command_table.ts";
import type { CommandEntry } from "../channels/cli/completion/command_table.ts";
import * as exitCodes from "../channels/cli/exit_codes.ts";
import { COMMAND_GROUPS } from "../channels/cli/help/groups.ts";
import { channelEntries } from "../channels/registry.ts";
import { chooseProvider } from "../providers/registry.ts";
import project from "../deno.json" with { type: "json" };
import { loadText } from "./actors/config/_load.ts";
import { misreadIn, openProgram } from "./support/command_lines.ts";
import { GatewayHome, GatewayProcess } from "./support/gateway_process.ts";
import { blocks } from "./support/pages.ts";
import { projectFiles, ROOT } from "./tidy/project_files.ts";

const FILES = await projectFiles();
const PAGES = FILES.filter((file) =>
  file.endsWith(".md") && !file.startsWith("workspace-template")
);
const README = await Deno.readTextFile(join(ROOT, "README.md"));

/** The text without fenced blocks and code in lines. */
function withoutCode(text: string): string {
  return text.replaceAll(/^ *```[^]*?^ *```$/gm, "").replaceAll(/(`+)[^]*?\1/g, "");
}

Deno.test("Every link between pages leads to a file", async () => {
  const known = new Set(FILES.flatMap((file) => [file, dirname(file)]));
  const broken: string[] = [];
  for (const page of PAGES) {
    const text = withoutCode(await Deno.readTextFile(join(ROOT, page)));
    for (const [, target = ""] of text.matchAll(/\]\(([^)#\s]+)(?:#[^)]*)?\)/g)) {
      if (/^[a-z]+:/.test(target)) continue;
      if (!known.has(join(dirname(page), target))) broken.push(`${page}: ${target}`);
    }
  }
  assert.deepEqual(broken, []);
});

Deno.test("Every module that the pages on the inside name is there", async () => {
  const missing: string[] = [];
  for (const page of ["docs/architecture.md", "docs/kernel.md"]) {
    const text = await Deno.readTextFile(join(ROOT, page));
    for (const [, name = ""] of text.matchAll(/`([a-z_/]+\.ts)`/g)) {
      if (!FILES.some((file) => file === name || file.endsWith(`/${name}`))) missing.push(name);
    }
  }
  assert.deepEqual(missing, []);
});

Deno.test("Every folder and file that the README maps is there", () => {
  const map = README.slice(README.indexOf("## Find your way"));
  const named = [...map.matchAll(/^\| `([^`]+)` +\|/gm)].map(([, path = ""]) => path);
  assert.ok(named.length > 5, "the map was found");
  const isThere = (path: string) =>
    FILES.some((file) => file === path || (path.endsWith("/") && file.startsWith(path)));
  assert.deepEqual(named.filter((path) => !isThere(path)), []);
});

Deno.test("Every task that the README names exists, and each task is named", () => {
  const named = new Set([...README.matchAll(/\btask ([a-z:\d-]+)/g)].map(([, task = ""]) => task));
  const targets = project.tasks["compile:all"].dependencies;
  const parts = new Set(["lint", "check", ...targets]); // of `ok` and of `compile:all`
  const own = new Set(Object.keys(project.tasks)).difference(parts);
  assert.deepEqual([...named.symmetricDifference(own)], []);
});

Deno.test("Every channel stands in the README, and in the commands' page with its own", async () => {
  const commands = await Deno.readTextFile(join(ROOT, "docs/commands.md"));
  for (const { manifest: { name } } of channelEntries) {
    assert.ok(README.includes(`(docs/channels/${name}.md)`), `README: ${name}`);
    assert.ok(commands.includes(`(channels/${name}.md)`), `docs/commands.md: ${name}`);
  }
});

/** Its flags as the page lists them: those that all have are named once. */
function flagsOf({ flags }: CommandEntry): string {
  const own = flags.map(({ long }) => long).filter((flag) =>
    flag !== "--help" && flag !== "--config"
  );
  return own.map((flag) => `\`${flag}\``).join(" ");
}

Deno.test("The page of commands lists each command with its flags, and no others", async () => {
  const page = await Deno.readTextFile(join(ROOT, "docs/commands.md"));
  const [listing = ""] = page.split("## For scripts");
  const rows = listing.matchAll(/^\| `([a-z][a-z -]*?)(?: [<[][^`]*)?` +\| ([^|]*?) *\|/gm);
  const listed = new Map([...rows].map(([, path = "", flags = ""]) => [path, flags.trim()]));
  const known = openProgram().commands;
  assert.deepEqual(
    Object.fromEntries([...listed].toSorted()),
    Object.fromEntries(known.map((entry) => [entry.path, flagsOf(entry)]).toSorted()),
  );
});

Deno.test("Every command has a heading in the help, and examples that it takes", async () => {
  const headings = Object.values(COMMAND_GROUPS).flat();
  const { program } = openProgram();
  assert.deepEqual(
    program.commands.map((command) => command.name()).filter((name) => !headings.includes(name)),
    [],
    "help/groups.ts",
  );
  for (const { path } of openProgram().commands) {
    const { program, said } = openProgram();
    await program.parseAsync([...path.split(" "), "--help"], { from: "user" }).catch(() => {});
    const [, text = ""] = said().split("Examples:\n");
    const examples = [...text.matchAll(/^ {2}troupe (.*)$/gm)].map(([, line = ""]) => line);
    assert.ok(examples.length > 0, `${path} --help shows an example`);
    for (const example of examples) assert.equal(misreadIn(example), null, `${path}: ${example}`);
  }
});

Deno.test("The page of commands lists the exit codes", async () => {
  const page = await Deno.readTextFile(join(ROOT, "docs/commands.md"));
  const [, section = ""] = page.split("## Exit codes");
  const rows = section.split("\n## ")[0]?.matchAll(/^\| ([\d, ]+?) +\|/gm) ?? [];
  const listed = [...rows].flatMap(([, codes = ""]) => codes.split(", ").map(Number));
  const signals = [129, 143];
  assert.deepEqual(listed.toSorted(), [...Object.values(exitCodes), ...signals].toSorted());
});

Deno.test("The page of tools lists those that a gateway starts with, and no others", async () => {
  const page = await Deno.readTextFile(join(ROOT, "docs/tools.md"));
  const [table = ""] = page.split("## The web");
  const listed = [...table.matchAll(/^\| `(\w+)` +\|/gm)].map(([, name = ""]) => name);
  await using home = await GatewayHome.make();
  await using gateway = await GatewayProcess.start(home, {
    config: { tools: { exec: { sandbox: "process" } } },
  });
  const [, names = ""] = /^Tools: ([\w, ]+)/.exec(await gateway.toolsLine()) ?? [];
  assert.deepEqual(listed.toSorted(), names.trim().split(", "));
  await gateway.stop();
});

Deno.test("The page of benchmarks lists each group", async () => {
  const page = await Deno.readTextFile(join(ROOT, "docs/benchmarks.md"));
  const listed = [...page.matchAll(/^\| `(\w+)` +\|/gm)].map(([, name = ""]) => name);
  const code = await Deno.readTextFile(join(ROOT, "bench/mod.ts"));
  const groups = [...code.matchAll(/^ {2}(\w+): bench\w+,$/gm)].map(([, name = ""]) => name);
  assert.ok(groups.length > 5, "the groups were found");
  assert.deepEqual(listed.toSorted(), groups.toSorted());
});

Deno.test("The README lists the commands of a chat, and no others", () => {
  const listed = [...README.matchAll(/^\| `(\/[a-z-]+)` +\|/gm)].map(([, command]) => command);
  const known = COMMANDS.map(({ name }) => `/${name}`);
  assert.deepEqual(listed.toSorted(), known.toSorted());
});

Deno.test("Every configuration in the README is accepted without a warning", async () => {
  const examples = blocks(README, "json");
  assert.equal(examples.length, 2);
  for (const text of examples) {
    const { warnings } = await loadText(text, {
      manifests: channelEntries.map(({ manifest }) => manifest),
      env: { MODEL_API_KEY: "k1", FEISHU_APP_SECRET: "s1" },
    });
    assert.deepEqual(warnings, []);
  }
});

Deno.test("The README's first configuration leads to its model", async () => {
  const [text = ""] = blocks(README, "json");
  const { config } = await loadText(text, { env: { MODEL_API_KEY: "k1" } });
  const { model, provider } = config.agents.defaults;
  const choice = chooseProvider({ model, provider, providers: config.providers });
  assert.ok(choice.state !== "unconfigured" && choice.state !== "problem");
  assert.equal(choice.baseUrl, "http://127.0.0.1:8000/v1");
});

Deno.test("A gateway starts with the lines that the README shows", async () => {
  const [shown = ""] = blocks(README, "").filter((block) => block.startsWith("Troupe "));
  const subjects = (text: string) =>
    text.split("\n").map((line) => line.split(/[: ]/)[0] ?? "").filter(Boolean);
  await using home = await GatewayHome.make();
  await using gateway = await GatewayProcess.start(home, {});
  await gateway.toolsLine();
  const lines = gateway.output.split("\n").filter((line) => !line.startsWith("Workspace: made"));
  const own = lines.filter((line) => /^[A-Z][a-z]+( |:|$)/.test(line));
  assert.deepEqual(subjects(own.join("\n")), subjects(shown));
  await gateway.stop();
});
