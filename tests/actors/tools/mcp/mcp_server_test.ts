import assert from "node:assert/strict";
import type { ActorRef, ReplyTo } from "../../../../actors/kernel/ref.ts";
import {
  type ConnectMcp,
  type McpConnection,
  McpError,
  type McpListener,
} from "../../../../actors/tools/mcp/connection.ts";
import type {
  McpServerMessage,
  McpServerReport,
} from "../../../../actors/tools/mcp/mcp_protocol.ts";
import { mcpServer } from "../../../../actors/tools/mcp/mcp_server.ts";
import type { McpAnswer, McpListing } from "../../../../actors/tools/mcp/wire.ts";
import { type TestSystem, testSystem } from "../../../support/system.ts";
import { settle } from "../../../support/until.ts";

const NOTHING: McpListing = { tools: [], resources: [], templates: [], prompts: [], leftOut: 0 };
const ANSWER: McpAnswer = { content: [], structured: null, isError: false };

/** A server whose every connection the test makes, breaks and answers for. */
class Bench implements AsyncDisposable {
  readonly own: TestSystem = testSystem();
  readonly actor: ActorRef<McpServerMessage>;
  /** One for each attempt to connect that waits. */
  readonly attempts: PromiseWithResolvers<McpConnection>[] = [];
  readonly offers: (McpListing | null)[] = [];
  readonly uses: PromiseWithResolvers<McpAnswer>[] = [];
  listener: McpListener | undefined;
  disposed = 0;
  lists = 0;

  constructor() {
    const connect: ConnectMcp = (listener) => {
      this.listener = listener;
      const attempt = Promise.withResolvers<McpConnection>();
      this.attempts.push(attempt);
      return attempt.promise;
    };
    this.actor = this.own.system.spawn(mcpServer({
      server: "s",
      actorName: "mcp_0",
      connect,
      silenceMs: 30_000,
      offer: (listing) => {
        this.offers.push(listing);
        return { count: listing === null ? 0 : 1, notes: [] };
      },
      onFirst: () => {},
    }));
  }

  /** Lets the newest attempt succeed. */
  async connects(): Promise<void> {
    this.attempts.at(-1)?.resolve({
      product: "p 1",
      list: () => {
        this.lists++;
        return Promise.resolve(NOTHING);
      },
      use: () => {
        const use = Promise.withResolvers<McpAnswer>();
        this.uses.push(use);
        return use.promise;
      },
      [Symbol.asyncDispose]: () => {
        this.disposed++;
        return Promise.resolve();
      },
    });
    await settle();
  }

  async fails(message = "no route"): Promise<void> {
    this.attempts.at(-1)?.reject(new McpError("mcp_unreachable", message));
    await settle();
  }

  ask<R>(make: (replyTo: ReplyTo<R>) => McpServerMessage): Promise<R> {
    return this.actor.ask(make, { timeoutMs: 600_000 });
  }

  report(): Promise<McpServerReport> {
    return this.ask((replyTo) => ({ type: "report_server", replyTo }));
  }

  use(isReadOnly = false, signal: AbortSignal = new AbortController().signal): Promise<McpAnswer> {
    const use = { type: "tool", name: "t", args: {} } as const;
    return this.ask((replyTo) => ({ type: "use_offer", use, isReadOnly, signal, replyTo }));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.own[Symbol.asyncDispose]();
  }
}

Deno.test("A server is connected to at once, and offers what it lists", async () => {
  await using bench = new Bench();
  await settle();
  assert.equal((await bench.report()).state, "connecting");
  await bench.connects();
  assert.deepEqual(await bench.report(), { state: "ready", detail: "p 1", tools: 1, losses: 0 });
  assert.deepEqual(bench.offers, [NOTHING]);
});

Deno.test("A server that cannot be reached is tried again, later each time, up to five minutes", async () => {
  await using bench = new Bench();
  const waits: number[] = [];
  for (let at = 0; at < 14; at++) {
    await settle();
    await bench.fails();
    const before = bench.own.clock.now();
    const made = bench.attempts.length;
    while (bench.attempts.length === made) {
      await bench.own.clock.advance((bench.own.clock.nextDueMs ?? 0) - bench.own.clock.now());
      await settle();
    }
    waits.push((bench.own.clock.now() - before) / 1_000);
  }
  const [first = 0, second = 0] = waits;
  assert.ok(first >= 0.8 && first <= 1.2 && second >= 1.6 && second <= 2.4, waits.join());
  assert.ok(waits.every((wait) => wait <= 360) && (waits.at(-1) ?? 0) >= 240, waits.join());
});

Deno.test("A server that hangs is given up after a minute, and what comes too late is ended", async () => {
  await using bench = new Bench();
  await settle();
  await bench.own.clock.advance(60_000);
  await settle();
  const { state, detail } = await bench.report();
  assert.deepEqual([state, detail], ["waiting", "it did not answer within 60 s"]);
  await bench.connects();
  assert.equal(bench.disposed, 1);
  assert.equal((await bench.report()).state, "waiting");
});

