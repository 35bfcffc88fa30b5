import assert from "node:assert/strict";
import { JournalError, SYSTEM_CHANNEL } from "../../../../actors/journal/journal.ts";
import { UNASKED_TURN_MINUTES } from "../../../../actors/session/turn_limit.ts";
import { assertIdentical, replay } from "../../../support/bench_replay.ts";
import { providerError } from "../../../support/scripted_provider.ts";
import { type Disk, SessionBench } from "../../../support/session_bench.ts";
import { settle, until } from "../../../support/until.ts";

const look = { concurrency: "shared" as const, run: () => "seen" };
const NEVER = new Promise<never>(() => {});
const REFUSED = { calls: [{ name: "look", id: "c1", invalid: "no JSON" }] };
/** Said as it is: no model is asked. */
const WORD = { channel: SYSTEM_CHANNEL, platformId: "heartbeat:told:1", replyChannel: "feishu" };

const DUE = { channel: SYSTEM_CHANNEL, platformId: "cron:job1:1", replyChannel: "feishu" };

/** A row as earlier versions wrote it: nothing of calls that were cut short, a close alone. */
function asOnceRecorded(text: string): string {
  if (!text.startsWith('{"kind":')) return text;
  const { kind, close, asks, isLate: _isLate, ...step } = JSON.parse(text);
  if (kind === "close") return JSON.stringify({ kind, close });
  const ended = asks?.filter((ask: { outcome: { state: string } }) => ask.outcome.state !== "cut");
  return JSON.stringify({ kind, ...step, ...(ended?.length > 0 && { asks: ended }) });
}

/** Has something happen while the turn waits to hear that its step with this in it is durable. */
function whileCommits(bench: SessionBench, sign: string, happens: () => Promise<unknown>): void {
  const { journal } = bench;
  const commit = journal.commit.bind(journal);
  let hasHappened = false;
  journal.commit = async (...made) => {
    const rows = await commit(...made);
    if (hasHappened || !JSON.stringify(made).includes(sign)) return rows;
    hasHappened = true;
    void happens();
    await settle();
    return rows;
  };
}

Deno.test("A replay stops and takes back what was stopped and taken back", async () => {
  const never = Promise.withResolvers<string>();
  await using bench = new SessionBench({
    tools: { hang: { run: () => never.promise }, look },
    script: [
      "one",
      { calls: [{ name: "look", id: "c1" }, { name: "hang", id: "c2" }] },
      "three",
      { text: "half", after: never.promise },
      "five",
    ],
  });
  await bench.say("first");
  await bench.quiet();
  await bench.say("second");
  await until(() => bench.ran.length === 2);
  await bench.say("/stop");
  await bench.quiet();
  await bench.say("third");
  await bench.quiet();
  await bench.say("/undo");
  await bench.quiet();
  await bench.say("fourth");
  await until(() => bench.provider.running === 1);
  await bench.say("/undo");
  await bench.quiet();
  await bench.say("fifth");
  await bench.quiet();
  assertIdentical(await replay(bench), bench.history().length);
  assertIdentical(await replay(bench, asOnceRecorded), bench.history().length);
});

Deno.test("A replay gives no result, were it a refusal, that a stop came before", async () => {
  await using bench = new SessionBench({ tools: { look }, script: [REFUSED, "more"] });
  whileCommits(bench, "tool_calls", () => bench.say("/stop"));
  await bench.say("first");
  await bench.quiet();
  await bench.say("second");
  await bench.quiet();
  assert.match(JSON.stringify(bench.history()), /interrupted/);
  assertIdentical(await replay(bench), bench.history().length);
});

Deno.test.each(
  [
    ["a refusal", "tool_calls", {}],
    ["a word that needs no model", "heartbeat:told", WORD],
  ] as const,
)("A replay does not come to %s that the process rested before", async (_what, sign, change) => {
  let disk: Disk;
  {
    const bench = new SessionBench({ tools: { look }, script: [REFUSED] });
    let stopping: Promise<void> | undefined;
    whileCommits(bench, sign, () => stopping = bench[Symbol.asyncDispose]());
    await bench.say("first", change);
    await until(() => stopping !== undefined);
    await stopping;
    disk = { rows: bench.journal.rows(), files: Object.fromEntries(bench.files.texts) };
  }
  await using bench = new SessionBench({ disk, script: ["one", "two"] });
  bench.session.tell({ type: "wake" });
  await bench.quiet();
  await bench.say("second");
  await bench.quiet();
  const kinds = (await bench.journal.records(bench.sessionKey, 0, 99)).map(({ text }) => text);
  assert.ok(kinds.some((text) => text.startsWith('{"kind":"rest"')));
  assertIdentical(await replay(bench), bench.history().length);
});

const LONG = `answer ${"a".repeat(2_000)}`;
const TOO_LONG = { error: providerError("provider_context_too_long", "It is too long.") };

Deno.test("A replay asks as little as then behind a stop of what had been too long", async () => {
  await using bench = new SessionBench({
    script: [LONG, LONG, LONG, LONG, TOO_LONG, "", { text: "half", after: NEVER }, "sixth"],
  });
  for (const text of ["first", "second", "third", "fourth"]) {
    await bench.say(text);
    await bench.quiet();
  }
  await bench.say("fifth");
  await until(() => bench.provider.requests.length === 7);
  await bench.say("/stop");
  await bench.quiet();
  await bench.say("sixth");
  await bench.quiet();
  const asked = bench.provider.requests.at(-1)?.messages ?? [];
  assert.ok(asked.length < bench.history().length, "it has learned what is too long");
  assertIdentical(await replay(bench), bench.history().length);
});

