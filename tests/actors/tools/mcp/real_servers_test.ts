import assert from "node:assert/strict";
import { join } from "node:path";
import { INHERITED } from "../../../../actors/tools/mcp/adapters/stdio_command.ts";
import { mcpBench } from "../../../support/mcp_bench.ts";
import { temporaryFolder } from "../../../support/temporary_folder.ts";
import { until } from "../../../support/until.ts";
import { serverModule } from "./_servers.ts";

const folder = await temporaryFolder();
await Deno.writeTextFile(join(folder.path, "poem.txt"), "one\ntwo\nthree\n");
await Deno.mkdir(join(folder.path, "deep"));
const memory = join(folder.path, "graph.json");

// The first start fetches the packages.
const bench = await mcpBench({
  everything: { command: Deno.execPath(), args: ["run", "-A", serverModule("everything")] },
  // With exact rights, and nothing else.
  files: {
    command: Deno.execPath(),
    args: [serverModule("filesystem"), folder.path],
    rights: { read: [folder.path], write: [folder.path] },
  },
  memory: {
    command: Deno.execPath(),
    args: ["run", "-A", serverModule("memory")],
    env: { MEMORY_FILE_PATH: memory },
    enabledTools: ["create_entities", "mcp_memory_search_nodes", "no_such_tool"],
  },
});
await until(async () => {
  const states = Object.values(await bench.mcp.report());
  return states.every(({ state }) => state === "ready");
}, { timeoutMs: 60_000 });

Deno.test.afterAll(async () => {
  await bench[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});

Deno.test("The reference server's tools, resources and prompts are all there", () => {
  const own = bench.names.filter((name) => name.startsWith("mcp_everything_"));
  for (const part of ["echo", "get-sum", "resource_features_md", "prompt_args-prompt"]) {
    assert.ok(own.includes(`mcp_everything_${part}`), part);
  }
  const concurrency = (name: string) => bench.registry.concurrency(name);
  assert.equal(concurrency("mcp_everything_prompt_simple-prompt"), "shared");
  assert.equal(concurrency("mcp_files_write_file"), "exclusive");
  assert.equal(concurrency("mcp_files_read_text_file"), "shared");
});

Deno.test.each(
  [
    ["echo", { message: "hello" }, /Echo: hello/],
    ["get-sum", { a: "2", b: 3 }, /sum of 2 and 3 is 5/],
    ["get-structured-content", { location: "Chicago" }, /"temperature": ?\d+/],
    ["get-resource-links", { count: 2 }, /\(resource .*: demo:\/\/resource/],
    [
      "get-resource-reference",
      { resourceType: "Text", resourceId: 1 },
      /\[demo:\/\/resource.*\]\n/,
    ],
    ["get-annotated-message", { messageType: "error" }, /Error: Operation failed/],
    ["trigger-long-running-operation", { duration: 0.1, steps: 2 }, /completed/],
    ["resource_features_md", {}, /\[demo:\/\/resource\/static\/document\/features\.md/],
    ["resource_Dynamic_Text_Resource", { resourceId: "7" }, /dynamic\/text\/7/],
    ["prompt_args-prompt", { city: "Bern" }, /\[user\]\n.*Bern/],
  ] as const,
)("The reference server answers %s", async (tool, args, expected) => {
  const { content, isError } = await bench.call(`mcp_everything_${tool}`, args);
  const text = typeof content === "string" ? content : JSON.stringify(content);
  assert.match(text, expected);
  assert.ok(!isError);
});

Deno.test("The reference server's picture is a picture", async () => {
  const { content } = await bench.call("mcp_everything_get-tiny-image");
  assert.ok(Array.isArray(content));
  const kinds = content.map(({ type }) => type);
  assert.deepEqual(kinds, ["text", "image_url"]);
});

Deno.test("Wrong arguments are refused before the server sees them", async () => {
  const text = await bench.say("mcp_everything_get-sum", { a: 1 });
  assert.match(text, /^Error: .*b is missing/);
});

Deno.test("The reference server sees no variable of ours but a few", async () => {
  const text = await bench.say("mcp_everything_get-env");
  const names = [...text.matchAll(/"(\w+)":/g)].map(([, name = ""]) => name);
  const known = new Set([...INHERITED, "NO_COLOR", "TROUPE_COMMAND", "npm_config_user_agent"]);
  assert.ok(names.includes("PATH"), names.join());
  assert.deepEqual(names.filter((name) => !known.has(name)), []);
});

Deno.test("A server with exact rights does its work and no more", async () => {
  const path = join(folder.path, "poem.txt");
  assert.match(await bench.say("mcp_files_read_text_file", { path }), /\none\ntwo\nthree\n/);
  const written = join(folder.path, "deep", "new.txt");
  await bench.call("mcp_files_write_file", { path: written, content: "new" });
  assert.equal(await Deno.readTextFile(written), "new");
  const { content, isError } = await bench.call("mcp_files_read_text_file", {
    path: "/etc/passwd",
  });
  assert.ok(isError);
  assert.match(
    String(content),
    /^Error: the tool reports a failure\n⟦Untrusted.*(denied|allowed)/s,
  );
});

Deno.test("Only the enabled tools are there, by either name, and what is unknown is said", async () => {
  const own = bench.names.filter((name) => name.startsWith("mcp_memory_"));
  assert.deepEqual(own, ["mcp_memory_create_entities", "mcp_memory_search_nodes"]);
  const entities = [{ name: "Ada", entityType: "person", observations: ["counts"] }];
  await bench.call("mcp_memory_create_entities", { entities });
  assert.match(await bench.say("mcp_memory_search_nodes", { query: "counts" }), /Ada/);
  assert.ok((await Deno.readTextFile(memory)).includes("Ada"));
  const { memory: health } = await bench.mcp.report();
  assert.match(health?.detail ?? "", /enabledTools names no_such_tool, which it does not offer/);
});
