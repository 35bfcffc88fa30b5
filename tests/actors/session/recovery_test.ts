import assert from "node:assert/strict";
import fc from "fast-check";
import type { NewInbound, Outbound } from "../../../actors/journal/journal.ts";
import { wellFormed } from "../../../actors/session/history.ts";
import type { ChatMessage, ChatRequest } from "../../../providers/provider.ts";
import type { ScriptedAnswer } from "../../support/scripted_provider.ts";
import { type Disk, SessionBench } from "../../support/session_bench.ts";
import { until } from "../../support/until.ts";

const TOOLS_PER_ROUND = 2;

/** What happens to a session, over as many lives as it takes. */
interface Story {
  /** How many rounds of tools each message wants, or a command; all are of one chat. */
  readonly wants: readonly (number | "/stop" | "/new" | "/status")[];
  readonly wantsStream: boolean;
  /** The first life ends at the n-th commit (before and after count), and so on. */
  readonly crashes: readonly number[];
  readonly areToolsShared: boolean;
}

/** What is left on disk when all is quiet. */
interface Remains {
  readonly history: readonly ChatMessage[];
  readonly rows: readonly Outbound[];
}

/** What is left of a story at its end. */
interface Ending extends Remains {
  readonly ran: readonly string[];
  readonly lives: number;
  readonly platformIds: readonly string[];
}

/**
 * A model that needs no memory of its own: it asks for as many rounds of tools as the messages it
 * sees want together, then answers.
 */
function modelSays({ messages }: ChatRequest): ScriptedAnswer {
  let wanted = 0;
  let rounds = 0;
  const seen: string[] = [];
  for (const message of messages) {
    if (message.role === "user") {
      for (const [, index, rounds] of JSON.stringify(message).matchAll(/m(\d+) wants (\d+)/g)) {
        seen.push(index ?? "");
        wanted += Number(rounds);
      }
    } else if (message.role === "assistant" && message.tool_calls !== undefined) rounds++;
  }
  if (rounds >= wanted) return { pieces: ["answer ", `to ${seen.join(",")}`] };
  const calls = Array.from({ length: TOOLS_PER_ROUND }, (_, n) => {
    const id = `m${seen.at(-1)}r${rounds}c${n}`;
    return { name: "work", id, args: { id } };
  });
  return { text: `round ${rounds}`, calls };
}

/** Hands messages in, one after the other, and again when nobody acknowledged them. */
class Platform {
  readonly platformIds: readonly string[];
  readonly #unsent: { readonly content: string; readonly change: Partial<NewInbound> }[];
  #isSending: SessionBench | undefined;

