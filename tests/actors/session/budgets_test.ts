import assert from "node:assert/strict";
import fc from "fast-check";
import type { Outbound } from "../../../actors/journal/journal.ts";
import { NO_BUDGETS } from "../../../actors/session/budgets.ts";
import type { OwnersInformed } from "../../../actors/session/ports.ts";
import type { ChatRequest } from "../../../providers/provider.ts";
import { Probe } from "../../support/probe.ts";
import type { ScriptedAnswer } from "../../support/scripted_provider.ts";
import { type Disk, SessionBench, type SessionBenchOptions } from "../../support/session_bench.ts";
import { until } from "../../support/until.ts";

const HOUR_MS = 3_600_000;
const USAGE = { promptTokens: 80, completionTokens: 20, totalTokens: 100 };
const PER_DAY = { ...NO_BUDGETS, perDay: { tokens: 100, usd: null } };
const PER_SESSION = { ...NO_BUDGETS, perSession: { tokens: 100, usd: null } };

/** A session whose every call uses 100 tokens; `look` is its only tool. */
function spender(
  script: readonly (string | ScriptedAnswer)[],
  options: SessionBenchOptions = {},
): SessionBench {
  return new SessionBench({
    script: script.map((said) => ({
      ...(typeof said === "string" ? { text: said } : said),
      usage: USAGE,
    })),
    tools: { look: { run: () => "seen" } },
    budgets: PER_DAY,
    ...options,
  });
}

/** Waits until the session's chat was told that its turn waits. */
async function paused(bench: SessionBench, count = 1): Promise<void> {
  await until(() => notices(bench).length === count && bench.permitsOut() === 0, {
    what: "a paused turn",
  });
}

function notices(bench: SessionBench): string[] {
  return bench.replies().filter((text) => text.includes("I have to pause"));
}

const LOOK: ScriptedAnswer = { calls: [{ name: "look" }] };

Deno.test("A turn pauses in its middle, told of, and goes on the next day where it was", async () => {
  await using bench = spender([LOOK, "done"]);
  await bench.say("hi");
  await paused(bench);
  assert.match(
    notices(bench)[0] ?? "",
    /today's budget is used up \(100 tokens of 100 tokens\).*00:00 \(UTC\).*agents\.budgets\.perDay\.tokens/,
  );
  await bench.world.clock.advance(23 * HOUR_MS);
  assert.equal(bench.provider.requests.length, 1, "not before midnight");
  await bench.world.clock.advance(HOUR_MS);
  await bench.quiet();
  assert.deepEqual(bench.story(), [
    "user hi",
    "assistant [look call_0_0]",
    "tool call_0_0 seen",
    "assistant done",
  ]);
  assert.deepEqual(bench.replies().at(-1), "done");
  assert.deepEqual(bench.ran, ["look {}"], "no tool ran again");
});

Deno.test("What comes while a turn is paused waits behind it, in order", async () => {
  await using bench = spender(["zero", "one", "two and three"], {
    settings: { timezone: "Asia/Shanghai" },
  });
  await bench.say("zero");
  await bench.quiet();
  await bench.say("one");
  await paused(bench);
  await bench.say("two");
  await bench.say("three");
  await bench.world.clock.advance(15 * HOUR_MS);
  assert.equal(bench.provider.requests.length, 1, "01:00 + 15 h in Shanghai is still the same day");
  await bench.world.clock.advance(HOUR_MS);
  await until(() => bench.replies().length === 3);
  assert.equal(bench.replies()[2], "one");
  await bench.world.clock.advance(24 * HOUR_MS);
  await bench.quiet();
  assert.equal(bench.replies().at(-1), "two and three");
  const texts = bench.story().filter((line) => line.startsWith("user"));
  assert.deepEqual(texts, ["user zero", "user one", "user two", "user three"]);
});

Deno.test("A paused turn survives a crash, is not told of again, and goes on in time", async () => {
  const first = spender([LOOK]);
  await first.say("hi");
  await paused(first);
  const disk = first.crash();
  await using second = spender(["done"], { disk });
  second.session.tell({ type: "wake" });
  await until(() => second.gate.received.some(({ type }) => type === "release_permit"));
  assert.deepEqual(second.replies(), [], "its chat knows");
  assert.equal(second.provider.requests.length, 0);
  assert.equal((await second.journal.interrupted(second.sessionKey))?.turn.attempts, 0);
  await second.world.clock.advance(24 * HOUR_MS);
  await second.quiet();
  assert.deepEqual(second.replies(), ["done"]);
  assert.deepEqual(second.story().slice(1), [
    "assistant [look call_0_0]",
    "tool call_0_0 seen",
    "assistant done",
  ]);
  assert.equal(await second.journal.note(`paused:${second.sessionKey}`), null);
  await first[Symbol.asyncDispose]();
});

