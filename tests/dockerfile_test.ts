import assert from "node:assert/strict";
import { join } from "node:path";
import { z } from "zod";
import { ROOT } from "./tidy/project_files.ts";

const TEXT = await Deno.readTextFile(join(ROOT, "Dockerfile"));
/** Instructions with their lines joined. */
const INSTRUCTIONS = TEXT.replaceAll(/^#.*\n/gm, "").replaceAll(/ \\\n\s*/g, " ").split("\n")
  .filter((line) => line !== "");

/** The words of an instruction in its JSON form. */
function wordsOf(instruction: RegExp): string[] {
  const line = INSTRUCTIONS.find((text) => instruction.test(text)) ?? "";
  return z.array(z.string()).parse(JSON.parse(line.slice(line.indexOf("["))));
}

function deno(args: readonly string[]): Promise<Deno.CommandOutput> {
  return new Deno.Command(Deno.execPath(), { args: [...args], cwd: ROOT }).output();
}

Deno.test("What the image copies is there, and is what the build is given", async () => {
  const given = (await Deno.readTextFile(join(ROOT, ".dockerignore"))).trim().split("\n")
    .filter((line) => line.startsWith("!")).map((line) => line.slice(1));
  const copied = INSTRUCTIONS.filter((line) => line.startsWith("COPY "))
    .flatMap((line) => line.split(" ").slice(1, -1));
  assert.deepEqual(copied.toSorted(), given.toSorted());
  for (const path of copied) await Deno.stat(join(ROOT, path));
});

Deno.test("The image's Deno is the version that the project is tested with", async () => {
  const ci = await Deno.readTextFile(join(ROOT, ".ci/run"));
  const [, version] = /deno_version=([\d.]+)/.exec(ci) ?? [];
  assert.equal(INSTRUCTIONS[0], `FROM denoland/deno:debian-${version}`);
});

Deno.test("The image's home is a volume, and nobody in it is root", () => {
  const [home] = wordsOf(/^VOLUME/);
  assert.match(TEXT, new RegExp(`TROUPE_HOME=${home}\\b`));
  const names = INSTRUCTIONS.map((line) => line.split(" ")[0]);
  assert.ok(names.lastIndexOf("USER") < names.lastIndexOf("RUN"), "packages belong to the user");
  assert.match(INSTRUCTIONS[names.lastIndexOf("USER")] ?? "", /^USER troupe$/);
});

Deno.test("The image's command is understood", async () => {
  const [program, ...args] = wordsOf(/^CMD/);
  assert.equal(program, "deno");
  const { code, stdout } = await deno([...args, "--help"]);
  assert.equal(code, 0);
  assert.match(new TextDecoder().decode(stdout), /^Usage: troupe gateway/);
});

Deno.test.each([["ok", 0], ["degraded", 1]] as const)(
  "The image's look at a gateway that is %s ends with %d",
  async (status, expected) => {
    await using server = Deno.serve(
      { hostname: "127.0.0.1", port: 0, onListen: () => {} },
      () => Response.json({ status }),
    );
    const [, ...args] = wordsOf(/^HEALTHCHECK/);
    const port = wordsOf(/^CMD/).at(-1) ?? "";
    const text = args.map((word) => word.replace(`:${port}/`, `:${server.addr.port}/`));
    assert.notDeepEqual(text, args, "it asks at the port of the command");
    assert.equal((await deno(text)).code, expected);
  },
);
