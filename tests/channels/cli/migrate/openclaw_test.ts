import assert from "node:assert/strict";
import { join } from "node:path";
import { JobBook } from "../../../../actors/automation/job_book.ts";
import { parseEntry } from "../../../../actors/memory/history_file.ts";
import { exists } from "../../../../actors/kernel/adapters/missing.ts";
import { DiskSessionShelf } from "../../../../actors/session/adapters/session_shelf.ts";
import { findSession } from "../../../../actors/session/session_catalog.ts";
import { lastSummary } from "../../../../actors/session/last_summary.ts";
import { placeOfKey } from "../../../../channels/cli/migrate/openclaw_names.ts";
import { writeFiles } from "../../../support/nanobot_workspace.ts";
import { bench, printOf, SKILL } from "./_folders.ts";

const CONFIG = `// as people write it
{
  agents: {
    defaults: {
      workspace: "~/.openclaw/workspace",
      model: { primary: 'google/gemini-2.5-pro', fallbacks: ["proxy/llama",] },
      userTimezone: "Europe/Vienna", heartbeat: { every: "1h" }, imageModel: "x",
    },
    list: [{ id: "other" }, { id: "main", default: true, thinkingDefault: "low" }],
  },
  env: { GROQ_API_KEY: "gsk-secret", PROXY: "proxy-secret" },
  models: { providers: {
    proxy: { baseUrl: "http://127.0.0.1:4000/v1", apiKey: "\${PROXY}", api: "openai-completions" },
    odd: { baseUrl: "http://127.0.0.1:4001", api: "anthropic-messages" },
  } },
  channels: {
    telegram: { botToken: "123456:SECRET", allowFrom: ["tg:42"], dmPolicy: "pairing" },
    signal: { account: "+1555" },
    discord: { enabled: true, token: { source: "env", id: "NOT_SET_HERE" } },
  },
  mcp: { servers: { notes: { command: "notes", args: ["--all"] } } },
  hooks: { token: "secret" },
}`;

let lines = 0;

function said(role: string, text: string, fields: Record<string, string> = {}) {
  const id = `e${++lines}`;
  const content = [{ type: "text", text }];
  const timestamp = "2026-04-08T01:03:43.126Z";
  const parent = { parentId: `e${lines - 1}` };
  return { type: "message", id, ...parent, timestamp, message: { role, content }, ...fields };
}

/** A transcript with a branch that was left, tools, and a summary. */
function transcript() {
  lines = 0;
  return [
    { type: "session", version: 3, id: "s1", timestamp: "2026-04-08T01:00:00.000Z" },
    { ...said("user", "hello"), parentId: null },
    said("assistant", "left behind"),
    said("assistant", "hi", { parentId: "e1" }),
    { ...said("user", "look"), parentId: "e3" },
    { type: "compaction", id: "c1", parentId: "e4", summary: "They met", firstKeptEntryId: "e4" },
    {
      ...{ type: "message", id: "e5", parentId: "c1", timestamp: "2026-04-08T01:03:44.000Z" },
      message: {
        role: "assistant",
        content: [
          { type: "thinking", thinking: "hm" },
          { type: "toolCall", id: "t1", name: "read", arguments: { path: "a" } },
        ],
      },
    },
    {
      ...{ type: "message", id: "e6", parentId: "e5", timestamp: "2026-04-08T01:03:45.000Z" },
      message: { role: "toolResult", toolCallId: "t1", toolName: "read", content: "found" },
    },
    { type: "custom", id: "e7", parentId: "e6" },
  ];
}