Deno.test("Many restarts do not wear a paused turn out", async () => {
  let bench = spender([LOOK]);
  await bench.say("hi");
  await paused(bench);
  for (let life = 0; life < 6; life++) {
    const disk = bench.crash();
    const next = spender([], { disk });
    next.session.tell({ type: "wake" });
    await until(() => next.gate.received.some(({ type }) => type === "release_permit"));
    await bench[Symbol.asyncDispose]();
    bench = next;
  }
  const { inbounds } = await bench.journal.counts();
  assert.deepEqual([inbounds.running, inbounds.parked], [1, 0]);
  await bench[Symbol.asyncDispose]();
});

Deno.test("A budget that was raised lets a paused turn go on at the restart", async () => {
  const first = spender([LOOK], { budgets: PER_SESSION });
  await first.say("hi");
  await paused(first);
  assert.match(notices(first)[0] ?? "", /the budget of this session.*\/new.*perSession\.tokens/);
  await first.world.clock.advance(48 * HOUR_MS);
  assert.equal(first.provider.requests.length, 1, "no day helps against the budget of a session");
  const disk = first.crash();
  await using second = spender(["done"], {
    disk,
    budgets: { ...NO_BUDGETS, perSession: { tokens: 1_000, usd: null } },
  });
  second.session.tell({ type: "wake" });
  await second.quiet();
  assert.deepEqual(second.replies(), ["done"]);
  await first[Symbol.asyncDispose]();
});

Deno.test("/new ends a paused turn and begins a session with a budget of its own", async () => {
  await using bench = spender([LOOK, "fresh"], { budgets: PER_SESSION });
  await bench.say("hi");
  await paused(bench);
  await bench.say("/new");
  await bench.quiet();
  await bench.say("hello");
  await bench.quiet();
  assert.equal(bench.replies().at(-1), "fresh");
  assert.equal(await bench.journal.note(`paused:${bench.sessionKey}`), null);
});

Deno.test("/stop ends a paused turn and what waits behind it", async () => {
  await using bench = spender([LOOK, "later"]);
  await bench.say("hi");
  await paused(bench);
  await bench.say("and this");
  await bench.say("/stop");
  await bench.quiet();
  assert.match(bench.replies().at(-1) ?? "", /^Stopped 1 running and 1 waiting/);
  await bench.world.clock.advance(0);
  assert.equal(bench.world.clock.pending, 1, "only the end of its idle time is waited for");
  await bench.world.clock.advance(25 * HOUR_MS);
  assert.equal(bench.provider.requests.length, 1);
  await bench.say("again");
  await bench.quiet();
  assert.equal(bench.replies().at(-1), "later");
});

