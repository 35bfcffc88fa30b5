import assert from "node:assert/strict";
import { join } from "node:path";
import { loadConfig } from "../../../actors/config/load_config.ts";
import { skillsOffline } from "../../../actors/gateway/skill_wiring.ts";
import { pathRules } from "../../../actors/gateway/tool_wiring.ts";
import { bundledSkillsFolder } from "../../../actors/session/skills/adapters/bundled_skills.ts";
import { judgePath } from "../../../actors/tools/path_policy.ts";
import { ManualClock } from "../../support/manual_clock.ts";
import { temporaryFolder } from "../../support/temporary_folder.ts";
import { skillText, writeAll } from "../session/skills/_skills.ts";

function load(home: string, config: unknown) {
  return loadConfig({
    source: {
      readTextFile: () => Promise.resolve(JSON.stringify(config)),
      ...{ env: { TROUPE_HOME: home }, homeDir: home, cwd: home },
    },
    manifests: [],
  });
}

Deno.test("Tools that are kept to the workspace read bundled skills, and write none", async () => {
  await using home = await temporaryFolder();
  const loaded = await load(home.path, {});
  const rules = pathRules(loaded, loaded.locations.workspace);
  const file = join(bundledSkillsFolder(loaded.locations.configFolder), "cron/SKILL.md");
  assert.equal(judgePath(await Deno.realPath(file), "read", rules), "allowed");
  assert.notEqual(judgePath(await Deno.realPath(file), "write", rules), "allowed");
});

Deno.test("A skill that is a link is taken from folders that the owner opened, and from no other", async () => {
  await using home = await temporaryFolder();
  await using open = await temporaryFolder();
  await using closed = await temporaryFolder();
  await writeAll(open.path, { "tea/SKILL.md": skillText("t") });
  await writeAll(closed.path, { "cup/SKILL.md": skillText("c") });
  const loaded = await load(home.path, { tools: { readableFolders: [open.path] } });
  const skills = join(loaded.locations.workspace, "skills");
  await Deno.mkdir(skills, { recursive: true });
  await Deno.symlink(join(open.path, "tea"), join(skills, "tea"));
  await Deno.symlink(join(closed.path, "cup"), join(skills, "cup"));
  const library = skillsOffline(loaded, new ManualClock());
  const names = (await library.list()).map(({ skill }) => skill.folderName);
  assert.ok(names.includes("tea") && names.includes("cron") && !names.includes("cup"));
  const [problem, ...more] = library.problems();
  assert.match(
    problem?.reason ?? "",
    /which tools may not read \(name its folder in tools\.readab/,
  );
  assert.deepEqual(more, []);
});