/** A whole folder as OpenClaw leaves it. */
function sample(): Parameters<typeof writeFiles>[1] {
  const sessions = "agents/main/sessions";
  return {
    "openclaw.json": CONFIG,
    "credentials/telegram-allowFrom.json": '{"version":1,"allowFrom":["77"]}',
    "agents/main/agent/auth-profiles.json": JSON.stringify({
      profiles: {
        "anthropic:default": { type: "api_key", provider: "anthropic", key: "sk-secret" },
        "openai-codex:me": { type: "oauth", provider: "openai-codex", access: "secret" },
      },
    }),
    [`${sessions}/sessions.json`]: JSON.stringify({
      "agent:main:main": {
        sessionId: "s1",
        updatedAt: 1775610223122,
        deliveryContext: { channel: "telegram", to: "telegram:42" },
      },
      "agent:main:telegram:group:-100:topic:7": { sessionId: "s2" },
      "agent:main:cron:abc": { sessionId: "s3" },
      "agent:other:main": { sessionId: "s4" },
      "agent:main:slack:channel:c1": { sessionFile: "/etc/../../s5.jsonl" },
    }),
    [`${sessions}/s1.jsonl`]: transcript(),
    [`${sessions}/s2.jsonl`]: [said("user", "in the topic")].map(({ id: _, ...line }) => line),
    [`${sessions}/s9.jsonl`]: [said("user", "earlier")],
    "workspace/SOUL.md": "I am kind.\n",
    "workspace/IDENTITY.md": "Name: Clawd\n",
    "workspace/MEMORY.md": "Tea is green.\n",
    "workspace/memory/2026-04-01.md": "Spoke of tea.\n",
    "workspace/skills/brew/SKILL.md": SKILL,
    "skills/boil/SKILL.md": SKILL.replace("brew", "boil"),
    "cron/jobs.json": JSON.stringify({
      version: 1,
      jobs: [
        {
          ...{ id: "j1", name: "Brief", agentId: "main", sessionTarget: "isolated" },
          schedule: { kind: "cron", expr: "0 7 * * *", tz: "Europe/Vienna" },
          payload: { kind: "agentTurn", message: "Sum up" },
          delivery: { mode: "announce", channel: "telegram", to: "telegram:group:-100" },
        },
        {
          ...{ jobId: "j2", name: "Once", schedule: { kind: "at", at: "2999-01-01T08:00:00" } },
          ...{ payload: { kind: "systemEvent", text: "Wake" }, sessionTarget: "main" },
        },
        { id: "j3", schedule: { kind: "at", at: "2020-01-01T08:00:00Z" }, payload: { text: "x" } },
      ],
    }),
  };
}

Deno.test("migrate carries a folder of OpenClaw, and carries nothing twice", async () => {
  await using place = await bench();
  await writeFiles(place.source, sample());
  const before = await printOf(place.source);
  const dry = await place.migrate("--dry-run", "--json");
  assert.equal(await exists(place.home), false);
  const done = await place.migrate("--json");
  const report = JSON.parse(done.out);
  assert.deepEqual({ ...JSON.parse(dry.out), isDryRun: false }, report);
  assert.equal(await printOf(place.source), before);
  assert.ok(!/secret/i.test(done.out), "no secret is told");
  const config = JSON.parse(await Deno.readTextFile(place.config));
  assert.deepEqual(config.agents.defaults, {
    ...{ model: "gemini/gemini-2.5-pro", fallbackModels: ["proxy/llama"] },
    ...{ reasoningEffort: "low", timezone: "Europe/Vienna", workspace: place.workspace },
  });
  assert.deepEqual(config.providers, {
    proxy: { apiBase: "http://127.0.0.1:4000/v1", apiKey: "proxy-secret" },
    groq: { apiKey: "gsk-secret" },
    anthropic: { apiKey: "sk-secret" },
  });
  const telegram = { enabled: true, token: "123456:SECRET", allowFrom: ["42", "77"] };
  assert.deepEqual(config.channels.telegram, { ...telegram, groupPolicy: "mention" });
  assert.equal(config.channels.discord.token, "${NOT_SET_HERE}");
  assert.equal(config.gateway.heartbeat.intervalS, 3_600);
  assert.deepEqual(config.tools.mcpServers.notes, { command: "notes", args: ["--all"] });
  await rememberedIn(place.workspace);
  const left = JSON.stringify(report.left);
  for (
    const what of [
      ...["hooks", "agents.defaults.imageModel", "channels.signal", "models.providers.odd"],
      ...["auth profile openai-codex:me", "agent other", "1 earlier transcripts", "s5.jsonl"],
      ...["1 conversations of jobs", "1 conversations of other agents", "its time has passed"],
    ]
  ) assert.ok(left.includes(what), what);
  assert.deepEqual(JSON.parse((await place.migrate("--json")).out).carried, []);
});

