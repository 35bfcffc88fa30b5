import assert from "node:assert/strict";
import { z } from "zod";
import { ManualClock } from "../../support/manual_clock.ts";
import { until } from "../../support/until.ts";
import {
  type ControlConnection,
  type ControlListener,
  type ControlRequest,
  query,
} from "../../../actors/gateway/control.ts";
import { askDoor, openCall } from "../../../actors/gateway/control_client.ts";
import { ControlDoor } from "../../../actors/gateway/control_door.ts";
import { answers, type ControlHandler } from "../../../actors/gateway/control_handler.ts";
import { GatewayError } from "../../../actors/kernel/errors.ts";

const text: z.ZodType<{ readonly text: string }> = z.object({ text: z.string() });
const echoRequest: ControlRequest<{ readonly text: string }, { readonly text: string }> = query(
  "echo",
  { params: text, result: text },
);
const echo = answers(echoRequest, (params) => Promise.resolve(params));

const talkRequest: ControlRequest<
  { readonly text: string },
  { readonly text: string },
  { readonly heard: string },
  { readonly word: string }
> = {
  name: "talk",
  params: text,
  result: text,
  event: z.object({ heard: z.string() }),
  input: z.object({ word: z.string() }),
  timeoutMs: null,
};

class BusyError extends GatewayError {
  readonly code = "busy";
  readonly recovery = "retry";
}

