import assert from "node:assert/strict";
import { join } from "node:path";
import { exists } from "../../../../actors/kernel/adapters/missing.ts";
import { main } from "../../../../channels/cli/main.ts";
import { loadHistory, loadSession, writeFiles } from "../../../support/nanobot_workspace.ts";
import { Screen } from "../_provider_home.ts";
import { bench, everyHour, printOf, SKILL } from "./_folders.ts";

const CONFIG = {
  owners: ["telegram:42"],
  agents: {
    defaults: { model: "llama", provider: "attic", memory_scope: "person", max_tokens: 99 },
  },
  providers: { attic: { apiBase: "http://127.0.0.1:1/v1", apiKey: "${ATTIC_KEY}" } },
  channels: { telegram: { enabled: false, token: "1:a", reactEmoji: null } },
  gateway: { port: 18791 },
  tools: { exec: { sandbox: "virtual", timeout: 9 } },
};

const HEAD = {
  _type: "metadata",
  created_at: "2026-04-01T08:00:00.000Z",
  updated_at: "2026-04-01T09:00:00.000Z",
  metadata: {},
};

/** Ours, with what nanobot does not know. */
const WORKSPACE = {
  "SOUL.md": "I am Tro.\n",
  "USER.md": "Likes tea.\n",
  "memory/MEMORY.md": "Tea is green.\n",
  "memory/history.jsonl": [
    {
      cursor: 7,
      timestamp: "2026-04-01 08:00",
      content: "Spoke of tea",
      session_key: "cli:direct",
    },
  ],
  "memory/.cursor": "7",
  "memory/people/anna/MEMORY.md": "Hers.\n",
  "sessions/feishu_a%3Ab%5Fc.jsonl": [
    { ...HEAD, key: "feishu:a:b_c", last_consolidated: 2 },
    { role: "user", content: "old", timestamp: "2026-04-01T08:00:00Z", line_id: "t1:0" },
    { role: "assistant", content: "torn", timestamp: "2026-04-01T08:00:01Z", line_id: "t1:1" },
    {
      ...{ role: "assistant", content: "", timestamp: "2026-04-01T08:00:02Z", line_id: "t1:2" },
      set_aside: ["t1:1"],
    },
    { role: "user", content: "new", timestamp: "2026-04-01T08:00:03Z", line_id: "t2:0" },
    { ...HEAD, key: "feishu:a:b_c", last_consolidated: 2, metadata: { later: true } },
  ],
  "skills/brew/SKILL.md": SKILL,
  "cron/jobs.json": JSON.stringify({ version: 1, jobs: [everyHour("aaaa1111")] }),
} as const;

Deno.test("migrate --to nanobot makes a folder that nanobot can use, and back again", async () => {
  await using place = await bench();
  await writeFiles(place.home, { "config.json": JSON.stringify(CONFIG) });
  await writeFiles(place.workspace, WORKSPACE);
  const folder = join(place.source, "made");
  const give = async (...flags: readonly string[]) => {
    const screen = new Screen();
    const ours = ["--config", place.config, "--workspace", place.workspace];
    const code = await main(["migrate", "--to", "nanobot", folder, ...ours, ...flags], screen);
    return { code, out: screen.out, err: screen.err };
  };
  Deno.env.set("ATTIC_KEY", "k");
  try {
    const before = await printOf(place.workspace);
    assert.equal((await give("--dry-run")).code, 0);
    assert.deepEqual([await exists(folder), await exists(join(place.home, "state"))], [
      false,
      false,
    ]);
    const done = await give("--json");
    assert.equal(done.code, 0, done.err + done.out);
    assert.equal(await printOf(place.workspace), before);
    const read = (path: string) => Deno.readTextFile(join(folder, path));
    const config = JSON.parse(await read("config.json"));
    assert.deepEqual(config, {
      agents: {
        defaults: {
          ...{ model: "llama", provider: "custom", maxTokens: 99 },
          workspace: join(folder, "workspace"),
        },
      },
      providers: { custom: { apiBase: "http://127.0.0.1:1/v1", apiKey: "${ATTIC_KEY}" } },
      channels: { telegram: { enabled: false, token: "1:a", reactEmoji: "" } },
      gateway: { port: 18791 },
      tools: { exec: { timeout: 9 }, restrictToWorkspace: true },
    });
    assert.equal(((await Deno.stat(join(folder, "config.json"))).mode ?? 0) & 0o777, 0o600);
    const session = loadSession(await read("workspace/sessions/feishu_a_b_c.jsonl"));
    assert.equal(session.key, "feishu:a:b_c");
    assert.deepEqual(session.metadata, { later: true });
    assert.deepEqual(session.messages.map(({ content }) => content), ["old", "new"]);
    assert.deepEqual(session.history.map(({ content }) => content), ["new"]);
    const forLater = await read("workspace/sessions/ZmVpc2h1OmE6Yl9j.jsonl");
    assert.equal(forLater, await read("workspace/sessions/feishu_a_b_c.jsonl"));
    const sessions = JSON.parse(done.out).carried
      .filter(({ part }: { part: string }) => part === "sessions");
    assert.deepEqual(sessions, [{ part: "sessions", what: "sessions/feishu_a_b_c.jsonl" }]);
    const [head = ""] = (await read("workspace/sessions/feishu_a_b_c.jsonl")).split("\n");
    assert.match(JSON.parse(head).created_at, /^2026-0[34]-\d\dT\d\d:\d\d:\d\d$/);
    assert.equal(loadHistory(await read("workspace/memory/history.jsonl"))[0]?.cursor, 7);
    assert.equal(JSON.parse(await read("workspace/cron/jobs.json")).jobs.length, 1);
    assert.equal(await read("workspace/skills/brew/SKILL.md"), SKILL);
    const left = JSON.parse(done.out).left.map(({ what }: { what: string }) => what);
    assert.deepEqual(
      new Set(left),
      new Set([
        ...["owners", "agents.defaults.memoryScope", "tools.exec.sandbox"],
        join(place.workspace, "memory/people"),
      ]),
    );
    assert.deepEqual(JSON.parse((await give("--json")).out).carried, []);
    await takenBack(folder, join(place.home, "..", "again"));
  } finally {
    Deno.env.delete("ATTIC_KEY");
  }
});

/** What nanobot was given comes back. */
async function takenBack(folder: string, home: string): Promise<void> {
  const screen = new Screen();
  const ours = ["--config", join(home, "config.json"), "--workspace", join(home, "workspace")];
  assert.equal(await main(["migrate", folder, ...ours], screen), 0, screen.err + screen.out);
  const name = "workspace/sessions/feishu_a%3Ab_c.jsonl";
  assert.deepEqual(
    loadSession(await Deno.readTextFile(join(home, name))).history.map(({ content }) => content),
    ["new"],
  );
  const config = JSON.parse(await Deno.readTextFile(join(home, "config.json")));
  assert.equal(config.providers.custom.apiKey, "${ATTIC_KEY}");
}
