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
  /** How many rounds of tools each message wants; all are of one chat. */
  readonly wants: readonly number[];
  readonly wantsStream: boolean;
  /** The first life ends at the n-th commit (before and after count), and so on. */
  readonly crashes: readonly number[];
  readonly areToolsShared: boolean;
}

/** What is left of a story at its end. */
interface Ending {
  readonly history: readonly ChatMessage[];
  readonly rows: readonly Outbound[];
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
    const id = `r${rounds}c${n}`;
    return { name: "work", id, args: { id } };
  });
  return { text: `round ${rounds}`, calls };
}

/** Lives a story to its end. */
async function live(story: Story): Promise<Ending> {
  const ran: string[] = [];
  const unsent = story.wants.map((rounds, index): Partial<NewInbound> & { content: string } => ({
    content: `m${index} wants ${rounds}`,
    platformId: `m${index}`,
    wantsStream: story.wantsStream,
  }));
  const platformIds = unsent.map(({ platformId }) => platformId ?? "");
  let disk: Disk | undefined;
  for (let lives = 1;; lives++) {
    const crashAt = story.crashes[lives - 1] ?? Infinity;
    const crashed = Promise.withResolvers<"crashed">();
    let commits = 0;
    const bench: SessionBench = new SessionBench({
      ...(disk && { disk }),
      script: (request) => {
        void sendNext();
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
        if (++commits !== crashAt) return;
        disk = bench.crash();
        crashed.resolve("crashed");
      },
    });
    let isSending = false;
    // The platform sends again what was not acknowledged.
    async function sendNext(): Promise<void> {
      const [next] = unsent;
      if (next === undefined || isSending) return;
      isSending = true;
      const { content, ...change } = next;
      const accepted = await bench.journal.accept(bench.newInbound(content, change));
      if (accepted.state === "accepted") {
        bench.session.tell({ type: "inbound_accepted", inbound: accepted.inbound });
      }
      unsent.shift();
      isSending = false;
    }
    async function toTheEnd(): Promise<"ended"> {
      bench.session.tell({ type: "wake" });
      await sendNext();
      while (unsent.length > 0) {
        await bench.quiet();
        await sendNext();
      }
      await bench.quiet();
      return "ended";
    }
    const end = await Promise.race([crashed.promise, toTheEnd()]);
    if (end === "ended") {
      const rows = await bench.journal.outbox("feishu", 0, 1_000);
      assert.equal(await bench.journal.interrupted(bench.sessionKey), null);
      const history = bench.history();
      await bench[Symbol.asyncDispose]();
      return { history, rows, ran, lives, platformIds };
    }
    await bench[Symbol.asyncDispose]();
  }
}

/** The laws that hold whatever happened. */
function checkLaws({ history, rows, ran, platformIds }: Ending): void {
  const users = history.filter(({ role }) => role === "user").map(({ content }) => content);
  assert.deepEqual(users.map((text) => /^m\d+/.exec(String(text))?.[0]), platformIds, "once each");
  assert.equal(new Set(ran).size, ran.length, "no tool runs twice");
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

const CALM: Story = { wants: [2], wantsStream: true, crashes: [], areToolsShared: false };

Deno.test("Session that crashes at any one commit of a turn goes on without loss or repetition", async () => {
  let crashAt = 1;
  let interrupted = 0;
  for (;; crashAt++) {
    const ending = await live({ ...CALM, crashes: [crashAt] });
    checkLaws(ending);
    interrupted += JSON.stringify(ending.history).split("interrupted").length - 1;
    if (ending.lives === 1) break;
  }
  assert.ok(crashAt > 20, `only ${crashAt} commits`);
  assert.ok(interrupted > 0, "no crash hit a tool");
});

Deno.test("Session keeps its laws over random stories and crashes", async () => {
  const story = fc.record({
    wants: fc.array(fc.nat(2), { minLength: 1, maxLength: 4 }),
    wantsStream: fc.boolean(),
    crashes: fc.array(fc.integer({ min: 1, max: 40 }), { maxLength: 4 }),
    areToolsShared: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(story, async (story) => checkLaws(await live(story))),
    { numRuns: 60 },
  );
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
  const rows = await next.journal.outbox("feishu", 0, 10);
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
    const isDone = () => bench.replies().some((text) => text.includes("New session"));
    await until(() => hasCrashed || isDone());
    if (!hasCrashed) break;
    await bench[Symbol.asyncDispose]();
    if (disk === undefined) throw new Error("A crash leaves a disk");
    await using next = new SessionBench({ disk });
    await next.quiet();
    const rows = await next.journal.outbox("feishu", 0, 10);
    const wasAccepted = (await next.journal.counts()).inbounds.done === 2;
    assert.equal(rows.filter(({ content }) => /new session/i.test(content)).length, +wasAccepted);
    assert.deepEqual(next.story().length, wasAccepted ? 0 : 2);
  }
});
