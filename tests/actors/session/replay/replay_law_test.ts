import assert from "node:assert/strict";
import fc from "fast-check";
import { nextTurn } from "../../../../actors/kernel/adapters/event_loop.ts";
import {
  JournalError,
  type NewInbound,
  SYSTEM_CHANNEL,
} from "../../../../actors/journal/journal.ts";
import { assertIdentical, replay } from "../../../support/bench_replay.ts";
import { providerError, type ScriptedAnswer } from "../../../support/scripted_provider.ts";
import { type Disk, SessionBench } from "../../../support/session_bench.ts";
import { settle } from "../../../support/until.ts";

const NEVER = new Promise<never>(() => {});
const LONG = "a".repeat(4_000);

/** What the model says, by its first word; a story that runs out of it hears "text". */
const SAYINGS = {
  text: { text: "an answer" },
  long: { text: LONG },
  blank: { text: "" },
  cut: { text: "an answer that is", finishReason: "length" },
  hangs: { text: "half", after: NEVER },
  "too long": { error: providerError("provider_context_too_long", "It is too long.") },
  breaks: {},
  fails: { error: providerError("provider_auth", "It is down.") },
  look: { calls: [{ name: "look" }] },
  looks: { calls: [{ name: "look" }, { name: "look" }, { name: "look", invalid: "no JSON" }] },
  refused: { calls: [{ name: "look", invalid: "no JSON" }, { name: "change" }] },
  changes: { text: "now", calls: [{ name: "change" }, { name: "breaks" }, { name: "long" }] },
  "waits in vain": { calls: [{ name: "look" }, { name: "hang" }] },
} as const satisfies Record<string, ScriptedAnswer>;

/** What happens to a session at a moment of its life. */
const HAPPENINGS = [
  ...[
    "dies",
    "ends",
    "/stop",
    "/undo",
    "hears",
    "is due",
    "grows old",
    "grows late",
    "is full",
    "has room",
  ] as const,
];

/** Moments are counted: those of commits, of calls of the model, and of runs of tools. */
interface Story {
  readonly said: readonly (keyof typeof SAYINGS)[];
  readonly lives: readonly (readonly { after: number; what: typeof HAPPENINGS[number] }[])[];
}

const story: fc.Arbitrary<Story> = fc.record({
  said: fc.array(fc.constantFrom(...Object.keys(SAYINGS) as (keyof typeof SAYINGS)[]), {
    maxLength: 12,
  }),
  lives: fc.array(
    fc.array(
      fc.record({ after: fc.nat(12), what: fc.constantFrom(...HAPPENINGS) }),
      { maxLength: 5 },
    ),
    { minLength: 1, maxLength: 4 },
  ),
});

/** Turns of the event loop without a moment: then only a stop, or time, helps. */
const STILL_TURNS = 6;
/** Far more than any story takes. */
const TURNS_MAX = 2_000;

/** A session that lives through a story. */
class Lives {
  readonly #story: Story;
  #asked = 0;
  #bench: SessionBench | undefined;
  #disk: Disk | undefined;
  #due: Story["lives"][number] = [];
  #until = 0;
  #moments = 0;
  #isFull = false;
  #isOver = false;
  #over = Promise.withResolvers<undefined>();
  #ending: Promise<void> | undefined;
  #messages = 0;
  #ran = 0;

  constructor(story: Story) {
    this.#story = story;
  }

