import assert from "node:assert/strict";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { systemClock, systemNewId } from "../../actors/kernel/adapters/system_clock.ts";
import { NetBoundary } from "../../actors/tools/net/boundary.ts";
import {
  BwrapLevel,
  type BwrapLevelOptions,
} from "../../actors/tools/shell/adapters/bwrap_level.ts";
import { openShellLevel } from "../../actors/tools/shell/adapters/open_shell.ts";
import {
  ENV,
  runAt,
  SECRET,
  type ShellGround,
  shellGround,
  testConfinement,
  testShellLevel,
} from "../contract/shell_level.ts";
import { killOwner, noneLeft } from "../support/killed_owner.ts";

const boundary = new NetBoundary({ allowedRanges: [], allowedHosts: [] });

function open(
  { scope }: Pick<ShellGround, "scope">,
  options: Partial<BwrapLevelOptions> = {},
): Promise<BwrapLevel> {
  return BwrapLevel.open({
    clock: systemClock,
    scope,
    env: ENV,
    network: "none",
    boundary,
    ...options,
  });
}

for (const network of ["filtered", "none"] as const) {
  const traits = {
    name: `bwrap with network ${network}`,
    open: (ground: ShellGround) => open(ground, { network }),
  };
  testShellLevel({ ...traits, hasPrograms: true });
  testConfinement(traits);
}

Deno.test("A sandboxed command sees no process, no user and no host but its own", async () => {
  await using ground = await shellGround();
  await using level = await open(ground);
  const { stdout } = await runAt(
    level,
    "ls /proc | grep -c '^[0-9]'; whoami; cat /etc/passwd | wc -l; hostname; " +
      "grep CapEff /proc/self/status; df -k /tmp | tail -n 1",
    ground.workspace,
  );
  assert.match(stdout, /^[3-9]\nagent\n1\nsandbox\nCapEff:\s+0{16}\n\S+\s+524288 /);
});

Deno.test("A sandboxed command reaches a public host through the proxy, and it alone", async () => {
  await using ground = await shellGround();
  await using server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    (request) => new Response(`hello to ${request.headers.get("host")}`),
  );
  const { port } = server.addr;
  await using level = await open(ground, {
    network: "filtered",
    // Stands for a public address, which a test cannot have.
    boundary: new NetBoundary({ allowedRanges: ["127.0.0.2/32"], allowedHosts: [] }),
    lookUp: (host) => Promise.resolve([host === "site.example" ? "127.0.0.2" : host]),
  });
  await using second = Deno.serve(
    { hostname: "127.0.0.2", port, onListen: () => {} },
    (request) => new Response(`public: ${request.headers.get("host")}`),
  );
  assert.equal(second.addr.port, port);
  const ask = (url: string) =>
    runAt(
      level,
      "exec 3<>/dev/tcp/127.0.0.1/${HTTP_PROXY##*:}; " +
        `printf 'GET ${url} HTTP/1.1\\r\\n\\r\\n' >&3; cat <&3`,
      ground.workspace,
    );
  assert.match((await ask(`http://site.example:${port}/`)).stdout, /public: site\.example/);
  assert.match((await ask(`http://127.0.0.1:${port}/`)).stdout, /^HTTP\/1\.1 403 /);
  const direct = await runAt(level, `echo x > /dev/tcp/127.0.0.2/${port}`, ground.workspace);
  assert.notEqual(direct.exitCode, 0);
});

Deno.test("With the whole disk open the gateway's own files still look empty", async () => {
  const root = await Deno.realPath(await Deno.makeTempDir({ dir: "/var/tmp" }));
  await using cleaning = new AsyncDisposableStack();
  cleaning.defer(() => Deno.remove(root, { recursive: true }));
  const workspace = join(root, "workspace");
  const state = join(root, "state");
  const config = join(root, "config.json");
  await Deno.mkdir(workspace);
  await Deno.mkdir(state);
  await Deno.writeTextFile(join(state, "journal"), SECRET);
  await Deno.writeTextFile(config, SECRET);
  await Deno.writeTextFile(join(root, "other.txt"), "other");
  await using level = await open({
    scope: {
      workspace,
      isRestricted: false,
      readableRoots: [],
      writableRoots: [],
      readOnlyPaths: [],
      hiddenPaths: [state, config],
    },
  });
  const command = "cat ../other.txt; cat ../config.json; ls ../state; cat ../state/journal; " +
    "echo x > ../state/new; echo x > ../config.json; echo x > ../made.txt";
  const { stdout } = await runAt(level, command, workspace);
  assert.equal(stdout, "other");
  assert.equal(await Deno.readTextFile(config), SECRET);
  assert.equal(await Deno.readTextFile(join(root, "made.txt")), "x\n");
  assert.deepEqual(await Array.fromAsync(Deno.readDir(state), ({ name }) => name), ["journal"]);
});

