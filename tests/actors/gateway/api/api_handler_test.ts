import assert from "node:assert/strict";
import { Api } from "../../../../actors/gateway/api/api_handler.ts";
import {
  BODY_BYTES_MAX,
  FILE_BYTES_MAX,
  FILES_MAX,
} from "../../../../actors/gateway/api/bodies.ts";
import type { ExchangeMessage } from "../../../../actors/gateway/exchange/exchange_desk.ts";
import { LiveExchange } from "../../../../actors/gateway/exchange/exchange.ts";
import { apiSchema } from "../../../../actors/config/schema/servers.ts";
import type { JsonObject } from "../../../../actors/kernel/json.ts";
import { ManualClock } from "../../../support/manual_clock.ts";
import { settle, until } from "../../../support/until.ts";

/** An API whose assistant is the test. */
class Bench {
  readonly clock = new ManualClock();
  readonly messages: ExchangeMessage[] = [];
  readonly exchanges: LiveExchange[] = [];
  readonly kept: string[] = [];
  stops = 0;
  readonly api: Api;

  constructor(config: JsonObject = {}) {
    let ids = 0;
    const newId = () => `id-${++ids}`;
    this.api = new Api({
      config: apiSchema.parse(config),
      model: () => "m",
      isUnified: () => false,
      desk: {
        open: (message) => {
          const { sessionKey, senderId } = message;
          const exchange = new LiveExchange({ id: newId(), sessionKey, senderId }, (live) => {
            this.stops++;
            live.fail("stopped", "Stopped.");
          });
          this.messages.push(message);
          this.exchanges.push(exchange);
          exchange.accepted();
          return exchange;
        },
        history: () => Promise.resolve(null),
      },
      keep: ({ name, bytes }, { index }) => {
        this.kept.push(`${index} ${name} ${bytes.length}`);
        return Promise.resolve(`/media/${index}-${name}`);
      },
      isWell: () => true,
      clock: this.clock,
      newId,
    });
  }

  post(body: BodyInit, headers: Readonly<Record<string, string>> = {}): Promise<Response> {
    const url = "http://127.0.0.1/v1/chat/completions";
    return this.api.answer(new Request(url, { method: "POST", body, headers }));
  }

  ask(body: JsonObject): Promise<Response> {
    return this.post(JSON.stringify({ messages: [{ role: "user", content: "hi" }], ...body }));
  }
}

function textOf(content: string): string {
  return JSON.stringify({ messages: [{ role: "user", content }] });
}

async function errorOf(response: Response): Promise<string> {
  const { error: { code, type } } = await response.json();
  return `${response.status} ${type} ${code} ${response.headers.get("x-should-retry")}`;
}

Deno.test("A request that takes too long is stopped, and told so", async () => {
  const bench = new Bench({ timeout: 7 });
  const answering = bench.ask({});
  await settle();
  await bench.clock.advance(6_999);
  assert.equal(bench.stops, 0);
  await bench.clock.advance(1);
  assert.equal(bench.stops, 1);
  assert.equal(await errorOf(await answering), "504 server_error timeout false");
});