Deno.test("/usage and /status work while a turn is paused, and tell of it", async () => {
  await using bench = spender([LOOK, "done"]);
  await bench.say("hi");
  await paused(bench);
  await bench.say("/usage");
  await bench.say("/status");
  await until(() => bench.replies().length === 3);
  assert.match(bench.replies()[1] ?? "", /^- per day: .*0 tokens left[^]*^Paused: today's budget/m);
  assert.match(bench.replies()[2] ?? "", /^Tasks: 1 active$/m);
  await bench.world.clock.advance(24 * HOUR_MS);
  await bench.quiet();
  assert.equal(bench.replies().at(-1), "done");
});

Deno.test("What grew in a card is closed with the word on the pause; the answer gets a new one", async () => {
  await using bench = spender([{ text: "Let me look.", ...LOOK }, "done"]);
  await bench.say("hi", { wantsStream: true });
  await paused(bench);
  await bench.world.clock.advance(24 * HOUR_MS);
  await bench.quiet();
  const last = new Map(bench.rows().map((row) => [row.key, row]));
  const [pause, answer] = [...last.values()];
  assert.match(pause?.content ?? "", /I have to pause/);
  assert.equal(pause?.preamble, "Let me look.");
  assert.deepEqual(pause?.settles, [], "the message is not answered yet");
  assert.equal(answer?.content, "done");
  assert.equal(answer?.settles.length, 1);
  assert.equal(last.size, 2);
});

Deno.test("A budget that is spent inside an answer pauses before the answer is continued", async () => {
  await using bench = spender([{ text: "The first half", finishReason: "length" }, "All of it."]);
  await bench.say("hi", { wantsStream: true });
  await paused(bench);
  assert.match(notices(bench)[0] ?? "", /^The first half\n\nI have to pause/);
  assert.equal(bench.provider.requests.length, 1);
  await bench.world.clock.advance(24 * HOUR_MS);
  await bench.quiet();
  assert.equal(bench.replies().at(-1), "All of it.");
  assert.deepEqual(bench.story(), ["user hi", "assistant All of it."]);
});

Deno.test("A budget of money counts what has a price", async () => {
  await using bench = spender([LOOK, LOOK, "done"], {
    budgets: { ...NO_BUDGETS, perDay: { tokens: null, usd: 0.0002 } },
    prices: () => ({ input: 1, output: 1, cachedInput: 1, cacheWrite: 1 }),
  });
  await bench.say("hi");
  await paused(bench);
  assert.equal(bench.provider.requests.length, 2, "100 tokens cost a ten thousandth of a dollar");
  assert.match(notices(bench)[0] ?? "", /\$0\.0002 of \$0\.0002/);
});

Deno.test("Owners hear of a day's budget once a day, whatever sessions and restarts there are", async () => {
  const alarms = new Probe<OwnersInformed>();
  const first = spender([LOOK], { services: { alarms } });
  await first.say("hi");
  await paused(first);
  const disk = first.crash();
  await using second = spender(["done", LOOK], { disk, services: { alarms } });
  second.session.tell({ type: "wake" });
  await until(() => second.gate.received.some(({ type }) => type === "release_permit"));
  assert.equal(alarms.received.length, 1);
  assert.match(alarms.received[0]?.text ?? "", /A budget is spent.*perDay\.tokens/);
  await second.world.clock.advance(24 * HOUR_MS);
  await second.quiet();
  await second.say("another day");
  await paused(second);
  assert.equal(alarms.received.length, 2);
  await first[Symbol.asyncDispose]();
});

Deno.test("Without budgets nothing is asked of the journal before a call", async () => {
  await using bench = spender(["done"], { budgets: NO_BUDGETS });
  const { journal } = bench;
  let asked = 0;
  const usage = journal.usage.bind(journal);
  journal.usage = (query) => {
    asked++;
    return usage(query);
  };
  await bench.say("hi");
  await bench.quiet();
  assert.equal(asked, 0);
});

/** Messages that want rounds of tools, a budget of some calls a day, and deaths of the process. */
const anyStory = fc.record({
  wants: fc.array(fc.nat(2), { minLength: 1, maxLength: 4 }),
  callsPerDay: fc.integer({ min: 1, max: 3 }),
  /**
   * The n-th commit of a life is its last; before and after count. With a fourth death in one turn
   * its message would be put aside.
   */
  crashes: fc.array(fc.integer({ min: 1, max: 40 }), { maxLength: 3 }),
  wantsStream: fc.boolean(),
});

/** Asks for as many rounds of tools as the newest message wants. */
function modelSays({ messages }: ChatRequest): ScriptedAnswer {
  const asked = messages.findLastIndex(({ role }) => role === "user");
  const text = JSON.stringify(messages[asked]);
  const [, name = "", wanted = "0"] = /(m\d) wants (\d)/.exec(text) ?? [];
  const rounds = messages.slice(asked).filter(({ role }) => role === "tool").length;
  const said = rounds < Number(wanted)
    ? { calls: [{ name: "look", id: `${name}r${rounds}` }] }
    : { text: `answer to ${name}` };
  return { ...said, usage: USAGE };
}

Deno.test("However small the budget and whenever the process dies, each message is answered once, in order", async () => {
  await fc.assert(
    fc.asyncProperty(anyStory, async ({ wants, callsPerDay, crashes, wantsStream }) => {
      const budgets = { ...NO_BUDGETS, perDay: { tokens: callsPerDay * 100, usd: null } };
      const benches: SessionBench[] = [];
      const rows = new Map<string, Outbound>();
      let disk: Disk | undefined;
      for (let life = 0;; life++) {
        let commits = 0;
        let isDead = false;
        const bench: SessionBench = new SessionBench({
          budgets,
          ...(disk && { disk }),
          settings: { joinsPerStepMax: 0 },
          tools: { look: { run: () => "seen" } },
          script: modelSays,
          onCommit: () => {
            if (isDead || ++commits !== crashes[life]) return;
            isDead = true;
            disk = bench.crash();
          },
        });
        benches.push(bench);
        const handIn = async () => {
          for (const [index, rounds] of wants.entries()) {
            const change = { platformId: `m${index}`, wantsStream };
            await bench.journal.accept(bench.newInbound(`m${index} wants ${rounds}`, change));
          }
          bench.session.tell({ type: "wake" });
        };
        void handIn();
        const hasEnded = async () =>
          Object.entries((await bench.journal.counts()).inbounds)
            .every(([state, count]) => state === "done" ? count === wants.length : count === 0);
        let isOver = false;
        for (let day = 0; day < 20 && !isDead && !isOver; day++) {
          void hasEnded().then((ended) => isOver = ended);
          await bench.world.clock.advance(6 * HOUR_MS);
          await bench.world.clock.advance(18 * HOUR_MS);
        }
        for (const row of bench.journal.rows().outbounds) rows.set(row.key, row);
        if (isDead) continue;
        assert.ok(isOver, "all messages came to their end");
        const used = await bench.journal.usage({ scope: "day", from: "2026", to: "2027" });
        for (const { calls } of used) assert.ok(calls <= callsPerDay, `${calls} calls in a day`);
        break;
      }
      const answers = [...rows.values()].sort((a, b) => a.id - b.id)
        .filter(({ content }) => content.startsWith("answer"));
      const expected = wants.map((_, index) => `answer to m${index}`);
      assert.deepEqual(answers.map(({ content }) => content), expected);
      for (const bench of benches) await bench[Symbol.asyncDispose]();
    }),
    { numRuns: 40 },
  );
});
