import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { homedir } from "node:os";
import { join } from "node:path";
import { systemConfigSource } from "../../../../actors/config/adapters/system_source.ts";
import { loadConfig } from "../../../../actors/config/load_config.ts";
import { refusalOf } from "../_load.ts";

async function withFolder(use: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "config-"));
  try {
    await use(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}

Deno.test("The system's source reads files, and null where there is none", async () => {
  await withFolder(async (folder) => {
    const source = systemConfigSource({ HOME: folder });
    await Deno.writeTextFile(join(folder, "a.json"), "{}");
    assert.equal(await source.readTextFile(join(folder, "a.json")), "{}");
    assert.equal(await source.readTextFile(join(folder, "b.json")), null);
    assert.equal(source.homeDir, folder);
    assert.equal(source.cwd, Deno.cwd());
  });
});

Deno.test("Loading creates nothing on the disk", async () => {
  await withFolder(async (folder) => {
    const source = systemConfigSource({ HOME: folder });
    const { locations } = await loadConfig({ source, manifests: [] });
    assert.equal(locations.configFile, join(folder, ".troupe", "config.json"));
    assert.deepEqual(await Array.fromAsync(Deno.readDir(folder)), []);
  });
});

Deno.test.each([{}, { HOME: "" }])(
  "Without a home in the environment the system tells it: %j",
  (env) => {
    assert.equal(systemConfigSource(env).homeDir, homedir());
  },
);

Deno.test("A folder in the place of the file is refused", async () => {
  await withFolder(async (folder) => {
    const source = systemConfigSource({ HOME: folder });
    const error = await refusalOf(loadConfig({ source, manifests: [], configPath: folder }));
    assert.equal(error.code, "config_unreadable");
  });
});

Deno.test.each([
  [[0x7B, 0xFF, 0x7D], 1],
  [[0x7B, 0x0A, 0x20, 0x22, 0xC3, 0x0A, 0x7D], 2],
  [[0x7B, 0x0D, 0x0A, 0x0A, 0xED, 0xA0, 0x80], 3],
  [[0xFF, 0xFE, 0x7B, 0x00], 1],
])("A file that is not UTF-8 is refused with the line: %j", async (bytes, line) => {
  await withFolder(async (folder) => {
    const source = systemConfigSource({ HOME: folder });
    const configPath = join(folder, "config.json");
    await Deno.writeFile(configPath, Uint8Array.from(bytes));
    const error = await refusalOf(loadConfig({ source, manifests: [], configPath }));
    assert.equal(error.code, "config_unreadable");
    assert.ok(error.message.endsWith(`: line ${line} is not UTF-8; save the file as UTF-8`));
  });
});

Deno.test("A file with a byte order mark and every kind of character is read as it is", async () => {
  await withFolder(async (folder) => {
    const source = systemConfigSource({ HOME: folder });
    const text = '\uFEFF{"owners":["é","中文","😀","\uFFFD"]}\n';
    await Deno.writeTextFile(join(folder, "a.json"), text);
    assert.equal(await source.readTextFile(join(folder, "a.json")), text);
  });
});

Deno.test("The system's source holds the process's environment by default", () => {
  assert.deepEqual(systemConfigSource().env, Deno.env.toObject());
});
