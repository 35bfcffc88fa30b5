import assert from "node:assert/strict";
import { startCore } from "../../../actors/gateway/core.ts";
import { UNIFIED_SESSION } from "../../../actors/gateway/session_key.ts";
import { MemoryJournal } from "../../../actors/journal/memory_journal.ts";
import { sessionActor } from "../../../actors/session/session.ts";
import { messageTool } from "../../../actors/tools/message.ts";
import type { ChatRequest } from "../../../providers/provider.ts";
import { probeChannel } from "../../support/core_bench.ts";
import { MemorySessionFiles } from "../../support/memory_session_files.ts";
import type { ProbeChannel } from "../../support/probe_channel.ts";
import { type ScriptedAnswer, ScriptedProvider } from "../../support/scripted_provider.ts";
import { benchServices } from "../../support/session_services.ts";
import { testSystem } from "../../support/system.ts";
import { until } from "../../support/until.ts";

const TOOLS = new Map([[messageTool.name, messageTool]]);

/** Two channels and one history; the model does what the test says, or counts what it was told. */
function setUp(script: (request: ChatRequest, said: string) => string | ScriptedAnswer) {
  const world = testSystem();
  const journal = new MemoryJournal({ clock: world.clock, defer: queueMicrotask });
  const files = new MemorySessionFiles();
  const provider = new ScriptedProvider((request) => script(request, lastSaid(request)));
  const probes = new Map<string, ProbeChannel>();
  let ids = 0;
  const shared = {
    journal,
    files,
    provider,
    clock: world.clock,
    newId: () => `id-${++ids}`,
    tools: {
      definitions: () => [{ ...messageTool }],
      concurrency: () => "exclusive" as const,
      run: (name: string, ...call: Parameters<typeof messageTool.call>) =>
        TOOLS.get(name)?.call(...call) ?? Promise.reject(new Error("no such tool")),
    },
  };
  const core = startCore({
    system: world.system,
    journal,
    channels: ["one", "two"].map((name) =>
      probeChannel(name, {}, (probe) => void probes.set(name, probe))
    ),
    permitsMax: 3,
    isUnified: true,
    progress: { sendProgress: false, sendToolHints: false },
    sendAttemptsMax: 3,
    startSession: (spawn, sessionKey, router, surroundings) =>
      spawn(sessionActor(sessionKey, benchServices({ ...shared, ...surroundings }), router)),
  });
  core.startChannels();
  core.recover();
  const probe = (name: string): ProbeChannel => {
    const made = probes.get(name);
    assert.ok(made, `channel ${name} has started`);
    return made;
  };
  // An empty one only says that a message has its end.
  const textsOf = (name: string, chat: string) =>
    probe(name).textsOf(chat).filter((text) => text !== "");
  const hears = async (name: string, chat: string, texts: readonly string[]) => {
    await until(() => textsOf(name, chat).length >= texts.length, { what: `${name}:${chat}` });
    assert.deepEqual(textsOf(name, chat), texts);
  };
  return {
    world,
    core,
    files,
    provider,
    probe,
    hears,
    ready: () => until(() => probes.size === 2),
  };
}

function lastSaid({ messages }: ChatRequest): string {
  const content = messages.findLast(({ role }) => role === "user")?.content;
  return typeof content === "string" ? content.split("\n").at(-1) ?? "" : "";
}

function countUsers({ messages }: ChatRequest): string {
  return `I know ${messages.filter(({ role }) => role === "user").length}`;
}

Deno.test("All channels share one history, and each hears its own answers", async () => {
  const { world, files, probe, hears, ready } = setUp(countUsers);
  await using _ = world;
  await ready();
  await probe("one").say("a", "first");
  await hears("one", "a", ["I know 1"]);
  await probe("two").say("b", "second");
  await hears("two", "b", ["I know 2"]);
  await probe("one").say("c", "third");
  await hears("one", "c", ["I know 3"]);
  await hears("one", "a", ["I know 1"]);
  await until(() => files.lines("unified_default.jsonl").length === 7);
  assert.deepEqual([...files.texts.keys()], ["unified_default.jsonl"]);
});

