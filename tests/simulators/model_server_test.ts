import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import { callTool, lastUserText, ModelServer, refuse, say } from "./model_server.ts";

function post(server: ModelServer, body: object, signal?: AbortSignal): Promise<Response> {
  return fetch(`${server.baseUrl}/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ model: "m", messages: [{ role: "user", content: "hi" }], ...body }),
    signal: signal ?? null,
  });
}

Deno.test("ModelServer streams the text of its script and ends properly", async () => {
  await using server = await ModelServer.start([say("Hel", "lo")]);
  const response = await post(server, { stream: true, stream_options: { include_usage: true } });
  const events = (await response.text()).trim().split("\n\n");
  assert.equal(response.headers.get("content-type"), "text/event-stream");
  assert.equal(events.length, 5);
  assert.equal(events.at(-1), "data: [DONE]");
  assert.match(events[3] ?? "", /"usage"/);
  assert.equal(server.requests[0]?.end, "finished");
});

Deno.test("ModelServer answers without streaming when it is not asked to", async () => {
  await using server = await ModelServer.start([callTool("pwd", { a: 1 })]);
  const answer = z.object({
    choices: z.array(
      z.object({ message: z.object({ tool_calls: z.array(z.json()) }), finish_reason: z.string() }),
    ),
  }).parse(await (await post(server, {})).json());
  assert.deepEqual(answer.choices[0], {
    message: {
      tool_calls: [{
        id: "call_pwd",
        type: "function",
        function: { name: "pwd", arguments: '{"a":1}' },
      }],
    },
    finish_reason: "tool_calls",
  });
});

Deno.test.each<[string, readonly string[]]>([
  ["messages", [
    "message_start",
    "content_block_start",
    "content_block_delta",
    "content_block_stop",
    "content_block_start",
    "content_block_delta",
    "content_block_delta",
    "content_block_stop",
    "message_delta",
    "message_delta",
    "message_stop",
  ]],
  ["responses", [
    "response.output_item.added",
    "response.output_text.delta",
    "response.output_item.done",
    "response.output_item.added",
    "response.function_call_arguments.delta",
    "response.function_call_arguments.delta",
    "response.output_item.done",
    "response.completed",
  ]],
])("ModelServer tells the same script in the events of %s", async (path, expected) => {
  await using server = await ModelServer.start([callTool("pwd", { a: 1 }, { text: "Look:" })]);
  const response = await fetch(`${server.baseUrl}/${path}`, {
    method: "POST",
    body: JSON.stringify({ model: "m", stream: true }),
  });
  const names = [...(await response.text()).matchAll(/^event: (.+)$/gm)].map(([, name]) => name);
  assert.deepEqual(names, expected);
});

Deno.test("ModelServer computes a reply from the request", async () => {
  await using server = await ModelServer.start((request) => say(lastUserText(request)));
  assert.match(await (await post(server, {})).text(), /"content":"hi"/);
});

Deno.test("ModelServer refuses with the status, headers and body of its script", async () => {
  await using server = await ModelServer.start([
    refuse(429, { code: "x" }, { "retry-after": "2" }),
  ]);
  const response = await post(server, {});
  assert.equal(response.status, 429);
  assert.equal(response.headers.get("retry-after"), "2");
  assert.deepEqual(await response.json(), { error: { code: "x" } });
});

Deno.test("ModelServer refuses what its queue does not foresee", async () => {
  await using server = await ModelServer.start();
  const response = await post(server, {});
  assert.equal(response.status, 400);
  await response.body?.cancel();
});

Deno.test("ModelServer holds a stream until the gate is released and counts what runs", async () => {
  await using server = await ModelServer.start(() => ({
    steps: [{ type: "pause", until: "gate" }, { type: "text", text: "now" }],
  }));
  const responses = await Promise.all([
    post(server, { stream: true }),
    post(server, { stream: true }),
  ]);
  assert.equal(server.running, 2);
  server.release("gate");
  for (const response of responses) assert.match(await response.text(), /now/);
  assert.equal(server.running, 0);
  assert.equal(server.concurrentMax, 2);
});

Deno.test("ModelServer sees that its client went away", async () => {
  await using server = await ModelServer.start(() => ({
    steps: [{ type: "text", text: "a" }, { type: "stall" }],
  }));
  const controller = new AbortController();
  const response = await post(server, { stream: true }, controller.signal);
  controller.abort();
  await assert.rejects(response.text());
  assert.equal(await (await server.request(0)).ended, "aborted");
});

Deno.test("ModelServer sees that its client went away before the headers", async () => {
  await using server = await ModelServer.start(() => ({ ...say("x"), headersAfter: "never" }));
  const controller = new AbortController();
  const pending = post(server, { stream: true }, controller.signal);
  const request = await server.request(0);
  controller.abort();
  await assert.rejects(pending);
  assert.equal(await request.ended, "aborted");
});

Deno.test("ModelServer cuts a stream by reset or in silence", async () => {
  await using server = await ModelServer.start([
    { steps: [{ type: "text", text: "a" }, { type: "cut", how: "reset" }] },
    { steps: [{ type: "text", text: "a" }, { type: "cut", how: "silent" }] },
  ]);
  await assert.rejects(async () => await (await post(server, { stream: true })).text());
  assert.doesNotMatch(await (await post(server, { stream: true })).text(), /DONE/);
});

Deno.test("ModelServer closes while a stream stalls", async () => {
  let response: Response;
  {
    await using server = await ModelServer.start([{ steps: [{ type: "stall" }] }]);
    response = await post(server, { stream: true });
  }
  await assert.rejects(response.text());
});

Deno.test("ModelServer runs as a program and prints its port", async () => {
  const scriptPath = await Deno.makeTempFile({ suffix: ".json" });
  await Deno.writeTextFile(scriptPath, JSON.stringify([say("from a file")]));
  const child = new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      "-A",
      fileURLToPath(new URL("./model_server.ts", import.meta.url)),
      "--script",
      scriptPath,
    ],
    stdout: "piped",
  }).spawn();
  const reader = child.stdout.getReader();
  const port = Number(new TextDecoder().decode((await reader.read()).value));
  const response = await fetch(`http://127.0.0.1:${port}/v1/chat/completions`, {
    method: "POST",
    body: JSON.stringify({ model: "m", messages: [] }),
  });
  assert.match(await response.text(), /from a file/);
  child.kill();
  await child.status;
  await reader.cancel();
  await Deno.remove(scriptPath);
});