Deno.test("A turn waits for a server on its way, ten seconds at most, and not for one that failed", async () => {
  await using bench = new Bench();
  await settle();
  const await_ = () => bench.ask<McpServerReport>((replyTo) => ({ type: "await_offers", replyTo }));
  const told: McpServerReport[] = [];
  void await_().then((report) => told.push(report));
  await bench.own.clock.advance(9_900);
  await settle();
  assert.equal(told.length, 0);
  await bench.own.clock.advance(100);
  await settle();
  assert.equal(told[0]?.state, "connecting");
  assert.equal((await await_()).state, "connecting"); // its time is over for good
  await bench.fails();
  assert.equal((await await_()).state, "waiting");
  assert.equal(bench.attempts.length, 1);
});

Deno.test("A turn long after a failure has the server tried again beside it", async () => {
  await using bench = new Bench();
  for (let failures = 0; failures < 7; failures++) {
    await settle();
    await bench.fails();
    if (failures < 6) await bench.own.clock.advance(90_000);
  }
  const made = bench.attempts.length;
  await bench.own.clock.advance(31_000);
  await settle();
  assert.equal(bench.attempts.length, made);
  const report = await bench.ask<McpServerReport>((replyTo) => ({ type: "await_offers", replyTo }));
  await settle();
  assert.deepEqual([report.state, bench.attempts.length], ["waiting", made + 1]);
});

Deno.test("Calls wait for a server on its way, and are told when it does not come", async () => {
  await using bench = new Bench();
  await settle();
  const waiting = bench.use();
  await bench.connects();
  bench.uses[0]?.resolve(ANSWER);
  assert.deepEqual(await waiting, ANSWER);
  bench.listener?.ended("it fell over");
  await settle();
  const hopeless = bench.use(); // tries at once
  await settle();
  assert.equal(bench.attempts.length, 2);
  const told = assert.rejects(hopeless, { message: /"s" is not there: still down/ });
  await bench.fails("still down");
  await told;
});

Deno.test.each(
  [
    ["mcp_unsent", false, true],
    ["mcp_lost", true, true],
    ["mcp_lost", false, false],
  ] as const,
)("After %s a call that reads (%s) is repeated: %s", async (code, isReadOnly, isRepeated) => {
  await using bench = new Bench();
  await settle();
  await bench.connects();
  const using_ = bench.use(isReadOnly);
  const ended = assert.rejects(using_, { code: "mcp_lost", message: /broke off: gone/ });
  await settle();
  bench.uses[0]?.reject(new McpError(code, "gone"));
  await settle();
  if (isRepeated) {
    await bench.connects();
    bench.uses[1]?.reject(new McpError(code, "gone")); // once, and not again
  }
  await ended;
  assert.equal(bench.uses.length, isRepeated ? 2 : 1);
});

Deno.test("What a server refuses leaves the connection alone", async () => {
  await using bench = new Bench();
  await settle();
  await bench.connects();
  const refused = assert.rejects(bench.use(), { code: "mcp_refused" });
  await settle();
  bench.uses[0]?.reject(new McpError("mcp_refused", "no such tool"));
  await refused;
  assert.deepEqual([(await bench.report()).state, bench.disposed], ["ready", 0]);
});

Deno.test("Tools stay for two failures, and go with the third", async () => {
  await using bench = new Bench();
  await settle();
  await bench.connects();
  bench.listener?.ended("it fell over");
  await settle();
  for (let failures = 1; failures < 3; failures++) {
    assert.equal((await bench.report()).tools, 1);
    await bench.own.clock.advance(10_000);
    await settle();
    await bench.fails();
  }
  assert.equal((await bench.report()).tools, 0);
  assert.deepEqual(bench.offers, [NOTHING, null]);
});

Deno.test("A server that says without end that its tools changed is asked once a second", async () => {
  await using bench = new Bench();
  await settle();
  await bench.connects();
  for (let second = 0; second < 3; second++) {
    for (let at = 0; at < 10; at++) {
      bench.listener?.changed();
      await settle();
    }
    await bench.own.clock.advance(1_000);
    await settle();
  }
  assert.equal(bench.lists, 1 + 1 + 3); // to begin with, at the first word, and each second
});

Deno.test("When the gateway stops, the server is let go of and its tools with it", async () => {
  const bench = new Bench();
  await settle();
  await bench.connects();
  await bench[Symbol.asyncDispose]();
  assert.equal(bench.disposed, 1);
  assert.equal(bench.offers.at(-1), null);
  assert.equal(bench.own.clock.pending, 0);
});

Deno.test("A connection that is gone as soon as it is made is not taken for one", async () => {
  await using bench = new Bench();
  await settle();
  bench.listener?.ended("gone at once");
  await bench.connects();
  const { state, detail } = await bench.report();
  assert.deepEqual([state, detail, bench.disposed], ["waiting", "gone at once", 1]);
});
