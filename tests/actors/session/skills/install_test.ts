/// <reference lib="deno.unstable" />
import assert from "node:assert/strict";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { packTar } from "modern-tar";
import {
  checkIntegrity,
  chooseVersion,
  parseNpmSpec,
  unpackArchive,
} from "../../../../actors/session/skills/install/npm_package.ts";
import {
  type PackageFile,
  skillsIn,
} from "../../../../actors/session/skills/install/skill_package.ts";
import { installCommand, removeCommand } from "../../../../channels/cli/commands/skills.ts";
import { temporaryFolder } from "../../../support/temporary_folder.ts";
import { webServer } from "../../../support/web_server.ts";
import { skillText, writeAll } from "./_skills.ts";

type Entry = Parameters<typeof packTar>[0][number];

function file(name: string, body: string, mode = 0o644): Entry {
  return {
    header: { name, type: "file", size: new TextEncoder().encode(body).length, mode },
    body,
  };
}

async function archiveOf(...entries: readonly Entry[]): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(gzipSync(await packTar([...entries])));
}

async function integrityOf(archive: Uint8Array<ArrayBuffer>): Promise<string> {
  return `sha512-${new Uint8Array(await crypto.subtle.digest("SHA-512", archive)).toBase64()}`;
}

function plain(path: string, text = ""): PackageFile {
  return { path, bytes: new TextEncoder().encode(text), isExecutable: false };
}

/** A registry with one package in one version. */
function registryWith(
  name: string,
  archive: Uint8Array<ArrayBuffer>,
  integrity: string | undefined,
) {
  const server = webServer((request) => {
    const { pathname, origin } = new URL(request.url);
    if (pathname === "/x.tgz") return new Response(archive);
    if (decodeURIComponent(pathname) !== `/${name}`) return new Response("no", { status: 404 });
    const dist = { ["tarball"]: `${origin}/x.tgz`, ...(integrity !== undefined && { integrity }) };
    return Response.json({ "dist-tags": { latest: "1.2.0" }, versions: { "1.2.0": { dist } } });
  });
  return server;
}

/** A home of a test, and what the commands say there. */
async function home() {
  const root = await temporaryFolder();
  await writeAll(root.path, { "config.json": "{}" });
  const flags = {
    config: join(root.path, "config.json"),
    workspace: join(root.path, "ws"),
    yes: true,
  };
  let said = "";
  const terminal = {
    write: (text: string) => void (said += text),
    writeError: (text: string) => void (said += text),
    isInteractive: false,
    hasColors: false,
  };
  return {
    path: root.path,
    flags,
    read: (path: string) => Deno.readTextFile(join(root.path, "ws/skills", path)),
    said: () => said.slice(0, said.length).concat(said = ""),
    install: (source: string, more: object = {}) =>
      installCommand(source, { ...flags, ...more }, terminal),
    remove: (name: string, more: object = {}) =>
      removeCommand(name, { ...flags, ...more }, terminal),
    [Symbol.asyncDispose]: () => root[Symbol.asyncDispose](),
  };
}

Deno.test("A skill comes from a registry, whole, with a note of where from, and never over another", async () => {
  await using place = await home();
  const archive = await archiveOf(
    file("package/package.json", '{"scripts": {"postinstall": "touch /tmp/ran"}}'),
    file("package/SKILL.md", skillText("brews tea", "always: true")),
    file("package/scripts/brew.sh", "echo tea\n", 0o755),
    file("package/node_modules/x/index.js", "no"),
  );
  const integrity = await integrityOf(archive);
  await using server = registryWith("@me/tea-skill", archive, integrity);
  const more = { registry: server.origin };
  assert.equal(await place.install("@me/tea-skill", more), 0);
  const said = place.said();
  for (
    const word of ["npm:@me/tea-skill@1.2.0", "brews tea", "scripts/brew.sh", "YES, its whole text"]
  ) assert.ok(said.includes(word), word);
  assert.match(await place.read("tea-skill/SKILL.md"), /brews tea/);
  assert.deepEqual(JSON.parse(await place.read("tea-skill/.origin.json")), {
    source: "npm:@me/tea-skill@1.2.0",
    integrity,
  });
  await assert.rejects(place.read("tea-skill/node_modules/x/index.js"), Deno.errors.NotFound);
  await writeAll(place.path, { "ws/skills/tea-skill/SKILL.md": "mine" });
  assert.equal(await place.install("@me/tea-skill", more), 1);
  assert.match(place.said(), /--force/);
  assert.equal(await place.read("tea-skill/SKILL.md"), "mine");
  assert.equal(await place.install("@me/tea-skill", { ...more, force: true }), 0);
  assert.match(await place.read("tea-skill/SKILL.md"), /brews tea/);
  const left = await Array.fromAsync(Deno.readDir(join(place.path, "ws/skills")));
  assert.deepEqual(left.map(({ name }) => name), ["tea-skill"]);
  assert.equal(await place.remove("tea-skill"), 0);
  assert.equal(await place.remove("tea-skill"), 1);
  assert.equal(await place.remove(".."), 1);
  assert.equal(await place.remove("weather"), 1);
  assert.match(place.said(), /disabledSkills/);
});

