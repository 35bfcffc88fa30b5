import assert from "node:assert/strict";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { main } from "../../channels/cli/main.ts";
import { temporaryFolder } from "../support/temporary_folder.ts";

const MAIN = fileURLToPath(new URL("../../mod.ts", import.meta.url));

/** A backup of a configuration. */
async function backUp(folder: string): Promise<string> {
  const config = join(folder, "original", "config.json");
  await Deno.mkdir(join(folder, "original", "workspace"), { recursive: true });
  await Deno.writeTextFile(config, JSON.stringify({ agents: { defaults: { model: "kept" } } }));
  const archive = join(folder, "copy.tar.gz");
  let said = "";
  const write = (text: string) => void (said += text);
  const terminal = { write, writeError: write, isInteractive: false, hasColors: false };
  assert.equal(await main(["backup", archive, "--config", config], terminal), 0, said);
  return archive;
}

/** Runs commands of a shell where the home is mounted, as a container has it. */
async function withMount(mount: readonly string[], home: string, script: string): Promise<string> {
  const troupe = `"${Deno.execPath()}" run -A --no-check --cached-only "${MAIN}"`;
  const { stdout, stderr } = await new Deno.Command("bwrap", {
    args: ["--bind", "/", "/", "--dev", "/dev", ...mount, "sh", "-c", script],
    env: { TROUPE_HOME: home, TROUPE: troupe, NO_COLOR: "1" },
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).output();
  const decoder = new TextDecoder();
  return decoder.decode(stdout) + decoder.decode(stderr);
}

Deno.test("A backup is restored into a mount point, and what was there stays in it", async () => {
  await using folder = await temporaryFolder();
  const archive = await backUp(folder.path);
  const home = join(folder.path, "home");
  await Deno.mkdir(home);
  const restore = `eval "$TROUPE restore '${archive}'"`;
  const bound = ["--bind", home, home];
  const text = await withMount(bound, home, `${restore} && ${restore}; ${restore} --force`);
  assert.match(text, new RegExp(`^Restored the backup of .* into ${home}$`, "m"));
  assert.match(text, /something is there; --force/);
  assert.match(text, new RegExp(`^What was there is now ${home}/aside-1$`, "m"));
  for (const place of [home, join(home, "aside-1")]) {
    assert.match(await Deno.readTextFile(join(place, "config.json")), /"kept"/);
    assert.ok((await Deno.stat(join(place, "state", "fence.json"))).isFile);
  }
  const names = await Array.fromAsync(Deno.readDir(folder.path), ({ name }) => name);
  assert.deepEqual(names.toSorted(), ["copy.tar.gz", "home", "original"]);
});

Deno.test("A backup is restored onto a file system of its own", async () => {
  await using folder = await temporaryFolder();
  const archive = await backUp(folder.path);
  const home = join(folder.path, "home");
  await Deno.mkdir(home);
  const script =
    `eval "$TROUPE restore '${archive}'" && ls -A '${home}' && cat '${home}/config.json'`;
  const text = await withMount(["--tmpfs", home], home, script);
  assert.match(text, /\nconfig\.json\nstate\nworkspace\n/);
  assert.match(text, /"kept"/);
});