  /** Lives them, and one more in peace. */
  async run(): Promise<SessionBench> {
    for (const due of this.#story.lives) {
      const bench = await this.#live(due);
      if (!this.#isOver) this.#end();
      await this.#ended(bench);
    }
    return await this.#live([]);
  }

  async #live(due: Story["lives"][number]): Promise<SessionBench> {
    this.#due = due;
    this.#until = due[0]?.after ?? 0;
    this.#isFull = this.#isOver = false;
    this.#ending = undefined;
    this.#over = Promise.withResolvers();
    const disk = this.#disk;
    const bench = this.#bench = new SessionBench({
      ...(disk && { disk }),
      settings: { contextWindowTokens: 9_000, toolIterationsMax: 4 },
      script: () => {
        this.#moment();
        const said = this.#story.said[this.#asked++] ?? "text";
        if (said === "breaks") throw new Error("The model's port broke");
        return SAYINGS[said];
      },
      tools: Object.fromEntries(
        ["look", "change", "breaks", "long", "hang"].map((name) => [name, {
          concurrency: name === "look" ? "shared" as const : "exclusive" as const,
          run: () => this.#run(name),
        }]),
      ),
      onCommit: (phase) => {
        this.#moment();
        if (phase === "before" && this.#isFull) {
          throw new JournalError("journal_full", "Cannot write: the disk is full");
        }
      },
    });
    bench.session.tell({ type: "wake" });
    this.#say(`message ${++this.#messages} ${LONG}`);
    await this.#quiet(bench);
    return bench;
  }

  /** What the disk has no room for is given up in time. */
  async #ended(bench: SessionBench): Promise<void> {
    let isOver = false;
    void (this.#ending ?? bench[Symbol.asyncDispose]()).then(() => isOver = true);
    for (let turns = 0; !isOver; turns++) {
      assert.ok(turns < TURNS_MAX, "a life ends");
      await settle();
      await bench.world.clock.advance(5_000);
    }
    if (this.#ending === undefined) return; // it died, and left what it had then
    this.#disk = { rows: bench.journal.rows(), files: Object.fromEntries(bench.files.texts) };
  }

  /** What hangs needs time, or a stop. */
  async #quiet(bench: SessionBench): Promise<void> {
    let seen = -1;
    let still = 0;
    for (let turns = 0; !this.#isOver; turns++) {
      assert.ok(turns < TURNS_MAX, "a story comes to its end");
      still = seen === this.#moments ? still + 1 : 0;
      seen = this.#moments;
      await settle();
      if (this.#isOver) return;
      if (still < STILL_TURNS) continue;
      // A journal that died never answers.
      const counts = await Promise.race([bench.journal.counts(), this.#over.promise]);
      if (counts === undefined || counts.inbounds.accepted + counts.inbounds.running === 0) return;
      this.#isFull = false;
      await bench.world.clock.advance(5_000);
      await settle();
      if (seen === this.#moments && !this.#isOver) this.#say("/stop");
    }
  }

  async #run(name: string): Promise<string> {
    this.#moment();
    if (name === "hang") return await NEVER;
    if (name === "breaks") throw new Error("no such thing");
    const turns = ++this.#ran * 5 % 4; // those side by side end in another order than they began
    for (let turn = 0; turn < turns; turn++) await new Promise<void>(nextTurn);
    return name === "long" ? LONG.repeat(3) : `done at ${this.#asked}`;
  }

  #moment(): void {
    this.#moments++;
    if (this.#isOver || this.#due.length === 0 || this.#until-- > 0) return;
    const [now, next] = this.#due;
    this.#due = this.#due.slice(1);
    this.#until = next?.after ?? 0;
    if (now !== undefined) this.#happens(now.what);
  }

  #happens(what: typeof HAPPENINGS[number]): void {
    switch (what) {
      case "dies":
        this.#isOver = true;
        this.#over.resolve(undefined);
        this.#disk = this.#bench?.crash();
        return;
      case "ends":
        return this.#end();
      case "is full":
      case "has room":
        this.#isFull = what === "is full";
        return;
      case "hears":
        return this.#say(`message ${++this.#messages}`);
      case "is due": {
        const platformId = `cron:job1:${++this.#messages}`;
        return this.#say("due", { channel: SYSTEM_CHANNEL, platformId, replyChannel: "feishu" });
      }
      case "grows old":
      case "grows late":
        return void this.#bench?.world.clock.advance(what === "grows old" ? 61_000 : 1_860_000);
      default:
        return this.#say(what);
    }
  }

  #end(): void {
    this.#isOver = true;
    this.#ending = this.#bench?.[Symbol.asyncDispose]();
  }

  #say(content: string, change: Partial<NewInbound> = {}): void {
    const wantsStream = this.#messages % 2 === 0;
    this.#bench?.say(content, { wantsStream, ...change }).catch(() => {}); // the disk may be full
  }
}

Deno.test("A replay makes any story again, however its lives ended", async () => {
  await fc.assert(
    fc.asyncProperty(story, async (story) => {
      await using bench = await new Lives(story).run();
      await bench.quiet();
      assertIdentical(await replay(bench), bench.history().length);
    }),
    { numRuns: 60 },
  );
});