Deno.test("auto takes bubblewrap where it works, and leaves nothing of the attempt", async () => {
  await using ground = await shellGround();
  const before = await namesIn(ground);
  const choice = await openShellLevel({
    clock: systemClock,
    newId: systemNewId,
    wanted: "auto",
    network: "filtered",
    scope: ground.scope,
    programFolders: [],
    stateFolder: ground.outside,
    env: ENV,
    boundary,
  });
  assert.ok(choice.state === "chosen", JSON.stringify(choice));
  await using level = choice.level;
  assert.equal(level.name, "bwrap");
  assert.deepEqual(choice.passedOver, []);
  assert.deepEqual(await namesIn(ground), before);
});

Deno.test("A sandbox that lets private addresses through is not taken", async () => {
  await using ground = await shellGround();
  const choice = await openShellLevel({
    clock: systemClock,
    newId: systemNewId,
    wanted: "bwrap",
    network: "filtered",
    scope: ground.scope,
    programFolders: [],
    stateFolder: ground.outside,
    env: ENV,
    boundary: new NetBoundary({ allowedRanges: ["0.0.0.0/0"], allowedHosts: [] }),
  });
  assert.ok(choice.state === "none");
  assert.match(choice.problem, /bwrap does not work here: .*tools\.exec\.sandbox/);
});

Deno.test("A sandbox in which the state folder can be read is not taken", async () => {
  await using ground = await shellGround();
  const choice = await openShellLevel({
    clock: systemClock,
    newId: systemNewId,
    wanted: "bwrap",
    network: "none",
    scope: { ...ground.scope, readableRoots: [ground.outside], hiddenPaths: [] },
    programFolders: [],
    stateFolder: ground.outside,
    env: ENV,
    boundary,
  });
  assert.ok(choice.state === "none");
  assert.match(choice.problem, /a file outside the workspace could be read/);
});

async function namesIn({ outside, workspace }: ShellGround): Promise<readonly string[]> {
  const names = await Promise.all(
    [outside, workspace, join(workspace, "sessions")].map((folder) =>
      Array.fromAsync(Deno.readDir(folder), ({ name }) => join(folder, name))
    ),
  );
  return names.flat().toSorted();
}

Deno.test.each(
  [
    { network: "filtered", livesMs: 1_000 },
    { network: "none", livesMs: 300 },
    { network: "host", livesMs: 300 },
  ] as const,
)(
  "A gateway that is killed leaves no sandbox: network $network",
  async ({ network, livesMs }) => {
    await using ground = await shellGround();
    const commands = ["sleep 4711 & sleep 4711", "setsid setsid sleep 4711 & trap '' TERM; wait"];
    await killOwner(ground, { level: "bwrap", network, commands, livesMs });
  },
);

Deno.test.each([0, 5, 10, 20, 40, 80])(
  "A gateway that is killed %s ms after it started sandboxes leaves none half made",
  async (livesMs) => {
    await using ground = await shellGround();
    const commands = Array.from({ length: 8 }, () => "sleep 4711");
    await killOwner(ground, { level: "bwrap", network: "filtered", commands, livesMs });
  },
);

Deno.test("A command that is stopped as it starts leaves nothing, also under narrow rights", async () => {
  await using ground = await shellGround();
  const program = fileURLToPath(new URL("../support/stopped_sandboxes.ts", import.meta.url));
  const rights = [
    "--allow-run=bwrap",
    "--allow-read",
    "--allow-write",
    "--allow-env",
    "--allow-sys",
  ];
  const { success, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "--no-prompt", "--cached-only", "--no-check", ...rights, program],
    env: { WORKSPACE: ground.workspace },
  }).output();
  assert.ok(success, new TextDecoder().decode(stderr));
  await noneLeft(ground.workspace);
});
