import assert from "node:assert/strict";
import { join } from "node:path";
import { DiskSessionShelf } from "../../../../actors/session/adapters/session_shelf.ts";
import { findSession } from "../../../../actors/session/session_catalog.ts";
import { takeLocks } from "../../../../actors/gateway/locks.ts";
import { systemClock } from "../../../../actors/kernel/adapters/system_clock.ts";
import { exists } from "../../../../actors/kernel/adapters/missing.ts";
import { writeFiles } from "../../../support/nanobot_workspace.ts";
import { bench, everyHour, printOf, SKILL } from "./_folders.ts";
import { syncWorkspace } from "../../../../actors/session/adapters/workspace_template.ts";

const TOKEN = "123456:SECRET-of-the-bot";

const CONFIG = {
  agents: { defaults: { workspace: "~/.nanobot/workspace", model: "deepseek/deepseek-chat" } },
  providers: { deepseek: { apiKey: "sk-secret", apiBase: null }, groq: { apiKey: "" } },
  channels: {
    sendProgress: false,
    telegram: { enabled: true, token: TOKEN, allow_from: ["42"] },
    mochat: { enabled: true, clawToken: "secret" },
  },
  tools: { restrictToWorkspace: false, exec: { timeuot: 5 } },
  strange: 1,
};

const SESSION = [
  {
    _type: "metadata",
    key: "telegram:42",
    created_at: "2026-04-01T08:00:00.000001",
    updated_at: "2026-04-01T09:00:00",
    metadata: {},
    last_consolidated: 0,
  },
  { role: "user", content: "hi", timestamp: "2026-04-01T08:00:01" },
  { role: "assistant", content: "hello", timestamp: "2026-04-01T08:00:02" },
];

/** A whole folder as nanobot leaves it. */
function sample(): Parameters<typeof writeFiles>[1] {
  return {
    "config.json": JSON.stringify(CONFIG),
    "workspace/SOUL.md": "I am Nan.\n",
    "workspace/USER.md": "Likes tea.\n",
    "workspace/memory/MEMORY.md": "Tea is green.\n",
    "workspace/memory/history.jsonl": [
      { cursor: 1, timestamp: "2026-04-01 08:00", content: "Spoke of tea" },
    ],
    "workspace/memory/.cursor": "1",
    "workspace/memory/.dream_cursor": "1",
    "workspace/sessions/telegram_42.jsonl": SESSION,
    "sessions/cli_direct.jsonl": [{
      role: "user",
      content: "old",
      timestamp: "2026-01-01T00:00:00",
    }],
    "workspace/skills/brew/SKILL.md": SKILL,
    "workspace/cron/jobs.json": JSON.stringify({
      version: 1,
      jobs: [
        everyHour("aaaa1111"),
        { ...everyHour("bbbb2222"), schedule: { kind: "at", atMs: 5 } },
        { ...everyHour("dream"), payload: { kind: "system_event" } },
      ],
    }),
    "workspace/notes.txt": "of the assistant",
  };
}

Deno.test("migrate carries a folder of nanobot, and carries nothing twice", async () => {
  await using place = await bench();
  await writeFiles(place.source, sample());
  const before = await printOf(place.source);
  const done = await place.migrate("--json");
  assert.equal(done.code, 0, done.err + done.out);
  assert.equal(await printOf(place.source), before);
  const config = JSON.parse(await Deno.readTextFile(place.config));
  assert.deepEqual(config.channels.telegram, { enabled: true, token: TOKEN, allowFrom: ["42"] });
  assert.deepEqual(config.providers, { deepseek: { apiKey: "sk-secret" } });
  assert.equal(config.agents.defaults.workspace, place.workspace);
  assert.equal(((await Deno.stat(place.config)).mode ?? 0) & 0o777, 0o600);
  const shelf = new DiskSessionShelf(join(place.workspace, "sessions"));
  assert.deepEqual(
    findSession(shelf, "telegram:42")?.content.messages.map(({ message }) => message.content),
    ["hi", "hello"],
  );
  assert.equal(findSession(shelf, "cli:direct")?.content.messages.length, 1);
  const read = (path: string) => Deno.readTextFile(join(place.workspace, path));
  assert.equal(await read("SOUL.md"), "I am Nan.\n");
  assert.equal(await read("memory/.dream_cursor"), "1");
  assert.equal(await read("skills/brew/SKILL.md"), SKILL);
  const { jobs } = JSON.parse(await read("cron/jobs.json"));
  assert.deepEqual(jobs.map(({ id }: { id: string }) => id), ["aaaa1111"]);
  assert.equal(jobs[0].state.nextRunAtMs, null);
  const report = JSON.parse(done.out);
  const left = report.left.map(({ what }: { what: string }) => what.replace(place.source, "…"));
  for (
    const what of ["strange", "tools.exec.timeuot", "channels.mochat", "…/workspace/notes.txt"]
  ) assert.ok(left.includes(what), what);
  assert.ok(!/secret/i.test(done.out), "no secret is told");
  const after = await printOf(place.workspace);
  const again = JSON.parse((await place.migrate("--json")).out);
  assert.deepEqual(again.carried, []);
  const { carried } = report; // the workspace that was named is where the file says now
  const named = ({ what }: { what: string }) => what !== "agents.defaults.workspace";
  assert.deepEqual(new Set(again.there), new Set(carried.filter(named)));
  assert.equal(await printOf(place.workspace), after);
});