/** One end of a connection in memory. */
class MemoryConnection implements ControlConnection {
  readonly written: string[] = [];
  isClosed = false;
  /** Says whether writes are taken. */
  isReading = true;
  #chunks: ReadableStreamDefaultController<Uint8Array> | undefined;
  readonly #blocked = Promise.withResolvers<void>();
  readonly bytes: ReadableStream<Uint8Array> = new ReadableStream<Uint8Array>({
    start: (controller) => void (this.#chunks = controller),
    cancel: () => void (this.#chunks = undefined),
  });

  /** What the other side sends. */
  send(line: string): void {
    this.#chunks?.enqueue(new TextEncoder().encode(`${line}\n`));
  }

  async write(text: string): Promise<void> {
    this.written.push(text);
    if (!this.isReading) await this.#blocked.promise;
  }

  close(): void {
    if (this.isClosed) return;
    this.isClosed = true;
    this.#blocked.reject(new Error("closed"));
    this.#blocked.promise.catch(() => {});
    this.#chunks?.close();
  }

  /** The last line that came back, parsed. */
  get answer(): unknown {
    return JSON.parse(this.written.at(-1) ?? "null");
  }
}

/** A door in memory, and who knocks at it. */
class Door implements AsyncDisposable {
  readonly clock: ManualClock = new ManualClock();
  readonly #knock: ReadableStreamDefaultController<ControlConnection>;
  readonly #door: ControlDoor;

  constructor(handlers: readonly ControlHandler[], token: string | null = null) {
    let controller: ReadableStreamDefaultController<ControlConnection> | undefined;
    const connections = new ReadableStream<ControlConnection>({
      start: (started) => void (controller = started),
    });
    assert.ok(controller);
    this.#knock = controller;
    const listener: ControlListener = {
      place: "memory",
      token,
      connections,
      [Symbol.asyncDispose]: () => {
        this.#knock.close();
        return Promise.resolve();
      },
    };
    this.#door = new ControlDoor({ listener, handlers, clock: this.clock, version: "1.2.3" });
  }

  knock(line?: unknown): MemoryConnection {
    const connection = new MemoryConnection();
    this.#knock.enqueue(connection);
    if (line !== undefined) connection.send(JSON.stringify(line));
    return connection;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#door[Symbol.asyncDispose]();
  }
}

function opening(request: string, params: unknown, more: object = {}) {
  return { v: 1, request, params, ...more };
}

async function ended(connection: MemoryConnection): Promise<unknown> {
  await until(() => connection.isClosed, { what: "the end of the connection" });
  return connection.answer;
}

Deno.test("ControlDoor answers a request once and hangs up", async () => {
  await using door = new Door([echo]);
  const connection = door.knock(opening("echo", { text: "你好" }));
  assert.deepEqual(await ended(connection), { result: { text: "你好" } });
  assert.equal(connection.written.length, 1);
});

Deno.test.each([
  ["a list", [], "control_garbled"],
  ["no params", { v: 1, request: "echo" }, "control_garbled"],
  ["wrong params", opening("echo", { text: 7 }), "control_garbled"],
  ["an unknown request", opening("dance", {}), "control_unknown"],
  ["another version", { v: 2, request: "echo", params: { text: "x" } }, "control_unknown"],
])("ControlDoor refuses %s in one line", async (_what, line, code) => {
  await using door = new Door([echo]);
  const answer = z.object({ error: z.object({ code: z.string(), message: z.string() }) })
    .parse(await ended(door.knock(line)));
  assert.equal(answer.error.code, code);
  assert.doesNotMatch(answer.error.message, /\n/);
});

Deno.test("ControlDoor refuses text that is no JSON", async () => {
  await using door = new Door([echo]);
  const connection = door.knock();
  connection.send("GET / HTTP/1.1\r");
  assert.match(JSON.stringify(await ended(connection)), /control_garbled/);
});

Deno.test.each([["missing", {}], ["wrong", { token: "other" }]])(
  "ControlDoor refuses a %s token",
  async (_what, more) => {
    await using door = new Door([echo], "secret");
    const answer = await ended(door.knock(opening("echo", { text: "x" }, more)));
    assert.match(JSON.stringify(answer), /the token is wrong/);
  },
);

Deno.test("ControlDoor answers whoever has the token", async () => {
  await using door = new Door([echo], "secret");
  const answer = await ended(door.knock(opening("echo", { text: "x" }, { token: "secret" })));
  assert.deepEqual(answer, { result: { text: "x" } });
});

Deno.test("ControlDoor passes a failure on in its own words", async () => {
  const handler = answers(echoRequest, () => Promise.reject(new BusyError("Cannot echo: busy")));
  await using door = new Door([handler]);
  assert.deepEqual(await ended(door.knock(opening("echo", { text: "x" }))), {
    error: { code: "control_refused", message: "Cannot echo: busy" },
  });
});

Deno.test("ControlDoor cuts off who says nothing", async () => {
  await using door = new Door([echo]);
  const connection = door.knock();
  await until(() => door.clock.pending === 1);
  await door.clock.advance(4_999);
  assert.equal(connection.isClosed, false);
  await door.clock.advance(1);
  await until(() => connection.isClosed);
});

Deno.test("ControlDoor gives an answer that does not come up after its time", async () => {
  const signals: AbortSignal[] = [];
  const handler = answers(echoRequest, (_params, { signal }) => {
    signals.push(signal);
    return new Promise(() => {});
  });
  await using door = new Door([handler]);
  const connection = door.knock(opening("echo", { text: "x" }));
  await until(() => signals.length === 1);
  await door.clock.advance(30_000);
  assert.match(JSON.stringify(await ended(connection)), /control_timeout/);
  assert.equal(signals[0]?.aborted, true);
});

Deno.test("ControlDoor cuts off who does not read, and tells the work behind it", async () => {
  const { promise: aborted, resolve } = Promise.withResolvers<void>();
  const handler = answers(talkRequest, async (_params, { emit, signal }) => {
    signal.addEventListener("abort", () => resolve());
    emit({ heard: "much" });
    await aborted;
    return { text: "gone" };
  });
  await using door = new Door([handler]);
  const connection = door.knock();
  connection.isReading = false;
  connection.send(JSON.stringify(opening("talk", { text: "" })));
  await until(() => connection.written.length === 1);
  await door.clock.advance(10_000);
  await aborted;
  assert.equal(connection.isClosed, true);
});

Deno.test("ControlDoor keeps only the newest state for a slow reader, in order", async () => {
  const handler = answers(talkRequest, (_params, { emit }) => {
    for (let n = 0; n < 1_000; n++) emit({ heard: `grows ${n}` }, "key");
    emit({ heard: "final" });
    return Promise.resolve({ text: "end" });
  });
  await using door = new Door([handler]);
  const connection = door.knock(opening("talk", { text: "" }));
  await ended(connection);
  assert.deepEqual(connection.written.map((line) => JSON.parse(line)), [
    { event: { heard: "grows 999" } },
    { event: { heard: "final" } },
    { result: { text: "end" } },
  ]);
});

Deno.test("ControlDoor cuts off who is far behind", async () => {
  const big = "x".repeat(1024 * 1024);
  const handler = answers(talkRequest, async (_params, { emit, signal }) => {
    for (let n = 0; n < 20 && !signal.aborted; n++) {
      emit({ heard: big });
      await Promise.resolve();
    }
    return { text: signal.aborted ? "gone" : "read" };
  });
  await using door = new Door([handler]);
  const connection = door.knock();
  connection.isReading = false;
  connection.send(JSON.stringify(opening("talk", { text: "" })));
  await until(() => connection.isClosed);
  assert.equal(connection.written.length, 1);
});

Deno.test("ControlDoor refuses more clients than it has room for, and serves others later", async () => {
  await using door = new Door([echo]);
  const silent = Array.from({ length: 256 }, () => door.knock());
  const refused = door.knock(opening("echo", { text: "x" }));
  assert.match(JSON.stringify(await ended(refused)), /too many clients/);
  silent[0]?.close();
  await until(async () => {
    const answer = JSON.stringify(await ended(door.knock(opening("echo", { text: "x" }))));
    return answer === '{"result":{"text":"x"}}';
  });
  for (const connection of silent) connection.close();
});

Deno.test("ControlDoor says goodbye to its clients when it closes", async () => {
  const door = new Door([answers(talkRequest, async ({ text }, { inputs }) => {
    await Array.fromAsync(inputs);
    return { text };
  })]);
  const connection = door.knock(opening("talk", { text: "x" }));
  await until(() => door.clock.pending === 0);
  await door[Symbol.asyncDispose]();
  assert.equal(connection.isClosed, true);
  assert.match(JSON.stringify(connection.written), /the gateway is stopping/);
  assert.equal(door.clock.pending, 0);
});

Deno.test("A client hears events, says more, and gets its result", async () => {
  const handler = answers(talkRequest, async ({ text }, { emit, inputs }) => {
    for await (const { word } of inputs) {
      if (word === "bye") break;
      emit({ heard: word });
    }
    return { text };
  });
  const [near, far] = joined();
  const heard: string[] = [];
  const served = serveJoined([handler], far);
  const call = openCall(
    { connection: near, token: null },
    talkRequest,
    { text: "end" },
    (event) => {
      heard.push(event.heard);
    },
  );
  await call.say({ word: "one" });
  await call.say({ word: "two" });
  await call.say({ word: "bye" });
  assert.deepEqual(await call.result, { text: "end" });
  assert.deepEqual(heard, ["one", "two"]);
  await served[Symbol.asyncDispose]();
});

Deno.test("A client is told when the connection ends before the answer", async () => {
  const [near, far] = joined();
  far.close();
  const asked = askDoor({ connection: near, token: null }, echoRequest, { text: "x" }, CLOCK);
  await assert.rejects(asked, { code: "control_lost" });
});

Deno.test("A client does not take an answer of another shape", async () => {
  const [near, far] = joined();
  const served = serveJoined([{
    name: "echo",
    timeoutMs: 1_000,
    answer: () => Promise.resolve({ text: 5 }),
  }], far);
  const asked = askDoor({ connection: near, token: null }, echoRequest, { text: "x" }, CLOCK);
  await assert.rejects(asked, { code: "control_garbled" });
  await served[Symbol.asyncDispose]();
});

const CLOCK = new ManualClock();

/** Two ends of one connection. */
function joined(): [ControlConnection, ControlConnection] {
  const roomy = { highWaterMark: 16 };
  const there = new TransformStream<Uint8Array, Uint8Array>(undefined, roomy, roomy);
  const back = new TransformStream<Uint8Array, Uint8Array>(undefined, roomy, roomy);
  return [end(there.writable, back.readable), end(back.writable, there.readable)];
}

function end(
  writable: WritableStream<Uint8Array>,
  readable: ReadableStream<Uint8Array>,
): ControlConnection {
  const writer = writable.getWriter();
  return {
    bytes: readable,
    write: (text) => writer.write(new TextEncoder().encode(text)),
    close: () => void writer.close().catch(() => {}),
  };
}

function serveJoined(
  handlers: readonly ControlHandler[],
  connection: ControlConnection,
): ControlDoor {
  return new ControlDoor({
    handlers,
    clock: CLOCK,
    version: "1.2.3",
    listener: {
      place: "memory",
      token: null,
      connections: ReadableStream.from([connection]),
      [Symbol.asyncDispose]: () => Promise.resolve(),
    },
  });
}
