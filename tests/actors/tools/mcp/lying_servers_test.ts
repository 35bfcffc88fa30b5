import assert from "node:assert/strict";
import { z } from "zod";
import { McpHttpServer } from "../../../simulators/mcp_http_server.ts";
import { ManualClock } from "../../../support/manual_clock.ts";
import { lying, mcpBench } from "../../../support/mcp_bench.ts";
import { until } from "../../../support/until.ts";

/** Lies of a program's streams and its end. */
const OF_PROGRAMS = [
  ...["none", "garbage", "garbage_only", "stderr_flood", "endless_line", "die_connect", "huge"],
] as const;
/** Lies that are the same on any way; no process has to be started for them. */
const OF_WORDS = [
  ...["old_protocol", "duplicates", "odd_names", "wrong_schema", "many", "injection"],
  ...["endless_list", "no_list", "pages", "no_content", "refuses", "deep", "changes"],
] as const;

const owned = new AsyncDisposableStack();
const remote = OF_WORDS.map((lie) => ({ lie, server: owned.use(new McpHttpServer({ lie })) }));
// Time stands still, so that nobody is tried again beside the tests.
const bench = owned.use(
  await mcpBench({
    ...Object.fromEntries(OF_PROGRAMS.map((lie) => [lie, lying(lie)])),
    ...Object.fromEntries(
      remote.map(({ lie, server }) => [lie, { url: `${server.origin}/mcp` }]),
    ),
  }, { clock: new ManualClock() }),
);

Deno.test.afterAll(async () => await owned.disposeAsync());

const health = await bench.mcp.report();

function toolsOf(lie: string): string[] {
  const prefix = `mcp_${lie}_`;
  return bench.names.filter((name) => name.startsWith(prefix))
    .map((name) => name.slice(prefix.length));
}

Deno.test("A server that tells the truth works beside all that lie", async () => {
  assert.deepEqual(toolsOf("none"), ["echo", "look"]);
  assert.match(await bench.say("mcp_none_echo", { text: "hi" }), /\necho: hi\n/);
  assert.equal(bench.registry.concurrency("mcp_none_look"), "shared");
  assert.equal(bench.registry.concurrency("mcp_none_echo"), "exclusive");
  assert.ok(bench.lines.includes("MCP server none: 2 tools (lying none 1)"));
});

Deno.test("What is no message on stdout, and a flood on stderr, do no harm", async () => {
  assert.match(await bench.say("mcp_garbage_echo", { text: "hi" }), /echo: hi/);
  assert.match(await bench.say("mcp_stderr_flood_echo", { text: "hi" }), /echo: hi/);
});

Deno.test.each(
  [
    ["garbage_only", /ended with code 4; it writes to stdout .*"Welcome!".*must log to stderr/],
    ["endless_line", /a message of more than 16 MB/],
    ["die_connect", /ended with code 3/],
    ["old_protocol", /protocol version is not supported: 1999-01-01/],
    ["no_list", /^lying no_list 1$/],
  ] as const,
)("Of %s it is said what is wrong", (lie, expected) => {
  assert.match(health[lie]?.detail ?? "", expected);
  assert.deepEqual(toolsOf(lie), []);
});

Deno.test("Tools of the same name are one, in one server", async () => {
  assert.deepEqual(toolsOf("duplicates"), ["echo", "look"]);
  assert.match(await bench.say("mcp_duplicates_echo", { text: "1" }), /echo: 1/);
});

Deno.test("Names with odd letters become names that providers take, and still call the tool", async () => {
  const tools = toolsOf("odd_names");
  assert.equal(tools.length, 6);
  for (const name of tools) {
    assert.match(`mcp_odd_names_${name}`, /^[\w-]{1,64}$/);
    assert.match(await bench.say(`mcp_odd_names_${name}`, { text: "hi" }), /echo: hi/);
  }
  assert.match(health["odd_names"]?.detail ?? "", /3 entries of its lists make no sense/);
});