  constructor({ wants, wantsStream }: Story) {
    this.#unsent = wants.map((rounds, index) => ({
      content: typeof rounds === "string" ? rounds : `m${index} wants ${rounds}`,
      change: { platformId: `m${index}`, wantsStream },
    }));
    this.platformIds = this.#unsent.map(({ change }) => change.platformId ?? "");
  }

  async sendNext(bench: SessionBench): Promise<void> {
    const [next] = this.#unsent;
    if (next === undefined || this.#isSending === bench) return;
    this.#isSending = bench;
    const accepted = await bench.journal.accept(bench.newInbound(next.content, next.change));
    if (accepted.state === "accepted") {
      bench.session.tell({ type: "inbound_accepted", inbound: accepted.inbound });
    }
    this.#unsent.shift();
    this.#isSending = undefined;
  }

  async sendAll(bench: SessionBench): Promise<void> {
    bench.session.tell({ type: "wake" });
    do {
      await this.sendNext(bench);
      await bench.quiet();
    } while (this.#unsent.length > 0);
  }
}

/** One life, up to its crash, or to the end of the story: it may crash while that is read, too. */
async function liveOnce(
  story: Story,
  platform: Platform,
  { disk, ran, crashAt }: { disk: Disk | undefined; ran: string[]; crashAt: number },
): Promise<{ state: "crashed"; disk: Disk } | { state: "ended"; remains: Remains }> {
  const crashed = Promise.withResolvers<Disk>();
  let commits = 0;
  const bench: SessionBench = new SessionBench({
    ...(disk && { disk }),
    script: (request) => {
      void platform.sendNext(bench);
      return modelSays(request);
    },
    tools: {
      work: {
        concurrency: story.areToolsShared ? "shared" : "exclusive",
        run: ({ id }) => {
          ran.push(String(id));
          return `result of ${id}`;
        },
      },
    },
    onCommit: () => {
      if (++commits === crashAt) crashed.resolve(bench.crash());
    },
  });
  const life = await Promise.race([
    crashed.promise.then((disk) => ({ state: "crashed" as const, disk })),
    platform.sendAll(bench)
      .then(() => remainsOf(bench))
      .then((remains) => ({ state: "ended" as const, remains })),
  ]);
  await bench[Symbol.asyncDispose]();
  return life;
}

async function remainsOf(bench: SessionBench): Promise<Remains> {
  const rows = await bench.journal.outbox({ channel: "feishu", afterId: 0, limit: 1_000 });
  assert.equal(await bench.journal.interrupted(bench.sessionKey), null);
  return { history: bench.history(), rows };
}

/** Lives a story to its end. */
async function live(story: Story): Promise<Ending> {
  const platform = new Platform(story);
  const { platformIds } = platform;
  const ran: string[] = [];
  let disk: Disk | undefined;
  for (let lives = 1;; lives++) {
    const crashAt = story.crashes[lives - 1] ?? Infinity;
    const life = await liveOnce(story, platform, { disk, ran, crashAt });
    if (life.state === "ended") return { ...life.remains, ran, lives, platformIds };
    disk = life.disk;
  }
}

/** The laws that hold whatever happened. */
function checkLaws({ history, rows, ran, platformIds }: Ending): void {
  assert.equal(new Set(ran).size, ran.length, "no tool runs twice");
  const users = usersOf(history);
  const inOrder = platformIds.filter((platformId) => users.includes(platformId));
  assert.deepEqual(users, inOrder, "no message stands twice, and all in order");
  const asked = history.flatMap((message) =>
    message.role === "assistant" ? (message.tool_calls ?? []).map(({ id }) => id) : []
  );
  const ended = history.flatMap((message) => message.role === "tool" ? [message.tool_call_id] : []);
  assert.deepEqual(ended.toSorted(), asked.toSorted(), "each call has exactly one result");
  const replayed = wellFormed(history).filter(({ role }) => role === "tool");
  assert.equal(replayed.length, ended.length, "each result follows its call");
  assert.ok(rows.every(({ state }) => state === "pending"), "no answer stays open");
  const settled = rows.flatMap(({ settles }) => settles.map((settle) => settle.platformId));
  assert.deepEqual(settled.toSorted(), platformIds.toSorted(), "each message has one end");
}

function usersOf(history: readonly ChatMessage[]): string[] {
  return history.filter(({ role }) => role === "user").map(({ content }) =>
    /^m\d+/.exec(String(content))?.[0] ?? String(content)
  );
}

const CALM: Story = { wants: [2], wantsStream: true, crashes: [], areToolsShared: false };

Deno.test("Session that crashes at any one commit of a turn goes on without loss or repetition", async () => {
  let crashAt = 1;
  let interrupted = 0;
  for (;; crashAt++) {
    const ending = await live({ ...CALM, crashes: [crashAt] });
    checkLaws(ending);
    assert.deepEqual(usersOf(ending.history), ["m0"]);
    interrupted += JSON.stringify(ending.history).split("interrupted").length - 1;
    if (ending.lives === 1) break;
  }
  assert.ok(crashAt > 20, `only ${crashAt} commits`);
  assert.ok(interrupted > 0, "no crash hit a tool");
});

const LIVES = {
  wantsStream: fc.boolean(),
  crashes: fc.array(fc.integer({ min: 1, max: 40 }), { maxLength: 4 }),
  areToolsShared: fc.boolean(),
};
const ROUNDS = fc.nat(2);

Deno.test("Session keeps its laws over random stories and crashes", async () => {
  const story = fc.record({
    ...LIVES,
    wants: fc.array(ROUNDS, { minLength: 1, maxLength: 4 }),
  });
  await fc.assert(
    fc.asyncProperty(story, async (story) => {
      const ending = await live(story);
      checkLaws(ending);
      assert.deepEqual(usersOf(ending.history), ending.platformIds, "all are in the history");
    }),
    { numRuns: 60 },
  );
});

Deno.test("Session keeps its laws over random stories with commands in them", async () => {
  const command = fc.constantFrom("/stop" as const, "/new" as const, "/status" as const);
  const story = fc.record({
    ...LIVES,
    wants: fc.array(fc.oneof(ROUNDS, ROUNDS, command), { minLength: 2, maxLength: 6 }),
  });
  await fc.assert(
    fc.asyncProperty(story, async (story) => checkLaws(await live(story))),
    { numRuns: 60 },
  );
});

Deno.test("Session that crashes after its last answer, within /new, ends its story in the next life", async () => {
  const wants = [2, 0, "/new", "/new"] as const;
  const ending = await live({ ...CALM, wantsStream: false, wants, crashes: [28, 1] });
  checkLaws(ending);
  assert.equal(ending.lives, 3);
  assert.deepEqual(ending.history, []);
});

Deno.test("Session goes on with an interrupted turn in the row that grew", async () => {
  const bench = new SessionBench({
    script: () => ({ pieces: ["half"], after: new Promise(() => {}) }),
  });
  await bench.say("hi", { wantsStream: true });
  await until(() => bench.provider.running === 1);
  const disk = bench.crash();
  await bench[Symbol.asyncDispose]();
  await using next = new SessionBench({ disk, script: ["whole"], grantsPermits: false });
  next.session.tell({ type: "wake" });
  await until(() => next.permitsOut() === 1);
  assert.equal(next.provider.requests.length, 0);
  next.grant();
  await next.quiet();
  const rows = await next.journal.outbox({ channel: "feishu", afterId: 0, limit: 10 });
  assert.deepEqual(rows.map(({ state, content }) => [state, content]), [["pending", "whole"]]);
  assert.deepEqual(next.story(), ["user hi", "assistant whole"]);
  const request = next.provider.requests[0]?.messages;
  assert.match(JSON.stringify(request?.at(-1)), /Chat: oc_1[^]*hi/);
});

Deno.test("Session runs what waited after the turn that was interrupted, in order", async () => {
  const bench = new SessionBench({
    script: () => ({ calls: [{ name: "hang" }] }),
    tools: { hang: { run: () => new Promise(() => {}) } },
  });
  await bench.say("first");
  await until(() => bench.ran.length === 1);
  await bench.say("second");
  await bench.say("third");
  const disk = bench.crash();
  await bench[Symbol.asyncDispose]();
  await using next = new SessionBench({
    disk,
    script: (_request, index) => `answer ${index}`,
    settings: { joinsPerTurnMax: 0 },
  });
  await next.quiet();
  assert.deepEqual(next.story().filter((line) => !line.startsWith("tool")), [
    "user first",
    "assistant [hang call_0_0]",
    "assistant answer 0",
    "user second",
    "assistant answer 1",
    "user third",
    "assistant answer 2",
  ]);
  assert.match(next.story()[2] ?? "", /^tool call_0_0 Error:.*interrupted/);
  assert.deepEqual(next.ran, []);
});

Deno.test("Session that wakes to a stop cancels what was accepted before it", async () => {
  const bench = new SessionBench({
    script: () => ({ calls: [{ name: "hang" }] }),
    tools: { hang: { run: () => new Promise(() => {}) } },
  });
  await bench.say("first");
  await until(() => bench.ran.length === 1);
  await bench.accept("second");
  await bench.accept("/stop");
  await bench.accept("third");
  const disk = bench.crash();
  await bench[Symbol.asyncDispose]();
  await using next = new SessionBench({ disk, script: ["answer"] });
  await next.quiet();
  assert.deepEqual(next.replies(), ["Stopped 1 running and 1 waiting messages.", "answer"]);
  assert.match(next.story()[2] ?? "", /^tool call_0_0 Error:.*interrupted/);
  assert.deepEqual(next.story().slice(3), [
    "assistant (This was stopped on request before an answer was given.)",
    "user third",
    "assistant answer",
  ]);
});

Deno.test("Session that crashes within /new has either done it all or does it again", async () => {
  for (let crashAt = 1;; crashAt++) {
    let commits = 0;
    let hasCrashed = false;
    let isArmed = false;
    let disk: Disk | undefined;
    const bench: SessionBench = new SessionBench({
      script: ["one"],
      onCommit: () => {
        if (!isArmed || ++commits !== crashAt) return;
        hasCrashed = true;
        disk = bench.crash();
      },
    });
    await bench.say("hi");
    await bench.quiet();
    isArmed = true;
    void bench.say("/new").catch(() => {});
    const isDone = () =>
      bench.replies().some((text) => text.includes("New session")) && bench.story().length === 0;
    await until(() => hasCrashed || isDone());
    if (!hasCrashed) break;
    await bench[Symbol.asyncDispose]();
    if (disk === undefined) throw new Error("A crash leaves a disk");
    await using next = new SessionBench({ disk });
    await next.quiet();
    const rows = await next.journal.outbox({ channel: "feishu", afterId: 0, limit: 10 });
    const wasAccepted = (await next.journal.counts()).inbounds.done === 2;
    assert.equal(rows.filter(({ content }) => /new session/i.test(content)).length, +wasAccepted);
    await until(() => next.story().length === (wasAccepted ? 0 : 2));
  }
});