Deno.test("A stream shows that it lives while nothing is said, and tells its failure last", async () => {
  const bench = new Bench({ timeout: 20 });
  const { body, headers } = await bench.ask({ stream: true });
  assert.match(headers.get("content-type") ?? "", /^text\/event-stream/);
  const reader = (body ?? new ReadableStream()).pipeThrough(new TextDecoderStream()).getReader();
  const next = async () => String((await reader.read()).value);
  assert.match(await next(), /"role":"assistant"/);
  const comment = next();
  await settle();
  await bench.clock.advance(15_000);
  assert.equal(await comment, ": still working\n\n");
  bench.exchanges[0]?.hear({ type: "text_grew", text: "Half" });
  assert.match(await next(), /"content":"Half"/);
  const last = next();
  await settle();
  await bench.clock.advance(5_000);
  assert.match(await last, /^data: \{"error":\{.*"code":"timeout"/);
  assert.equal((await reader.read()).done, true);
  assert.equal(bench.clock.pending, 0);
});

Deno.test.each<readonly [string, BodyInit, string]>([
  ["no JSON", "{", "400 invalid_request_error invalid_request false"],
  ["a list", "[]", "400 invalid_request_error invalid_request false"],
  [
    "a text of millions",
    textOf("x".repeat(2_000_001)),
    "413 invalid_request_error too_large false",
  ],
  ["too much", new Uint8Array(BODY_BYTES_MAX + 1), "413 invalid_request_error too_large false"],
])("A body of %s is refused", async (_what, body, expected) => {
  assert.equal(await errorOf(await new Bench().post(body)), expected);
});

Deno.test("A form brings words and files, and no file that is too large", async () => {
  const bench = new Bench();
  const form = new FormData();
  form.set("message", "look");
  form.set("session_id", "s");
  form.append("files", new File(["abc"], "a.txt"));
  form.append("files", new File(["de"], "b.txt"));
  const answering = bench.post(form);
  await settle();
  const [message] = bench.messages;
  assert.equal(message?.sessionKey, "api:s");
  assert.deepEqual([message?.content, message?.media], ["look", [
    "/media/0-a.txt",
    "/media/1-b.txt",
  ]]);
  assert.deepEqual(bench.kept, ["0 a.txt 3", "1 b.txt 2"]);
  bench.exchanges[0]?.settle(bench.exchanges[0].endWith("done", { text: "Seen.", media: [] }));
  const { choices: [choice] } = await (await answering).json();
  assert.equal(choice.message.content, "Seen.");

  const large = new FormData();
  large.append("files", new File([new Uint8Array(FILE_BYTES_MAX + 1)], "c.bin"));
  assert.match(await errorOf(await bench.post(large)), /^413 .* too_large/);
  const many = new FormData();
  for (let n = 0; n <= FILES_MAX; n++) many.append("files", new File(["x"], `${n}.txt`));
  assert.match(await errorOf(await bench.post(many)), /^400 .* invalid_request/);
  assert.equal(bench.messages.length, 1);
});

Deno.test.each([
  ["GET", "/v1/chat/completions", 405],
  ["POST", "/v1/models", 405],
  ["GET", "/v1/other", 404],
  ["GET", "/health", 200],
  ["OPTIONS", "/v1/chat/completions", 204],
])("%s %s is answered with %d", async (method, path, status) => {
  const { api } = new Bench();
  const response = await api.answer(new Request(`http://127.0.0.1${path}`, { method }));
  assert.equal(response.status, status);
  await response.body?.cancel();
});

Deno.test.each([["work", "api:work", "work"], ["小明", "api:小明", null]])(
  "A conversation named %s is %s",
  async (user, key, header) => {
    const bench = new Bench();
    const answering = bench.ask({ user });
    await settle();
    const [exchange] = bench.exchanges;
    exchange?.settle(exchange.endWith("done", { text: "Hello.", media: [] }));
    const response = await answering;
    assert.equal(response.status, 200);
    assert.equal(bench.messages[0]?.sessionKey, key);
    assert.equal(response.headers.get("x-session-id"), header);
    await response.body?.cancel();
  },
);

Deno.test("What the journal cannot keep is refused so that clients try again", async () => {
  const bench = new Bench();
  const answering = bench.ask({});
  await settle();
  bench.exchanges[0]?.fail("not_taken", "Not kept.");
  assert.equal(await errorOf(await answering), "503 server_error not_taken true");
});

Deno.test("A body that does not come to its end gives its place back", async () => {
  const bench = new Bench({ maxConcurrentRequests: 1 });
  let isCancelled = false;
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(new TextEncoder().encode('{"messages":')),
    cancel: () => {
      isCancelled = true;
    },
  });
  const answering = bench.post(body);
  await settle();
  assert.match(await errorOf(await bench.ask({})), /^429 /);
  await bench.clock.advance(120_000);
  assert.equal(await errorOf(await answering), "408 invalid_request_error timeout false");
  await until(() => isCancelled);
  assert.equal(bench.clock.pending, 0);
  assert.match(await errorOf(await bench.post("{")), /^400 /);
});