Deno.test("While a turn runs, only its own chat joins it; the others follow in order", async () => {
  const held = Promise.withResolvers<void>();
  const { world, provider, probe, hears, ready } = setUp((_request, said) =>
    said === "slow" ? { text: "for slow", after: held.promise } : `for ${said}`
  );
  await using _ = world;
  await ready();
  await probe("one").say("a", "slow");
  await until(() => provider.running === 1);
  await probe("two").say("b", "b1");
  await probe("one").say("c", "c1");
  await probe("one").say("a", "joins");
  await probe("two").say("b", "b2");
  held.resolve();
  await hears("one", "a", ["for slow", "for joins"]);
  await hears("two", "b", ["for b1", "for b2"]);
  await hears("one", "c", ["for c1"]);
  // b2 is of b1's chat, and so joins its turn.
  assert.deepEqual(provider.requests.map(lastSaid), ["slow", "joins", "b1", "b2", "c1"]);
});

Deno.test("/stop finds the turn from any channel, and who waited is told", async () => {
  const { world, provider, probe, hears, ready } = setUp(() => ({
    text: "never",
    after: new Promise<never>(() => {}),
  }));
  await using _ = world;
  await ready();
  await probe("one").say("a", "hi");
  await until(() => provider.running === 1);
  await probe("two").say("b", "waits");
  await probe("two").say("z", "/stop");
  await hears("two", "z", ["Stopped 1 running and 1 waiting messages."]);
  await until(() => provider.running === 0);
  await until(() => probe("one").textsOf("a").length === 1);
  await until(() => probe("two").textsOf("b").length === 1);
  for (const text of [...probe("one").textsOf("a"), ...probe("two").textsOf("b")]) {
    assert.match(text, /stopped on request/);
  }
});

Deno.test("A thread keeps a history of its own, and /new ends only the one it is said in", async () => {
  const { world, probe, hears, ready } = setUp(countUsers);
  await using _ = world;
  await ready();
  const inThread = (content: string) => probe("one").say("a", content, "one:a:thread");
  await probe("one").say("a", "shared");
  await hears("one", "a", ["I know 1"]);
  await inThread("in the thread");
  await hears("one", "a", ["I know 1", "I know 1"]);
  await inThread("/new");
  await until(() => probe("one").textsOf("a").length === 3);
  await probe("two").say("b", "shared too");
  await hears("two", "b", ["I know 2"]);
  await probe("two").say("b", "/new");
  await until(() => probe("two").textsOf("b").length === 2);
  await probe("one").say("c", "begun anew");
  await until(() => probe("one").textsOf("c").length === 1);
  assert.deepEqual(probe("one").textsOf("c"), ["I know 1"]);
});

Deno.test("The message tool and what comes from inside reach the chat that they are for", async () => {
  const { world, core, provider, probe, hears, ready } = setUp((request, said) => {
    const last = request.messages.at(-1);
    if (said.startsWith("send") && last?.role === "user") {
      return { calls: [{ name: "message", args: { content: "by tool" } }] };
    }
    return said.startsWith("send") ? "unsaid" : `for ${said}`;
  });
  await using _ = world;
  await ready();
  await probe("one").say("a", "hello");
  await hears("one", "a", ["for hello"]);
  await probe("two").say("b", "send");
  await hears("two", "b", ["by tool"]);
  await until(() => provider.requests.length === 3 && provider.running === 0);
  await core.accept({
    channel: "system",
    platformId: "cron:job:1",
    sessionKey: UNIFIED_SESSION,
    replyChannel: "one",
    chatId: "a",
    senderId: "cron",
    content: "tick",
    media: [],
    context: {},
    wantsStream: false,
  });
  await hears("one", "a", ["for hello", "for tick"]);
  assert.equal(provider.requests.length, 4);
  await hears("two", "b", ["by tool"]);
});