Deno.test("A replay leaves out as much as a request did to which a stop gave no answer", async () => {
  let said = 0;
  let isHeld = false;
  await using bench = new SessionBench({
    settings: { contextWindowTokens: 12_000 },
    script: ({ messages }) => {
      const isShort = messages.filter(({ role }) => role === "user").length < said;
      if (!isShort || isHeld) return LONG;
      isHeld = true;
      return { text: "half", after: NEVER };
    },
  });
  const isOver = async () => (await bench.journal.counts()).inbounds.running === 0;
  while (!isHeld) {
    assert.ok(++said < 30, "it is too long some time");
    await bench.say(`question ${said}`);
    await until(async () => isHeld || await isOver() && bench.replies().length === said);
  }
  await bench.say("/stop");
  await bench.quiet();
  await bench.say("a question that is long ".repeat(50));
  await bench.quiet();
  assertIdentical(await replay(bench), bench.history().length);
});

Deno.test("A replay goes no further than a stop that came between an answer and its step", async () => {
  await using bench = new SessionBench({ script: ["lost", "two"] });
  const { journal } = bench;
  const waiting = journal.waiting.bind(journal);
  let isStopped = false;
  journal.waiting = async (...window) => {
    if (bench.provider.requests.length === 1 && !isStopped) {
      isStopped = true;
      await bench.say("/stop"); // while it looks whether somebody joins
      await settle();
    }
    return await waiting(...window);
  };
  await bench.say("first");
  await bench.quiet();
  await bench.say("second");
  await bench.quiet();
  assert.doesNotMatch(JSON.stringify(bench.history()), /lost/);
  assertIdentical(await replay(bench), bench.history().length);
});

Deno.test("A replay ends a job in time whose model answered just before", async () => {
  await using bench = new SessionBench({ script: ["lost", "two"] });
  const { journal } = bench;
  const waiting = journal.waiting.bind(journal);
  journal.waiting = async (...window) => {
    const isOver = bench.provider.requests.length === 1 && bench.replies().length === 0;
    if (isOver) await bench.world.clock.advance(UNASKED_TURN_MINUTES * 60_000);
    return await waiting(...window);
  };
  await bench.say("Due now", DUE);
  await bench.quiet();
  await bench.say("second");
  await bench.quiet();
  assert.doesNotMatch(JSON.stringify(bench.history()), /lost/);
  assertIdentical(await replay(bench), bench.history().length);
});

Deno.test("A replay ends a job in time whose model did not answer", async () => {
  await using bench = new SessionBench({ script: [{ text: "half", after: NEVER }, "two"] });
  await bench.say("Due now", DUE);
  await until(() => bench.provider.running === 1);
  await bench.world.clock.advance(UNASKED_TURN_MINUTES * 60_000);
  await bench.quiet();
  await bench.say("second");
  await bench.quiet();
  assertIdentical(await replay(bench), bench.history().length);
  assertIdentical(await replay(bench, asOnceRecorded), bench.history().length);
});

Deno.test("A replay notices that a stopped turn asked something else", async () => {
  await using bench = new SessionBench({ script: [{ text: "half", after: NEVER }] });
  await bench.say("first");
  await until(() => bench.provider.running === 1);
  await bench.say("/stop");
  await bench.quiet();
  const report = await replay(
    bench,
    (text) => text.replace(/"request":"[^"]+"/, '"request":"another"'),
  );
  assert.ok(report.state === "different", JSON.stringify(report));
  assert.match(report.divergence.what, /what the model was asked.*close/);
});

Deno.test("A replay reads and asks as the process did that rested over a step it could not make", async () => {
  let disk: Disk;
  {
    const bench = new SessionBench({ script: [{ text: "never", after: NEVER }] });
    await bench.say("first", { media: ["/media/a.png"] });
    await until(() => bench.provider.running === 1);
    disk = bench.crash();
    await bench[Symbol.asyncDispose]();
  }
  {
    const bench = new SessionBench({ disk, script: ["lost"] });
    const { journal } = bench;
    const commit = journal.commit.bind(journal);
    let tries = 0;
    journal.commit = (step, durability) => {
      if (!JSON.stringify(step).includes("lost") || step.turn?.change === "rest") {
        return commit(step, durability);
      }
      tries++;
      return Promise.reject(new JournalError("journal_failed", "Cannot write"));
    };
    await bench.say("second"); // joins with the answer to the first
    await until(() => tries > 0);
    await bench[Symbol.asyncDispose]();
    disk = { rows: journal.rows(), files: Object.fromEntries(bench.files.texts) };
  }
  await using bench = new SessionBench({ disk, script: ["one", "two"] });
  bench.session.tell({ type: "wake" });
  await bench.quiet();
  const rows = await bench.journal.records(bench.sessionKey, 0, 99);
  const rest = rows.find(({ text }) => text.startsWith('{"kind":"rest"'));
  assert.match(rest?.text ?? "", /a\.png.*lost/);
  assertIdentical(await replay(bench), bench.history().length);
});