/** What the readers of the gateway find. */
async function rememberedIn(workspace: string): Promise<void> {
  const shelf = new DiskSessionShelf(join(workspace, "sessions"));
  const main = findSession(shelf, "telegram:42")?.content;
  assert.deepEqual(main?.damaged, []);
  assert.deepEqual(
    main.messages.map(({ message }) => [message.role, message.content]),
    [["user", "hello"], ["assistant", "hi"], ["user", "look"], ["assistant", ""], [
      "tool",
      "found",
    ]],
  );
  assert.equal(main.metadata?.lastConsolidated, 2);
  assert.equal(lastSummary(main.metadata.metadata)?.text, "They met");
  assert.equal(findSession(shelf, "telegram:-100:topic:7")?.content.messages.length, 1);
  const read = (path: string) => Deno.readTextFile(join(workspace, path));
  assert.equal(await read("SOUL.md"), "I am kind.\n\nName: Clawd\n");
  assert.equal(await read("memory/MEMORY.md"), "Tea is green.\n");
  assert.deepEqual(parseEntry((await read("memory/history.jsonl")).trim()), {
    ...{ cursor: 1, timestamp: "2026-04-01 00:00", content: "Spoke of tea." },
  });
  assert.equal(await read("memory/.dream_cursor"), "1");
  assert.equal(await exists(join(workspace, "skills/boil/SKILL.md")), true);
  const book = JobBook.read(await read("cron/jobs.json"), "UTC");
  assert.equal(book.state, "ok");
  assert.deepEqual(
    book.state === "ok" &&
      book.book.jobs.map((
        { id, payload, schedule },
      ) => [
        id,
        payload.message,
        payload.to,
        schedule.kind === "at" ? schedule.atMs : schedule.kind,
      ]),
    [["j1", "Sum up", "-100", "cron"], ["j2", "Wake", null, Date.UTC(2999, 0, 1, 8)]],
  );
}

Deno.test("migrate reads what it can of a broken or hostile folder of OpenClaw", async () => {
  await using place = await bench();
  const loop = { ...said("user", "round"), id: "a", parentId: "a" };
  await writeFiles(place.source, {
    "openclaw.json": `{ channels: { telegram: { botToken: "123:SECRET" `,
    "agents/main/sessions/sessions.json": JSON.stringify({
      "agent:main:main": { sessionId: "../../../../etc/passwd" },
      "agent:main:telegram:dm:__proto__": { sessionFile: "loop.jsonl" },
      "agent:main:telegram:dm:../../up": { sessionFile: "torn.jsonl" },
      "__proto__:x": null,
    }),
    "agents/main/sessions/loop.jsonl": [loop],
    "agents/main/sessions/torn.jsonl": `${JSON.stringify(said("user", "ok"))}\n{"type":"mess`,
    "cron/jobs.json": '{"jobs":[{"id":7},null,{"id":"x","payload":{"message":"m"}}]}',
    "workspace/memory/x.bin": "\u0000",
  });
  const done = await place.migrate();
  assert.equal(done.code, 1, done.err);
  assert.ok(!done.out.includes("SECRET"));
  assert.match(done.out, /openclaw\.json \(not readable\): it is no JSON5/);
  assert.match(done.out, /torn\.jsonl \(not readable\): 1 damaged lines/);
  const names = (await Array.fromAsync(Deno.readDir(join(place.workspace, "sessions"))))
    .map(({ name }) => name);
  assert.deepEqual(
    new Set(names),
    new Set(["telegram___proto__.jsonl", "telegram_..%2F..%2Fup.jsonl"]),
  );
});

Deno.test.each(
  [
    ["agent:main:main", { kind: "main" }],
    ["agent:main:telegram:direct:42", { kind: "chat", key: "telegram:42" }],
    ["agent:main:telegram:bot1:dm:42", { kind: "chat", key: "telegram:42" }],
    ["agent:main:discord:channel:9:thread:8", { kind: "chat", key: "discord:9:thread:8" }],
    ["agent:main:whatsapp:dm:+1555", { kind: "chat", key: "whatsapp:1555@s.whatsapp.net" }],
    ["agent:main:slack:channel:c1", { kind: "chat", key: "slack:C1" }],
    ["agent:main:subagent:7", { kind: "passing" }],
    ["agent:work:main", { kind: "other_agent" }],
  ] as const,
)("OpenClaw's key %s has its place here", (key, expected) => {
  assert.deepEqual(placeOfKey(key, "main"), expected);
});
