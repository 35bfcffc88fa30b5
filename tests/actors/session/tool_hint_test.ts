import { shownServers } from "../../../actors/tools/mcp/tool_names.ts";
import assert from "node:assert/strict";
import fc from "fast-check";
import type { JsonObject } from "../../../actors/kernel/json.ts";
import { toolHint, toolHints } from "../../../actors/session/tool_hint.ts";
import type { RequestedCall } from "../../../providers/provider.ts";

function call(name: string, value: JsonObject): RequestedCall {
  const text = JSON.stringify(value);
  return {
    call: { id: "c", type: "function", function: { name, arguments: text } },
    parsed: { state: "ok", value },
  };
}

Deno.test.each<[string, JsonObject, string]>([
  ["read_file", { path: "notes.txt" }, "read notes.txt"],
  ["read_file", { file_path: "notes.txt" }, "read notes.txt"],
  ["write_file", { path: "a.txt", content: "x" }, "write a.txt"],
  ["write_file", { content: "x", path: "a.txt" }, "write a.txt"],
  ["edit_file", { path: "a.txt" }, "edit a.txt"],
  ["edit", { path: "a.txt" }, "edit a.txt"],
  ["list_dir", { path: "." }, "ls ."],
  ["glob", { pattern: "**/*.ts" }, `glob "**/*.ts"`],
  ["grep", { pattern: "TODO", path: "src" }, `grep "TODO"`],
  ["exec", { command: "npm install" }, "$ npm install"],
  ["web_search", { query: "weather" }, `search "weather"`],
  ["web_fetch", { url: "https://example.com/a?b=c" }, "fetch example.com/a"],
  ["mcp_github_list_issues", { repo: "a/b" }, `github::list_issues("a/b")`],
  ["mcp_github_ping", {}, "github::ping"],
  ["mcp_odd", { a: "x" }, `mcp_odd("x")`],
  ["message", { content: "hello" }, `message("hello")`],
  ["spawn", { n: 1 }, "spawn"],
  ["read_file", {}, "read_file"],
  ["read_file", { path: null }, "read_file"],
  ["exec", { command: ["ls"] }, "exec"],
  ["custom", { a: null, b: ["x"], c: "yes" }, `custom("yes")`],
  ["custom", { a: " " }, "custom"],
])("toolHint of %s with %j is %s", (name, value, hint) => {
  assert.equal(toolHint(call(name, value)), hint);
});

Deno.test("toolHint is the tool's name when its arguments cannot be read", () => {
  const requested: RequestedCall = {
    call: { id: "c", type: "function", function: { name: "exec", arguments: "{" } },
    parsed: { state: "invalid", problem: "cut" },
  };
  assert.equal(toolHint(requested), "exec");
});

Deno.test("toolHint takes the longest server name that fits", () => {
  const options = { mcpServers: ["my", "my_db"] };
  assert.equal(
    toolHint(call("mcp_my_db_run_query", { sql: "x" }), options),
    `my_db::run_query("x")`,
  );
});

const HOME = { home: "/home/me" };

Deno.test.each([
  ["/home/me/notes.txt", "read ~/notes.txt"],
  ["/home/me", "read ~"],
  ["/home/melissa/x", "read /home/melissa/x"],
  ["C:\\Users\\me\\a.txt", "read C:/Users/me/a.txt"],
  [
    "/home/me/projects/alpha/src/components/deep/button.tsx",
    "read …/alpha/src/components/deep/button.tsx",
  ],
  [`/a/${"x".repeat(60)}.txt`, `read …${"x".repeat(35)}.txt`],
])("toolHint shortens the path %s to %s", (path, hint) => {
  assert.equal(toolHint(call("read_file", { path }), HOME), hint);
});

Deno.test.each([
  ["https://user:pw@example.com/x?token=abc#y", "fetch example.com/x"],
  ["https://example.com/", "fetch example.com"],
  [
    "https://docs.example.com/a/very/long/path/to/some/page.html",
    "fetch docs.example.com/…/page.html",
  ],
  ["not a url", "fetch not a url"],
  ["https://example.com/a%0Ab%1B[2J", "fetch example.com/a b [2J"],
])("toolHint shortens the address %s to %s", (url, hint) => {
  assert.equal(toolHint(call("web_fetch", { url })), hint);
});