Deno.test("Nothing is installed that is not what was promised, or without a yes", async () => {
  await using place = await home();
  const archive = await archiveOf(file("package/SKILL.md", skillText("x")));
  const other = await integrityOf(new Uint8Array([1]));
  await using lying = registryWith("a", archive, other);
  await using silent = registryWith("a", archive, undefined);
  await using honest = registryWith("a", archive, await integrityOf(archive));
  const cases: [RegExp, string, object][] = [
    [/not what the registry promised/, "a", { registry: lying.origin }],
    [/no SHA-512/, "a", { registry: silent.origin }],
    [/no such package/, "b", { registry: honest.origin }],
    [/no version or tag/, "a@2.0.0", { registry: honest.origin }],
    [/neither a folder nor/, "a b", {}],
    [/no such folder/, "./nowhere", {}],
    [/--yes/, "a", { registry: honest.origin, yes: false }],
  ];
  for (const [problem, source, more] of cases) {
    assert.equal(await place.install(source, more), 1);
    assert.match(place.said(), problem);
  }
  await assert.rejects(Deno.stat(join(place.path, "ws/skills/a")), Deno.errors.NotFound);
});

Deno.test("A folder is installed with all skills in it; links in it are refused", async () => {
  await using place = await home();
  await writeAll(place.path, {
    "many/skills/tea/SKILL.md": skillText("t"),
    "many/skills/cup/SKILL.md": skillText("c"),
    "many/skills/cup/.git/config": "x",
    "linked/SKILL.md": skillText("l"),
  });
  await Deno.symlink("/etc/passwd", join(place.path, "linked/names.txt"));
  assert.equal(await place.install(join(place.path, "many")), 0);
  assert.match(await place.read("cup/SKILL.md"), /description: c/);
  await assert.rejects(place.read("cup/.git/config"), Deno.errors.NotFound);
  assert.equal(await place.install(join(place.path, "linked")), 1);
  assert.match(place.said(), /"names.txt" is a link/);
});

Deno.test.each(
  [
    ["a path upwards", file("package/../../evil.sh", "x")],
    ["an absolute path", file("/etc/x", "x")],
    ["a path with a backslash", file("package/a\\..\\b", "x")],
    ["a control character", file("package/a\u001b[2J", "x")],
    ["a symbolic link", {
      header: { name: "package/l", type: "symlink", size: 0, linkname: "/etc" },
    }],
    ["a hard link", { header: { name: "package/l", type: "link", size: 0, linkname: "../x" } }],
    ["a device", { header: { name: "package/l", type: "character-device", size: 0 } }],
    ["the same file twice", file("package/skill.MD", "x")],
  ] satisfies [string, Entry][],
)("An archive with %s is refused", async (_name, entry) => {
  const archive = await archiveOf(file("package/SKILL.md", skillText("x")), entry);
  await assert.rejects(
    async () => await skillsIn(await unpackArchive(archive), "x"),
    { code: "skill_install" },
  );
});

Deno.test("An archive that swells, is cut off or is none is refused", async () => {
  const whole = await archiveOf(file("package/SKILL.md", "x".repeat(5_000)));
  const swelling = new Uint8Array(gzipSync(new Uint8Array(101 * 1024 ** 2)));
  const parts = [
    swelling,
    whole.slice(0, whole.length - 20),
    new TextEncoder().encode("no archive"),
  ];
  for (const archive of parts) {
    await assert.rejects(() => unpackArchive(archive), { code: "skill_install" });
  }
});

Deno.test("Skills without a head that can be read, a description or a good name are refused", async () => {
  const cases: [RegExp, string, string][] = [
    [/no YAML/, "x", "---\na: [\n---\n"],
    [/no description/, "x", "# nothing"],
    [/cannot be called so/, "**x**", "---\ndescription: d\n---\n"],
  ];
  for (const [problem, name, text] of cases) {
    await assert.rejects(() => skillsIn([plain("SKILL.md", text)], name), problem);
  }
  await assert.rejects(() => skillsIn([plain("README.md")], "x"), /no SKILL.md/);
  const [skill] = await skillsIn(
    [plain("SKILL.md", "---\nname: tea\ndescription: d\n---\n"), plain("run", "#!/bin/sh\n")],
    "x",
  );
  assert.equal(skill?.name, "tea");
  assert.deepEqual(skill.scripts, ["run"]);
});

Deno.test("Packages are named as npm does", async () => {
  assert.deepEqual(parseNpmSpec("npm:@a/b@1.2.3"), { name: "@a/b", wanted: "1.2.3" });
  assert.deepEqual(parseNpmSpec("b"), { name: "b", wanted: "latest" });
  for (const text of ["", "../b", "@a", "b@", "b@^1", "B c", "http://x/y"]) {
    assert.equal(parseNpmSpec(text), null, text);
  }
  assert.throws(() => chooseVersion({ versions: [] }, { name: "b", wanted: "1" }), /answer/);
  assert.throws(
    () => chooseVersion({ versions: {} }, { name: "b", wanted: "__proto__" }),
    /no version/,
  );
  await assert.rejects(() => checkIntegrity(new Uint8Array([1]), "sha512-AAAA"), /promised/);
});
