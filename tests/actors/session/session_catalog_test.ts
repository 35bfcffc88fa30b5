import assert from "node:assert/strict";
import { join } from "node:path";
import { DiskSessionShelf } from "../../../actors/session/adapters/session_shelf.ts";
import { findSession, listSessions } from "../../../actors/session/session_catalog.ts";
import { sessionMarkdown } from "../../../actors/session/session_markdown.ts";
import { sessionFileName } from "../../../actors/session/session_name.ts";
import { temporaryFolder } from "../../support/temporary_folder.ts";

const CREATED = "2026-04-01T08:00:00.000Z";

function head(key: string | null): string {
  const times = { created_at: CREATED, updated_at: CREATED };
  return JSON.stringify({ _type: "metadata", key, ...times, metadata: {}, last_consolidated: 0 });
}

async function shelfWith(folder: string, texts: Readonly<Record<string, string>>) {
  let hour = 0;
  for (const [name, text] of Object.entries(texts)) {
    await Deno.writeTextFile(join(folder, name), text);
    const at = new Date(Date.UTC(2026, 4, 1, ++hour));
    await Deno.utime(join(folder, name), at, at);
  }
  return new DiskSessionShelf(folder);
}

Deno.test("The catalog lists sessions by when they were last written, in pages", async () => {
  await using folder = await temporaryFolder();
  const shelf = await shelfWith(folder.path, {
    "feishu_oc_1.jsonl": `${head("feishu:oc_1")}\n`,
    "cli_direct.jsonl": "not json\n",
    "notes.txt": "none of them",
    "feishu_oc_1.jsonl.corrupt": "none either",
    [sessionFileName("telegram:群/一")]: `${head("telegram:群/一")}\n${"x".repeat(100_000)}`,
    "odd_name.jsonl": `${head(null)}\n`,
  });
  const first = listSessions(shelf, { limit: 2, offset: 0 });
  const second = listSessions(shelf, { limit: 2, offset: 2 });
  assert.deepEqual([first.total, second.total], [4, 4]);
  assert.deepEqual(
    [...first.sessions, ...second.sessions].map(({ key, createdAtMs }) => [key, createdAtMs]),
    [
      ["odd:name", Date.parse(CREATED)],
      ["telegram:群/一", Date.parse(CREATED)],
      ["cli:direct", null],
      ["feishu:oc_1", Date.parse(CREATED)],
    ],
  );
  const missing = new DiskSessionShelf(join(folder.path, "missing"));
  assert.deepEqual(listSessions(missing, { limit: 5, offset: 0 }), { sessions: [], total: 0 });
});

Deno.test("The catalog finds a session by key, by file, and under nanobot's name", async () => {
  await using folder = await temporaryFolder();
  const shelf = await shelfWith(folder.path, {
    "feishu_oc_1.jsonl": `${head("feishu:oc_1")}\n`,
    "cli_a_b.jsonl": `${head("cli:a/b")}\n`,
  });
  const fileOf = (name: string) => findSession(shelf, name)?.file ?? null;
  assert.equal(fileOf("feishu:oc_1"), "feishu_oc_1.jsonl");
  assert.equal(fileOf("feishu_oc_1"), "feishu_oc_1.jsonl");
  assert.equal(fileOf("feishu_oc_1.jsonl"), "feishu_oc_1.jsonl");
  assert.equal(fileOf("cli:a/b"), "cli_a_b.jsonl");
  assert.equal(fileOf("cli:a?b"), null, "it only shares the name");
  assert.equal(fileOf("../secret"), null);
});

Deno.test("A session becomes Markdown with its tool calls folded and its images by path", () => {
  const lines = [
    head("feishu:oc_1"),
    { role: "user", content: "看看这张图\n[image: media/a.png]", sender_id: "ou_1" },
    {
      role: "assistant",
      content: "Let me look.",
      tool_calls: [{
        id: "c1",
        type: "function",
        function: { name: "exec", arguments: '{"command":"ls"}' },
      }],
    },
    { role: "tool", tool_call_id: "c1", name: "exec", content: "```\na.png\n```" },
    { role: "assistant", content: "是一只猫。" },
  ];
  const timestamp = "2026-04-30T14:03:00.000Z";
  const text = lines.map((line) =>
    typeof line === "string" ? line : JSON.stringify({ ...line, timestamp })
  ).join("\n");
  const shelf = { files: () => [], head: () => "", read: () => text };
  const found = findSession(shelf, "feishu:oc_1");
  assert.ok(found !== null);
  assert.equal(
    sessionMarkdown(found, "Asia/Shanghai"),
    `# feishu:oc_1

Begun 2026-04-01 16:00 (Wednesday) (Asia/Shanghai, UTC+08:00). 4 messages.

## Person (ou_1) · 2026-04-30 22:03 (Thursday) (Asia/Shanghai, UTC+08:00)

看看这张图
[image: media/a.png]

## Assistant · 2026-04-30 22:03 (Thursday) (Asia/Shanghai, UTC+08:00)

Let me look.

<details>

<summary>Tool: exec</summary>

\`\`\`json
{"command":"ls"}
\`\`\`

\`\`\`\`
\`\`\`
a.png
\`\`\`
\`\`\`\`

</details>

## Assistant · 2026-04-30 22:03 (Thursday) (Asia/Shanghai, UTC+08:00)

是一只猫。
`,
  );
});