Deno.test("Tools with schemas that make no sense can be called", async () => {
  for (const name of toolsOf("wrong_schema")) {
    assert.match(await bench.say(`mcp_wrong_schema_${name}`, { text: "hi" }), /echo: hi/);
  }
  const shown = bench.registry.definitions().filter(({ name }) => name.includes("wrong_schema"));
  assert.deepEqual(shown.map(({ parameters }) => parameters["type"]), [
    "object",
    "object",
    "object",
  ]);
});

Deno.test("Of too many tools models see a part, and it is said", () => {
  assert.equal(toolsOf("many").length, 100);
  assert.match(health["many"]?.detail ?? "", /1400 of 1500 tools are left out/);
  assert.ok(toolsOf("endless_list").length < 100);
  assert.deepEqual(toolsOf("pages"), ["first", "second"]);
});

Deno.test("Descriptions are bounded, named as the server's, and cannot pass for ours", () => {
  const [echo] = bench.registry.definitions().filter(({ name }) => name === "mcp_injection_echo");
  const { description = "", parameters } = echo ?? {};
  assert.match(
    description,
    /^Tool of the MCP server "injection", which describes it so: \[End of foreign/,
  );
  assert.ok(description.length < 1_400 && !/[\u200b⟦]/u.test(description));
  assert.ok(JSON.stringify(parameters).length < 2_000);
});

Deno.test("A result of 10 MB is taken and bounded; one beyond all bounds costs its connection", async () => {
  const huge = await bench.say("mcp_huge_echo");
  assert.ok(huge.length > 1_999_000 && huge.length < 2_001_000);
  await using other = await mcpBench({ s: lying("too_huge") }, { clock: new ManualClock() });
  const tooHuge = await other.say("mcp_s_echo");
  assert.match(tooHuge, /^Error: .*broke off: it sent a message of more than 16 MB.*took effect/s);
});

Deno.test("Answers that make no sense, and refusals, are results in the server's words", async () => {
  assert.equal(await bench.say("mcp_no_content_echo"), "");
  const { content, isError } = await bench.call("mcp_refuses_echo");
  assert.ok(isError);
  assert.match(
    String(content),
    /^Error: .*\n⟦Untrusted.*\nthe server refuses: .*\[no\] such thing/s,
  );
});

Deno.test("An answer that is nested beyond measure is refused, and costs no connection", async () => {
  assert.match(await bench.say("mcp_deep_echo"), /^Error: .*answer makes no sense/s);
  const { deep } = await bench.mcp.report();
  assert.deepEqual([deep?.state, deep?.losses], ["ready", 0]);
});

Deno.test("Arguments are checked before the server sees them", async () => {
  const answer = await bench.say("mcp_none_echo", { text: { a: 1 } });
  assert.match(answer, /echo: \{"a":1\}/);
});

Deno.test("A call that hangs ends after its time, or when it is stopped, and the server is told", async () => {
  const clock = new ManualClock();
  await using slow = await mcpBench({ s: { ...lying("hang_call"), toolTimeout: 7 } }, { clock });
  const hanging = slow.say("mcp_s_echo", { text: "hang" });
  await until(() => clock.pending >= 2);
  await clock.advance(7_000);
  assert.match(
    await hanging,
    /^Error: Cannot finish the call: no answer within 7 s; it is not known whether the call took/,
  );
  assert.match(await slow.say("mcp_s_echo"), /\n1 called off/);
  // One that is stopped, too.
  const stop = new AbortController();
  const stopped = slow.call("mcp_s_echo", { text: "hang" }, stop.signal);
  await until(() => clock.pending >= 2); // it is on its way
  stop.abort(new Error("stopped"));
  await assert.rejects(stopped, { message: "stopped" });
  await until(async () => /\n2 called off/.test(await slow.say("mcp_s_echo")));
});

Deno.test("Progress gives a call more time, and is told when it ends all the same", async () => {
  const clock = new ManualClock();
  await using slow = await mcpBench({ s: { ...lying("progress"), toolTimeout: 7 } }, { clock });
  const told: string[] = [];
  const pending = slow.say("mcp_s_echo", { text: "start" }, (text) => void told.push(text));
  for (let seconds = 0; seconds < 12; seconds += 6) {
    assert.match(await slow.say("mcp_s_echo"), /goes on/);
    await clock.advance(6_000);
  }
  await clock.advance(1_000);
  assert.match(await pending, /no answer within 7 s; it had come to 3 of 9; it is not known/);
  assert.deepEqual(told, ["1 of 9", "2 of 9", "3 of 9"]);
});

Deno.test("A server that dies in a call comes back; only what is read is asked again", async () => {
  await using mortal = await mcpBench({ s: lying("die_call"), once: lying("die_once") });
  assert.match(await mortal.say("mcp_s_echo"), /ended with code 3; it is not known whether/);
  assert.match(await mortal.say("mcp_once_echo", { text: "die" }), /ended with code 3/);
  assert.match(await mortal.say("mcp_once_echo", { text: "hi" }), /alive 1/);
  const { once } = await mortal.mcp.report();
  assert.deepEqual([once?.state, once?.losses], ["ready", 1]);
});

/** A server that runs `before` it lists its tool, and `after`, and stays. */
function halfDead(before: string, after: string) {
  const serverInfo = { name: "half", version: "1" };
  const hello = { protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo };
  const say = (id: number, result: object) =>
    `echo '${JSON.stringify({ jsonrpc: "2.0", id, result })}'`;
  const script = [
    ...["read ask", say(0, hello), "read told", "read ask"],
    ...[before, say(1, { tools: [{ name: "echo" }] }), after, "sleep 100"],
  ];
  return { command: "sh", args: ["-c", script.join("\n")] };
}

Deno.test("A server that lives on without hearing or speaking is ended, and told of at once", async () => {
  await using half = await mcpBench({
    deaf: { ...halfDead("exec 0<&-", ":"), toolTimeout: 5 },
    mute: halfDead(":", "read call; exec 1>&-"),
  });
  const askDeaf = async () => await half.say("mcp_deaf_echo");
  const [first, mute] = await Promise.all([askDeaf(), half.say("mcp_mute_echo")]);
  // A program that is being started elsewhere in this process may hold the pipe open for a moment:
  // the call that falls into it is told by its time limit, and the next one at once.
  const deaf = first.includes("no answer within") ? await askDeaf() : first;
  assert.match(deaf, /^Error: .*broke off: it does not listen any more\n/s);
  assert.match(mute, /^Error: .*broke off: it closed its output; it is not known whether/s);
  await until(async () => (await half.mcp.report())["mute"]?.state === "ready");
});

Deno.test("Tools are listed anew when the server says so", async () => {
  assert.equal(toolsOf("changes").length, 2);
  await bench.call("mcp_changes_echo");
  await until(() => toolsOf("changes").some((name) => name.startsWith("new_")));
});

Deno.test("A server gets a minimal environment, its own variables, and starts in an empty folder", async () => {
  const secret = { MY_SECRET_TOKEN: "geheim" };
  const entry = { ...lying("env"), env: { API_KEY: "${MY_SECRET_TOKEN}", MODE: "x" } };
  await using clean = await mcpBench({ s: entry }, { env: secret });
  const text = await clean.say("mcp_s_echo");
  const { env, cwd } = z.object({ env: z.record(z.string(), z.string()), cwd: z.string() })
    .parse(JSON.parse(/^\{.*\}$/m.exec(text)?.[0] ?? ""));
  assert.equal(env["API_KEY"], "geheim");
  const inherited = ["HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER", "LANG", "TMPDIR"];
  const known = new Set([
    ...inherited,
    // Where the machine that runs the tests keeps Deno's cache and the authorities it trusts.
    ...["DENO_DIR", "XDG_CACHE_HOME", "NO_COLOR"],
    ...["SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS", "DENO_CERT", "DENO_TLS_CA_STORE"],
    "API_KEY",
    "MODE",
  ]);
  assert.deepEqual(Object.keys(env).filter((name) => !known.has(name)), ["TROUPE_COMMAND"]);
  assert.match(cwd, /state\/mcp$/);
});

Deno.test("A server that is still being connected to when the gateway stops is ended with it", async () => {
  const bench = await mcpBench({ s: lying("hang_connect") }, { settles: false });
  await until(async () => (await bench.mcp.report())["s"]?.state === "connecting");
  // The test's own watch over processes fails where one is left.
  await assert.doesNotReject(async () => await bench[Symbol.asyncDispose]());
});
