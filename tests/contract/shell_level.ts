/**
 * What every level of the shell keeps, whatever it is made of; and what those that confine a
 * command must deny, told by what has happened, not by what was said.
 * @module
 */

import assert from "node:assert/strict";
import { join } from "node:path";
import { Bait } from "../../actors/tools/adapters/bait.ts";
import type {
  ShellEnd,
  ShellLevel,
  ShellProcess,
  ShellScope,
} from "../../actors/tools/shell/level.ts";
import { until } from "../support/until.ts";

/** A workspace among things that commands must not touch. */
export interface ShellGround extends AsyncDisposable {
  readonly root: string;
  readonly workspace: string;
  readonly scope: ShellScope;
  /** A folder beside the workspace, with `SECRET` in `config.json`. */
  readonly outside: string;
  /** Where something listens on 127.0.0.1, and how often somebody came. */
  readonly port: number;
  readonly visits: () => number;
}

export const SECRET = "sk-the-secret-of-the-gateway";
export const ENV: Readonly<Record<string, string>> = {
  PATH: "/usr/local/bin:/usr/bin:/bin",
  HOME: "/home/nobody-here",
  LANG: "C.UTF-8",
  TERM: "dumb",
};

/** Lays the ground, in a folder whose name begins so. */
export async function shellGround(prefix = "troupe-level-"): Promise<ShellGround> {
  await using opening = new AsyncDisposableStack();
  const root = opening.adopt(
    await Deno.realPath(await Deno.makeTempDir({ prefix })),
    (path) => Deno.remove(path, { recursive: true }),
  );
  const workspace = join(root, "agent", "workspace");
  const outside = join(root, "agent");
  for (const name of ["sessions", "cron", "memory", "sub"]) {
    await Deno.mkdir(join(workspace, name), { recursive: true });
  }
  await Deno.writeTextFile(join(workspace, "sessions", "cli_direct.jsonl"), "{}\n");
  await Deno.writeTextFile(join(workspace, "memory", "history.jsonl"), "{}\n");
  await Deno.writeTextFile(join(workspace, "notes.md"), "one\ntwo\nthree\n");
  await Deno.writeTextFile(join(workspace, "data.csv"), "b,2\na,1\n");
  await Deno.writeTextFile(join(outside, "config.json"), JSON.stringify({ key: SECRET }));
  await Deno.symlink(join(outside, "config.json"), join(workspace, "link"));
  await Deno.symlink(outside, join(workspace, "up"));
  const bait = opening.use(new Bait());
  const owned = opening.move();
  return {
    ...{ root, workspace, outside },
    scope: {
      workspace,
      isRestricted: true,
      readableRoots: [],
      writableRoots: [],
      readOnlyPaths: ["sessions", "cron", "memory"].map((name) => join(workspace, name)),
      hiddenPaths: [join(outside, "config.json")],
    },
    port: bait.port,
    visits: () => bait.visits,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** What a command gave. */
export interface Ran extends ShellEnd {
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command to its end. */
export async function runAt(level: ShellLevel, command: string, folder: string): Promise<Ran> {
  await using process = await level.start({ command, folder, hasInput: false, timeoutMs: 20_000 });
  const [stdout, stderr, end] = await Promise.all([
    new Response(process.stdout).text(),
    new Response(process.stderr).text(),
    process.ended,
  ]);
  return { ...end, stdout, stderr };
}

/** How the implementation under test differs where it may. */
export interface LevelTraits {
  readonly name: string;
  readonly open: (ground: ShellGround) => Promise<ShellLevel>;
  /** Programs are started, so input, streams and pids mean something. */
  readonly hasPrograms: boolean;
}

/** Registers the suite that every level passes. */
export function testShellLevel({ name, open, hasPrograms }: LevelTraits): void {
  const test = (what: string, body: (level: ShellLevel, ground: ShellGround) => Promise<void>) =>
    Deno.test(`Level ${name} ${what}`, async () => {
      await using ground = await shellGround();
      await using level = await open(ground);
      await body(level, ground);
    });

  test("gives output, errors and exit code apart", async (level, { workspace }) => {
    const ran = await runAt(level, "echo 你好; echo bad >&2; exit 3", workspace);
    assert.deepEqual([ran.stdout, ran.stderr, ran.exitCode], ["你好\n", "bad\n", 3]);
  });

  test("runs where it is told to, under the workspace's own path", async (level, ground) => {
    const { stdout } = await runAt(level, "pwd", join(ground.workspace, "sub"));
    assert.equal(stdout, `${ground.workspace}/sub\n`);
  });

  test("changes files of the workspace", async (level, { workspace }) => {
    await runAt(level, "echo new > sub/a.txt && cp sub/a.txt b.txt && rm sub/a.txt", workspace);
    assert.equal(await Deno.readTextFile(join(workspace, "b.txt")), "new\n");
  });

  test("shows nothing of the gateway's environment", async (level, { workspace }) => {
    Deno.env.set("TROUPE_TEST_SECRET", SECRET);
    const { stdout } = await runAt(level, "env; echo $TROUPE_TEST_SECRET", workspace);
    Deno.env.delete("TROUPE_TEST_SECRET");
    assert.ok(!stdout.includes(SECRET));
    assert.match(stdout, /^LANG=C.UTF-8$/m);
  });

  test("ends a command that does not end by itself", async (level, { workspace }) => {
    await using process = await level.start({
      command: "while true; do sleep 1; done",
      folder: workspace,
      hasInput: false,
      timeoutMs: 60_000,
    });
    process.kill();
    assert.equal((await process.ended).exitCode, null);
    await drain(process);
  });

  Deno.test(`Level ${name} runs what people run every day`, async (t) => {
    await using ground = await shellGround();
    await using level = await open(ground);
    const shown = await runInTurn(level, EVERYDAY.map(([command]) => command), ground.workspace);
    for (const [index, [command, expected]] of EVERYDAY.entries()) {
      await t.step(command, () => {
        assert.equal(shown[index]?.exitCode, 0);
        assert.match(shown[index]?.stdout ?? "", expected);
      });
    }
  });

  if (!hasPrograms) return;

  test("leaves the processor to the gateway first", async (level, { workspace }) => {
    const { stdout: own } = await new Deno.Command("nice").output();
    const { stdout } = await runAt(level, "nice", workspace);
    const least = Math.min(19, Number(new TextDecoder().decode(own)) + 10);
    assert.equal(Number(stdout), least);
  });
  test("gives a command input while it runs", async (level, { workspace }) => {
    await using process = await level.start({
      command: 'read -r line; echo "got $line"; cat',
      folder: workspace,
      hasInput: true,
      timeoutMs: 20_000,
    });
    await process.write(new TextEncoder().encode("hello\nrest"));
    await process.closeInput();
    assert.equal(await new Response(process.stdout).text(), "got hello\nrest");
    await process.stderr.cancel();
  });

  for (const escape of ESCAPES) {
    test(`ends what tries to outlive it: ${escape}`, async (level, { workspace }) => {
      const file = join(workspace, "beats");
      await using process = await level.start({
        command: `beat() { while true; do echo . >> beats; sleep 0.02; done; }; ` +
          `export -f beat; ${escape}`,
        folder: workspace,
        hasInput: false,
        timeoutMs: 60_000,
      });
      await until(async () => await sizeOf(file) > 0, { what: "the first beat" });
      await process[Symbol.asyncDispose]();
      await drain(process);
      let last = -1;
      await until(async () => {
        const before = last;
        last = await sizeOf(file);
        await new Promise((resolve) => setTimeout(resolve, 60));
        return last === before && last === await sizeOf(file);
      }, { what: "silence" });
    });
  }
}

/** Ways to survive a polite end. */
const ESCAPES = [
  "beat",
  "trap '' TERM HUP INT; beat",
  "bash -c beat & wait",
  "nohup bash -c beat >/dev/null 2>&1 & wait",
  "setsid bash -c beat >/dev/null 2>&1 & sleep 60",
  "(setsid setsid bash -c beat >/dev/null 2>&1 &) ; sleep 60",
];

/** Commands that must simply work, with what they show. */
export const EVERYDAY: readonly (readonly [command: string, expected: RegExp])[] = [
  ["ls", /notes\.md/],
  ["ls -la", /notes\.md/],
  ["cat notes.md", /^one\ntwo/],
  ["head -n 1 notes.md", /^one\n$/],
  ["tail -n 1 notes.md", /^three\n$/],
  ["wc -l < notes.md", /3/],
  ["grep -n two notes.md", /^2:two/],
  ["grep -rl three . | head -5", /notes\.md/],
  ["sort data.csv", /^a,1\nb,2/],
  ["cut -d, -f1 data.csv", /^b\na/],
  ["sed 's/one/1/' notes.md", /^1\n/],
  ["awk -F, '{ s += $2 } END { print s }' data.csv", /^3/],
  ["tr a-z A-Z < notes.md", /^ONE/],
  ["echo a b c | xargs -n 1 echo", /^a\nb\nc/],
  ["find . -name '*.md'", /notes\.md/],
  ["mkdir -p x/y && touch x/y/z && ls x/y", /^z/],
  ["cp notes.md copy.md && diff notes.md copy.md && echo same", /^same/],
  ["mv data.csv d.csv && mv d.csv data.csv && ls", /data\.csv/],
  ["for i in 1 2 3; do echo $i; done", /^1\n2\n3/],
  ["x=5; echo $((x * 2))", /^10/],
  ["if [ -f notes.md ]; then echo yes; fi", /^yes/],
  ['f() { echo "hi $1"; }; f you', /^hi you/],
  ["printf '%s-%s\\n' a b", /^a-b/],
  ["cat <<'EOF'\nhello $x\nEOF", /^hello \$x/],
  ["echo one > o.txt; echo two >> o.txt; cat o.txt", /^one\ntwo/],
  ["ls nothing 2>/dev/null || echo none", /^none/],
  ["echo x > /dev/null && echo ok", /^ok/],
  ["echo $(basename /a/b/c.txt .txt)", /^c\n/],
  ["seq 1 3 | paste -sd, -", /^1,2,3/],
  ["date +%Y", /^\d{4}/],
  ["f=/tmp/troupe-test-$$; echo tmp > $f && cat $f && rm $f", /^tmp/],
  ["base64 <<< hi | base64 -d", /^hi/],
  ["cat sessions/cli_direct.jsonl", /^\{\}/],
  ["echo $HOME", /\/home\/nobody-here/],
];

/** Attempts on what lies outside, at levels that confine. `{…}` are filled in. */
export const ATTACKS: readonly string[] = [
  "cat {outside}/config.json",
  "cat ../config.json",
  "cat link",
  "cat up/config.json",
  "cat ./up/./config.json",
  "cd .. && cat config.json",
  "cd up && cat config.json",
  "head -c 1000 {outside}/config.json",
  "while read -r l; do echo $l; done < {outside}/config.json",
  "cp {outside}/config.json stolen; cat stolen",
  "ln -s {outside}/config.json l2; cat l2",
  "ln {outside}/config.json hard; cat hard",
  "ln -s / root; cat root{outside}/config.json",
  "tar cf - {outside}/config.json | tar xOf -",
  "find / -name config.json -exec cat {} + 2>/dev/null",
  "grep -r sk-the / --include=config.json 2>/dev/null",
  "x={outside}/config.json; cat $x",
  "cat {outside}/conf*",
  "cat /proc/self/root{outside}/config.json",
  "cat /proc/1/root{outside}/config.json",
  "cat /proc/self/cwd/../config.json",
  "for p in /proc/[0-9]*; do cat $p/root{outside}/config.json; done 2>/dev/null",
  "for p in /proc/[0-9]*; do cat $p/environ; done 2>/dev/null",
  "source {outside}/config.json",
  "echo $(<{outside}/config.json)",
  "echo x > {outside}/written",
  "echo x > ../written",
  "echo x > up/written",
  "touch {outside}/written",
  "cp notes.md {outside}/written",
  "mv notes.md {outside}/written",
  "tee {outside}/written < notes.md",
  "mkdir {outside}/written",
  "ln -s notes.md {outside}/written",
  "ln -s {outside}/written w; echo x > w",
  "echo x >> {outside}/config.json",
  "echo x > link",
  "rm -f {outside}/config.json",
  "rm -rf {outside}",
  "rm -rf up/",
  "mv {outside}/config.json .",
  "chmod 777 {outside}/config.json",
  "echo x > sessions/written",
  "echo x >> sessions/cli_direct.jsonl",
  "rm -f sessions/cli_direct.jsonl",
  "rm -rf sessions",
  "mv sessions s2",
  "mv sessions/cli_direct.jsonl .",
  "echo x > memory/written",
  "echo x >> memory/history.jsonl",
  "rm -rf memory; mkdir memory; echo x > memory/history.jsonl",
  "cp notes.md cron/jobs.json",
  "ln -sf ../notes.md memory/history.jsonl",
  "ln memory/history.jsonl h; echo x >> h",
  "sed -i s/{/x/ memory/history.jsonl",
  "cd sessions && echo x > written",
  "mount -o remount,bind,rw $PWD/sessions; echo x > sessions/written",
  "umount $PWD/sessions; echo x > sessions/written",
  "unshare -Urm sh -c 'mount -o remount,bind,rw $PWD/sessions; echo x > sessions/written'",
  "unshare -Urm sh -c 'umount $PWD/sessions; echo x > sessions/written'",
  "(echo hi > /dev/tcp/127.0.0.1/{port})",
  "curl -s -m 3 http://127.0.0.1:{port}/",
  "curl -s -m 3 http://localhost:{port}/",
  "curl -s -m 3 --noproxy '*' http://127.0.0.1:{port}/",
  "curl -s -m 3 -x http://127.0.0.1:3128 http://127.0.0.1:{port}/",
  "curl -s -m 3 -x http://127.0.0.1:3128 -p http://127.0.0.1:{port}/",
  "curl -s -m 3 -x http://127.0.0.1:3128 http://2130706433:{port}/",
  "curl -s -m 3 -x http://127.0.0.1:3128 'http://[::ffff:127.0.0.1]:{port}/'",
  "curl -s -m 3 -x http://127.0.0.1:3128 http://localtest.me.localhost:{port}/",
  "(exec 3<>/dev/tcp/127.0.0.1/3128; printf 'CONNECT 127.0.0.1:{port} HTTP/1.1\\r\\n\\r\\n' >&3; " +
  "head -n 1 <&3)",
  "python3 -c \"import socket; socket.create_connection(('127.0.0.1', {port}), 3)\"",
  "nc -w 2 127.0.0.1 {port} < /dev/null",
];

/** As attacks, but what they destroy others would need. */
const RAVAGES: readonly string[] = ["rm -rf {outside}", "rm -rf up/"];

/** Attacks that are tried one after the other in one world. */
const TRIED_AT_ONCE = 10;

/** Registers the attacks. They run by the handful in a world that is looked at afterwards. */
export function testConfinement({ name, open }: Pick<LevelTraits, "name" | "open">): void {
  Deno.test(`Level ${name} keeps every attempt on the outside without effect`, async (t) => {
    const tame = ATTACKS.filter((attack) => !RAVAGES.includes(attack));
    const handfuls = RAVAGES.map((attack) => [attack]);
    for (let n = 0; n < tame.length; n += TRIED_AT_ONCE) {
      handfuls.push(tame.slice(n, n + TRIED_AT_ONCE));
    }
    for (const attacks of handfuls) {
      await t.step(attacks.join(" | "), async () => {
        await using ground = await shellGround();
        await using level = await open(ground);
        const before = await snapshot(ground);
        const commands = attacks.map((attack) =>
          attack.replaceAll("{outside}", ground.outside).replaceAll("{port}", String(ground.port))
        );
        const tried = await runInTurn(level, commands, ground.workspace);
        assert.equal(tried.length, attacks.length, "each was tried");
        assert.deepEqual(tried.filter(({ stdout }) => stdout.includes(SECRET)), [], "none reads");
        assert.deepEqual(await snapshot(ground), before, "nothing outside has changed");
        assert.equal(ground.visits(), 0, "nobody came to the port");
      });
    }
  });
}

/** What one of several commands gave; what it complains of is in its output. */
interface Shown {
  readonly stdout: string;
  readonly exitCode: number;
}

/**
 * Runs commands one after the other, each in a shell of its own: to start the level's shell anew
 * for each would take most of the time. Fewer results than commands: one of them ended them all.
 */
async function runInTurn(
  level: ShellLevel,
  commands: readonly string[],
  folder: string,
): Promise<readonly Shown[]> {
  const script = commands.map((command) => `(\n${command}\n) 2>&1\nprintf '<ended with %d>' $?`)
    .join("\n");
  const { stdout, stderr } = await runAt(level, script, folder);
  assert.ok(!stderr.includes(SECRET), "what the shell itself says holds no secret");
  const ends = stdout.matchAll(/([^]*?)<ended with (\d+)>/g);
  return Array.from(ends, ([, text = "", code]) => ({ stdout: text, exitCode: Number(code) }));
}

/** Everything that a confined command must leave as it is. */
async function snapshot({ outside, workspace }: ShellGround): Promise<readonly string[]> {
  const found: string[] = [];
  for (
    const folder of [
      outside,
      ...["sessions", "cron", "memory"].map((n) => join(workspace, n)),
    ]
  ) {
    for await (const { name, isFile } of Deno.readDir(folder)) {
      const path = join(folder, name);
      const { mode } = await Deno.lstat(path);
      found.push(`${path} ${isFile ? `${mode} ${await Deno.readTextFile(path)}` : ""}`);
    }
  }
  return found.toSorted();
}

async function sizeOf(path: string): Promise<number> {
  try {
    return (await Deno.stat(path)).size;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return 0;
    throw error;
  }
}

async function drain(process: ShellProcess): Promise<void> {
  await Promise.all([process.stdout.cancel(), process.stderr.cancel()]);
}
