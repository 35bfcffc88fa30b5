import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
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

Deno.test("A folder in the place of the file is refused", async () => {
  await withFolder(async (folder) => {
    const source = systemConfigSource({ HOME: folder });
    const error = await refusalOf(loadConfig({ source, manifests: [], configPath: folder }));
    assert.equal(error.code, "config_unreadable");
  });
});

Deno.test("The system's source holds the process's environment by default", () => {
  assert.deepEqual(systemConfigSource().env, Deno.env.toObject());
});
