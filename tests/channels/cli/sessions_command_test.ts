import assert from "node:assert/strict";
import { join } from "node:path";
import { temporaryFolder } from "../../support/temporary_folder.ts";
import { run } from "./_screen.ts";

const LINES = [
  { _type: "metadata", key: "cli:work", last_consolidated: 0 },
  { role: "user", content: "look it up", timestamp: "2026-05-01T08:00:00.000Z" },
  {
    role: "assistant",
    content: null,
    tool_calls: [{ id: "1", type: "function", function: { name: "read_file", arguments: "{}" } }],
  },
  { role: "tool", tool_call_id: "1", name: "read_file", content: "42" },
  { role: "assistant", content: "It is 42" },
];

Deno.test("sessions list and show tell scripts what there is, and what was said last", async () => {
  await using folder = await temporaryFolder();
  const workspace = join(folder.path, "workspace");
  const file = join(folder.path, "config.json");
  await Deno.mkdir(join(workspace, "sessions"), { recursive: true });
  const text = LINES.map((line) => `${JSON.stringify(line)}\n`).join("");
  await Deno.writeTextFile(join(workspace, "sessions/cli_work.jsonl"), text);
  await Deno.writeTextFile(file, JSON.stringify({ agents: { defaults: { workspace } } }));
  const ask = async (...args: readonly string[]) => {
    const { code, out } = await run("sessions", ...args, "--json", "--config", file);
    assert.equal(code, 0);
    return JSON.parse(out);
  };
  const { sessions, total } = await ask("list");
  assert.deepEqual([total, sessions[0].key], [1, "cli:work"]);
  const { key, messages, last } = await ask("show", "cli:work", "--limit", "3");
  assert.deepEqual([key, messages], ["cli:work", 4]);
  assert.deepEqual(last, [
    { line: 2, role: "assistant", at: null, text: "", tools: ["read_file"] },
    { line: 3, role: "tool", at: null, text: "42", tools: [] },
    { line: 4, role: "assistant", at: null, text: "It is 42", tools: [] },
  ]);
});