Deno.test("migrate finds the conversations of a later nanobot, beside its configuration", async () => {
  await using place = await bench();
  const line = (content: string) => [{ role: "user", content, timestamp: "2026-04-01T08:00:00" }];
  const folder = "sessions/0123456789abcdef0123456789abcdef";
  const other = "sessions/fedcba9876543210fedcba9876543210";
  await writeFiles(place.source, {
    "config.json": "{}",
    "workspace/.nanobot/workspace-id": "0123456789abcdef0123456789abcdef\n",
    [`${folder}/.workspace`]: "/moved/since\n",
    [`${folder}/.session-files.lock`]: "",
    [`${folder}/ZmVpc2h1OuWwj-aYjg.jsonl`]: line("new"),
    [`${folder}/feishu_小明.jsonl`]: line("as an earlier version left it"),
    [`${folder}/Y2xpOmRpcmVjdA.jsonl`]: line("direct"),
    [`${other}/.workspace`]: "/elsewhere\n",
    [`${other}/Y2xpOm90aGVy.jsonl`]: line("another's"),
    "sessions/.workspace-migration.lock": "",
    "workspace/sessions/cli_old.jsonl": line("never moved"),
  });
  const year = (path: string, at: number) => Deno.utime(join(place.source, folder, path), at, at);
  await year("ZmVpc2h1OuWwj-aYjg.jsonl", 2_000);
  await year("feishu_小明.jsonl", 1_000);
  const done = await place.migrate("--json");
  const shelf = new DiskSessionShelf(join(place.workspace, "sessions"));
  const said = (key: string) =>
    findSession(shelf, key)?.content.messages.map(({ message }) => message.content);
  assert.deepEqual(
    ["feishu:小明", "cli:direct", "cli:old", "cli:other"].map(said),
    [["new"], ["direct"], ["never moved"], undefined],
  );
  const left = JSON.parse(done.out).left.map((
    { what, why }: { what: string; why: string },
  ) => [what.replace(`${place.source}/`, ""), why]);
  assert.deepEqual(left, [
    [
      `${folder}/feishu_小明.jsonl`,
      "a newer file is the conversation sessions/feishu_%E5%B0%8F%E6%98%8E.jsonl too",
    ],
    [other, "conversations of another workspace (/elsewhere)"],
  ]);
});

Deno.test("migrate takes the last written of the files that versions of nanobot left", async () => {
  await using place = await bench();
  const line = (content: string) => [{ role: "user", content, timestamp: "2026-04-01T08:00:00" }];
  await writeFiles(place.source, {
    "config.json": "{}",
    "workspace/sessions/Y2xpOmRpcmVjdA.jsonl": line("old"),
    "workspace/sessions/cli_direct.jsonl": line("new"),
  });
  const folder = join(place.source, "workspace/sessions");
  await Deno.utime(join(folder, "Y2xpOmRpcmVjdA.jsonl"), 1_000, 1_000);
  await Deno.utime(join(folder, "cli_direct.jsonl"), 2_000, 2_000);
  const done = await place.migrate("--json");
  const shelf = new DiskSessionShelf(join(place.workspace, "sessions"));
  const found = findSession(shelf, "cli:direct");
  assert.deepEqual(found?.content.messages.map(({ message }) => message.content), ["new"]);
  const { left } = JSON.parse(done.out);
  assert.deepEqual(left.map(({ what }: { what: string }) => what), [
    join(folder, "Y2xpOmRpcmVjdA.jsonl"),
  ]);
});

Deno.test("migrate --dry-run says the same as the real run, and writes nothing", async () => {
  await using place = await bench();
  await writeFiles(place.source, sample());
  const dry = JSON.parse((await place.migrate("--json", "--dry-run")).out);
  assert.equal(await exists(place.home), false);
  const text = (await place.migrate("--dry-run")).out;
  assert.match(text, /^Would carry from nanobot/);
  assert.match(text, /Conversations: +2\n/);
  assert.match(text, /channels\.mochat \(no place for it\)/);
  assert.equal(await exists(place.home), false);
  const real = JSON.parse((await place.migrate("--json")).out);
  assert.deepEqual({ ...dry, isDryRun: false }, real);
});

