import assert from "node:assert/strict";
import { join } from "node:path";
import { lastUserText, ModelServer, say } from "../simulators/model_server.ts";
import { startInProcess } from "../support/gateway_in_process.ts";
import { GatewayHome } from "../support/gateway_process.ts";
import { loadHistory, loadSession, textOf, writeFiles } from "../support/nanobot_workspace.ts";
import { until } from "../support/until.ts";

const CALL = {
  id: "call_1",
  type: "function",
  function: { name: "list_dir", arguments: '{"path": "."}' },
};

/** What nanobot would leave: three tiers, of which parts are summed up already. */
const FILES = {
  "AGENTS.md": "# Rules\n\nAnswer in one sentence.\n",
  "SOUL.md": "# Soul\n\nI am terse.\n",
  "USER.md": "# User\n\n- Name: 小明\n",
  "TOOLS.md": "# Tools\n\nNothing special.\n",
  "HEARTBEAT.md": "# Heartbeat\n\n## Active Tasks\n",
  "memory/MEMORY.md": "# Memory\n\n- The boat is called Aurora.\n",
  "memory/history.jsonl": [
    { cursor: 1, timestamp: "2026-04-01 09:00", content: "- digested long ago" },
    { cursor: 2, timestamp: "2026-04-02 10:30", content: "- 小明 wants to paint the boat" },
    { cursor: 3, timestamp: "2026-04-03 11:45", content: "- the mast was repaired" },
  ],
  "memory/.cursor": "3",
  "memory/.dream_cursor": "1",
  "sessions/probe_alice.jsonl": [
    {
      _type: "metadata",
      key: "probe:alice",
      created_at: "2026-04-01T08:00:00.000001",
      updated_at: "2026-04-03T12:00:00.123456",
      metadata: {
        _last_summary: { text: "- they spoke of sails", last_active: "2026-04-01T09:00:00" },
      },
      last_consolidated: 2,
    },
    { role: "user", content: "an old question", timestamp: "2026-04-01T08:00:01.000001" },
    { role: "assistant", content: "an old answer", timestamp: "2026-04-01T08:00:02.000001" },
    { role: "user", content: "what is here?", timestamp: "2026-04-03T11:59:00.000001" },
    {
      role: "assistant",
      content: "",
      tool_calls: [CALL],
      reasoning_content: "I should look",
      timestamp: "2026-04-03T11:59:01.000001",
    },
    {
      role: "tool",
      tool_call_id: "call_1",
      name: "list_dir",
      content: "SOUL.md",
      timestamp: "2026-04-03T11:59:02.000001",
    },
    { role: "assistant", content: "One file.", timestamp: "2026-04-03T11:59:03.000001" },
  ],
  "sessions/probe_room_9.jsonl": [
    {
      _type: "metadata",
      key: "probe:room/9",
      created_at: "2026-04-01T08:00:00",
      updated_at: "2026-04-01T08:00:00",
      metadata: {},
      last_consolidated: 0,
    },
    { role: "user", content: "in the room", timestamp: "2026-04-01T08:00:01" },
    { role: "assistant", content: "yes", timestamp: "2026-04-01T08:00:02" },
  ],
  "cron/jobs.json": '{"version": 1, "jobs": []}\n',
  ".gitignore": "/*\n!SOUL.md\n",
  ".git/HEAD": "ref: refs/heads/main\n",
  ".git/refs/heads/main": "0123456789012345678901234567890123456789\n",
};

/** Files that belong to nanobot, or to the owner, alone. */
const UNTOUCHED = [
  "AGENTS.md",
  "SOUL.md",
  "USER.md",
  "TOOLS.md",
  "HEARTBEAT.md",
  "memory/MEMORY.md",
  "sessions/probe_room_9.jsonl", // what follows stands under a name that no other chat has
  "cron/jobs.json",
  ".gitignore",
  ".git/HEAD",
  ".git/refs/heads/main",
] as const;

/** The answer to anything: an echo, a summary, or nothing to do. */
function answer(system: string, user: string): string {
  if (system.startsWith("You keep the memory")) return "- they greeted each other again";
  if (system.startsWith("You put the long-term memory")) return "[SKIP] nothing lasts";
  return `echo ${user.split("\n").at(-1)}`;
}

Deno.test("A workspace of nanobot opens, goes on, and stays readable by its rules", async () => {
  await using home = await GatewayHome.make();
  const { workspace } = home;
  await writeFiles(workspace, FILES);
  const read = (path: string) => Deno.readTextFile(join(workspace, path));
  await using model = await ModelServer.start((request) => {
    const [first] = request.body.messages;
    return say(answer(String(first?.content), lastUserText(request)));
  });
  await using running = await startInProcess(home, {
    agents: { defaults: { model: "test-model", provider: "custom", workspace } },
    providers: { custom: { api_key: "sk-test-0123456789", api_base: model.baseUrl } },
  });
  const { probe } = running;
  const answered = (chatId: string, count: number) =>
    until(() => probe.textsOf(chatId).length >= count, {
      what: `${count} answers in ${chatId}`,
      timeoutMs: 20_000,
    });

  await probe.say("alice", "and now?");
  await answered("alice", 1);
  assert.equal(probe.textsOf("alice")[0], "echo and now?");
  const [system, ...talk] = model.requests[0]?.body.messages ?? [];
  const prompt = String(system?.content);
  for (const part of ["Answer in one sentence.", "I am terse.", "小明", "called Aurora"]) {
    assert.ok(prompt.includes(part), part);
  }
  assert.ok(prompt.includes("the mast was repaired") && prompt.includes("paint the boat"));
  assert.ok(!prompt.includes("digested long ago"));
  assert.deepEqual(talk.map(({ role }) => role), [
    "user",
    "assistant",
    "tool",
    "assistant",
    "user",
  ]);
  assert.equal(talk[0]?.content, "what is here?");
  assert.match(String(talk.at(-1)?.content), /they spoke of sails[^]*and now\?$/);

  await until(async () => (await read("sessions/probe_alice.jsonl")).includes("echo and now?"));
  const alice = loadSession(await read("sessions/probe_alice.jsonl"));
  assert.equal(alice.key, "probe:alice");
  assert.deepEqual(alice.messages.map(({ content }) => content), [
    ...["an old question", "an old answer", "what is here?", "", "SOUL.md", "One file."],
    ...["and now?", "echo and now?"],
  ]);
  assert.deepEqual(
    alice.history.map(({ role }) => role),
    talk.map(({ role }) => role).concat("assistant"),
  );

  await probe.say("room/9", "still there?");
  await answered("room/9", 1);
  assert.deepEqual(
    model.requests[1]?.body.messages.slice(1, 3).map(({ content }) => content),
    ["in the room", "yes"],
  );

  await probe.say("alice", "/new");
  await answered("alice", 2);
  await until(async () => await read("memory/.cursor") === "4", { timeoutMs: 20_000 });
  const history = await read("memory/history.jsonl");
  const entries = loadHistory(history);
  assert.deepEqual(entries.map(({ cursor }) => cursor), [1, 2, 3, 4]);
  assert.deepEqual(entries.slice(0, 3), FILES["memory/history.jsonl"]);
  assert.equal(entries[3]?.content, "- they greeted each other again");
  const anew = loadSession(await read("sessions/probe_alice.jsonl"));
  assert.deepEqual([anew.messages, anew.metadata], [[], {}]);

  await probe.say("alice", "/dream");
  await until(async () => await read("memory/.dream_cursor") === "4", { timeoutMs: 20_000 });
  for (const path of UNTOUCHED) assert.equal(await read(path), textOf(FILES[path]), path);
});
