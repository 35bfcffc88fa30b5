import assert from "node:assert/strict";
import { load, loadSettings, refusalOf } from "./_load.ts";

const EMPTY = { "/etc/a/config.json": "{}", "/srv/here/b.json": "{}", "/home/ada/c.json": "{}" };

Deno.test("Everything lies in the config home by default", async () => {
  const { locations, config } = await load({});
  assert.deepEqual(locations, {
    configFile: "/home/ada/.troupe/config.json",
    configFolder: "/home/ada/.troupe",
    stateFolder: "/home/ada/.troupe/state",
    mediaFolder: "/home/ada/.troupe/media",
    logsFolder: "/home/ada/.troupe/logs",
    workspace: "/home/ada/.troupe/workspace",
    homeFolder: "/home/ada/.troupe",
  });
  assert.equal(config.agents.defaults.workspace, locations.workspace);
});

Deno.test.each([
  ["/etc/a/config.json", "/etc/a/config.json"],
  ["b.json", "/srv/here/b.json"],
  ["~/c.json", "/home/ada/c.json"],
])("--config %s is the file %s", async (configPath, file) => {
  const { locations } = await load({ files: EMPTY, configPath });
  assert.equal(locations.configFile, file);
});

Deno.test("Instance folders follow the config file, the workspace does not", async () => {
  const { locations } = await load({ files: EMPTY, configPath: "/etc/a/config.json" });
  assert.equal(locations.stateFolder, "/etc/a/state");
  assert.equal(locations.mediaFolder, "/etc/a/media");
  assert.equal(locations.logsFolder, "/etc/a/logs");
  assert.equal(locations.workspace, "/home/ada/.troupe/workspace");
});

Deno.test.each([
  ["/var/troupe", "/var/troupe"],
  ["~/t", "/home/ada/t"],
  ["t", "/srv/here/t"],
  ["", "/home/ada/.troupe"],
])("TROUPE_HOME=%s moves the config home to %s", async (home, folder) => {
  const { locations } = await load({ env: { TROUPE_HOME: home } });
  assert.equal(locations.configFile, `${folder}/config.json`);
  assert.equal(locations.workspace, `${folder}/workspace`);
});

Deno.test.each([
  ["/data/ws", "/data/ws"],
  ["~/custom", "/home/ada/custom"],
  ["ws/../other", "/home/ada/.troupe/other"],
])("The workspace %s of the file is %s", async (workspace, folder) => {
  const { locations } = await loadSettings({ agents: { defaults: { workspace } } });
  assert.equal(locations.workspace, folder);
});

Deno.test.each(["~", "~/", "/", "/home", "../.."])(
  "The workspace %j is refused: it holds the home folder",
  async (workspace) => {
    const error = await refusalOf(loadSettings({ agents: { defaults: { workspace } } }));
    assert.equal(
      error.message,
      'Cannot load "/home/ada/.troupe/config.json": agents.defaults.workspace holds your whole ' +
        "home folder; set it to a folder of its own, such as ~/assistant",
    );
  },
);

Deno.test("--workspace is refused where it holds the home folder, by its name", async () => {
  const error = await refusalOf(loadSettings({}, { workspace: "~" }));
  assert.match(error.message, /agents\.defaults\.workspace \(from --workspace\) holds your whole/);
});

Deno.test.each([".", "./", "ws/.."])(
  "The workspace %j is refused: it is the folder of the configuration",
  async (workspace) => {
    const error = await refusalOf(loadSettings({ agents: { defaults: { workspace } } }));
    assert.match(
      error.message,
      /agents\.defaults\.workspace holds the configuration with its keys/,
    );
  },
);

Deno.test("A workspace around the configuration that is named in full is warned of", async () => {
  const settings = { agents: { defaults: { workspace: "~/.troupe" } } };
  const { warnings, locations } = await loadSettings(settings);
  assert.equal(locations.workspace, "/home/ada/.troupe");
  assert.match(warnings.join(), /^agents\.defaults\.workspace holds the configuration/);
});

Deno.test.each([
  ["ws", "/srv/here/ws"],
  ["~/ws", "/home/ada/ws"],
  ["/ws", "/ws"],
])("--workspace %s wins and is %s", async (workspace, folder) => {
  const settings = { agents: { defaults: { workspace: "/elsewhere" } } };
  const { locations, config } = await loadSettings(settings, { workspace });
  assert.equal(locations.workspace, folder);
  assert.equal(config.agents.defaults.workspace, folder);
});