Deno.test("migrate leaves what the target has, and says so", async () => {
  await using place = await bench();
  await writeFiles(place.source, sample());
  await syncWorkspace(place.workspace);
  const mine = { "sessions/telegram_42.jsonl": [{ role: "user", content: "mine" }] };
  await writeFiles(place.workspace, { ...mine, "USER.md": "Mine.\n" });
  const job = { ...everyHour("cccc3333"), odd: true };
  await writeFiles(place.workspace, { "cron/jobs.json": JSON.stringify({ jobs: [job] }) });
  const before = await Deno.readTextFile(join(place.workspace, "sessions/telegram_42.jsonl"));
  await writeFiles(place.home, {
    "config.json": '{\n  "agents": {"defaults": {"model": "mine"}}\n}',
  });
  const done = await place.migrate("--json");
  assert.equal(done.code, 1);
  const taken = JSON.parse(done.out).left
    .filter(({ reason }: { reason: string }) => reason === "taken")
    .map(({ what }: { what: string }) => what);
  assert.deepEqual(taken, ["agents.defaults.model", "USER.md", "sessions/telegram_42.jsonl"]);
  const read = (path: string) => Deno.readTextFile(join(place.workspace, path));
  assert.equal(await read("sessions/telegram_42.jsonl"), before);
  assert.equal(await read("USER.md"), "Mine.\n");
  assert.equal(await read("SOUL.md"), "I am Nan.\n", "a text that comes with the program is none");
  const { jobs } = JSON.parse(await read("cron/jobs.json"));
  assert.deepEqual(jobs.map(({ id }: { id: string }) => id), ["cccc3333", "aaaa1111"]);
  assert.equal(jobs[0].odd, true);
  const config = JSON.parse(await Deno.readTextFile(place.config));
  assert.equal(config.agents.defaults.model, "mine");
  assert.equal(config.channels.telegram.token, TOKEN);
});

Deno.test("migrate follows no links, and tells damaged, odd and hostile files", async () => {
  await using place = await bench();
  await writeFiles(place.source, {
    "config.json": '{"agents": {"defaults": {"maxTokens": "many", "model": "m"}},' +
      '"channels": {"telegram": {"enabled": true, "token": "none"}},' +
      '"providers": {"custom": {"apiBase": "http://127.0.0.1:1/v1", "apiKey": "${NOT_SET_HERE}"}}}',
    "secret.txt": "outside",
    "workspace/sessions/odd.jsonl": "no json\n\u0000\n[1]\n",
    "workspace/sessions/half.jsonl": '{"role":"user","content":"a"}\n{"role":"user","con',
    "workspace/sessions/up.jsonl": [{ _type: "metadata", key: "../../up/\u0000\u001b[2J" }],
    "workspace/cron/jobs.json": "[[[",
    "workspace/skills/bad__name/SKILL.md": SKILL,
    "workspace/skills/plain/SKILL.md": "no head",
    "workspace/evil\u001b[2J.txt": "x",
  });
  await Deno.symlink(join(place.source, "secret.txt"), join(place.source, "workspace/SOUL.md"));
  await Deno.symlink("/", join(place.source, "workspace/sessions/root.jsonl"));
  await Deno.symlink("/etc", join(place.source, "workspace/skills/etc"));
  await Deno.writeFile(join(place.source, "workspace/USER.md"), new Uint8Array([0xff, 0xfe, 0x41]));
  const done = await place.migrate();
  assert.equal(done.code, 1, done.err);
  assert.ok(!done.out.includes("\u001b"), "nothing reaches the terminal as a command");
  for (
    const expected of [
      /SOUL\.md \(not readable\): it is a link/,
      /USER\.md \(not readable\): it is not UTF-8/,
      /odd\.jsonl \(not readable\): no line/,
      /half\.jsonl \(not readable\): 1 damaged lines/,
      /root\.jsonl \(not readable\)/,
      /skills\/etc \(not readable\): it is a link/,
      /bad__name/,
      /skills\/plain/,
      /jobs\.json \(not readable\)/,
      /agents\.defaults\.maxTokens/,
      /channels\.telegram \(no place for it\): switched off/,
      /NOT_SET_HERE/,
    ]
  ) assert.match(done.out, expected);
  const config = JSON.parse(await Deno.readTextFile(place.config));
  assert.deepEqual(config.agents.defaults, { model: "m", workspace: place.workspace });
  assert.equal(config.channels.telegram.enabled, false);
  const names = (await Array.fromAsync(Deno.readDir(join(place.workspace, "sessions")))).length;
  assert.equal(names, 2);
});

Deno.test("migrate refuses while a gateway holds the target, and folders that overlap", async () => {
  await using place = await bench();
  await writeFiles(place.source, sample());
  const stateFolder = join(place.home, "state");
  {
    const taker = { clock: systemClock, command: "gateway" };
    using _held = await takeLocks({ stateFolder, workspace: place.workspace }, taker);
    const refused = await place.migrate();
    assert.equal(refused.code, 2);
    assert.match(refused.err, /stop that one first/);
    assert.equal(await exists(place.config), false);
  }
  const inside = await place.migrate("--workspace", join(place.source, "workspace"));
  assert.deepEqual([inside.code, /lies in it/.test(inside.err)], [2, true]);
  const shared = { agents: { defaults: { workspace: place.workspace } } };
  await writeFiles(place.source, { "config.json": JSON.stringify(shared) });
  const before = await printOf(place.workspace);
  const same = await place.migrate();
  assert.deepEqual([same.code, /lies in it/.test(same.err)], [2, true]);
  assert.equal(await printOf(place.workspace), before);
  await Deno.remove(place.source, { recursive: true });
  const gone = await place.migrate();
  assert.deepEqual([gone.code, /no such folder/.test(gone.err)], [2, true]);
});