Deno.test.each([
  ["cat /home/me/projects/alpha/src/main.ts", "$ cat …/alpha/src/main.ts"],
  [`cat "/home/me/my projects/alpha beta/x.ts"`, `$ cat "…/alpha beta/x.ts"`],
  [`type C:\\Users\\me\\Documents\\work\\notes.txt`, "$ type …/work/notes.txt"],
  ["ls ./src && cd /tmp", "$ ls ./src && cd /tmp"],
  ["a\n\tb", "$ a b"],
  ["echo " + "x".repeat(60), `$ echo ${"x".repeat(34)}…`],
  ["curl https://example.com/a/b", "$ curl https://example.com/a/b"],
])("toolHint shows the command %j as %j", (command, hint) => {
  assert.equal(toolHint(call("exec", { command }), HOME), hint);
});

Deno.test.each([
  "API_TOKEN=hunter2secret run",
  `export PASSWORD="hunter2secret x"`,
  "curl -H 'Authorization: Bearer hunter2secret' x",
  "curl -H 'X-Api-Key: hunter2secret'",
  "tool --token hunter2secret",
  "tool --api-key=hunter2secret",
  "mysql --password hunter2secret",
  `curl -d '{"secret": "hunter2secret"}'`,
  "git clone https://me:hunter2secret@host/x",
  "AWS_SECRET_ACCESS_KEY=hunter2secret aws",
  "login sk-hunter2secrethunter2secret",
  `post {"secret": "hunter2${"x".repeat(600)}"}`,
])("toolHint does not show the secret in %j", (command) => {
  assert.ok(!toolHint(call("exec", { command })).includes("hunter2"));
  assert.ok(!toolHint(call("mcp_shell_run", { command })).includes("hunter2"));
});

Deno.test.each(["git log --oneline -n 5", "grep -r token src", "ls keys/", "make key"])(
  "toolHint shows %s, which holds no secret, as it is",
  (command) => {
    assert.equal(toolHint(call("exec", { command })), `$ ${command}`);
  },
);

Deno.test.each<[string, RequestedCall[], string]>([
  ["nothing", [], ""],
  [
    "equal neighbours",
    [call("exec", { command: "ls" }), call("exec", { command: "ls" })],
    "$ ls × 2",
  ],
  [
    "different calls",
    [call("list_dir", { path: "a" }), call("list_dir", { path: "b" })],
    "ls a, ls b",
  ],
  ["equal calls apart", [
    call("list_dir", { path: "a" }),
    call("list_dir", { path: "b" }),
    call("list_dir", { path: "a" }),
  ], "ls a, ls b, ls a"],
])("toolHints joins %s", (_name, calls, hints) => {
  assert.equal(toolHints(calls), hints);
});

Deno.test("toolHint is one short line, whatever the arguments are", () => {
  const tools = fc.constantFrom(
    ["read_file", "path"],
    ["exec", "command"],
    ["web_fetch", "url"],
    ["grep", "pattern"],
    ["mcp_a_b", "x"],
    ["other", "x"],
  );
  fc.assert(fc.property(tools, fc.string({ unit: "binary", maxLength: 300 }), (tool, text) => {
    const [name = "", key = ""] = tool;
    const hint = toolHint(call(name, { [key]: text }), HOME);
    assert.ok(Array.from(hint).length <= 60, hint);
    assert.ok(!/[\n\p{Cc}]/u.test(hint));
  }));
});

Deno.test("A hint names an MCP server as it is configured, though its name holds a _", () => {
  const mcpServers = shownServers(["my", "my_db", "the files"]);
  assert.deepEqual(mcpServers, ["my", "my_db", "the_files"]);
  assert.equal(toolHint(call("mcp_the_files_list", {}), { mcpServers }), "the_files::list");
});
