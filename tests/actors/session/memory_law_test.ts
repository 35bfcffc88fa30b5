import assert from "node:assert/strict";
import fc from "fast-check";
import { wellFormed } from "../../../actors/session/history.ts";
import type { ChatRequest } from "../../../providers/provider.ts";
import { BenchArchive } from "../../support/bench_archive.ts";
import { providerError, type Script } from "../../support/scripted_provider.ts";
import { type Disk, SessionBench } from "../../support/session_bench.ts";
import { settle, until } from "../../support/until.ts";

const FILE = "feishu_oc_1.jsonl";
const SESSION = "feishu:oc_1";
/** Some ten messages of the size below. */
const WINDOW = { contextWindowTokens: 3_524, tokensMax: 500 };

/** What may happen to a conversation. */
type Event =
  | { readonly type: "say"; readonly chars: number; readonly tools: number }
  | { readonly type: "begin_anew" }
  | { readonly type: "compact" }
  | { readonly type: "time_passes" }
  | { readonly type: "model"; readonly isUp: boolean }
  | { readonly type: "memory"; readonly isUp: boolean }
  /** Of the disk that lines go to. */
  | { readonly type: "disk"; readonly isUp: boolean }
  /** The process, or the power, dies at a commit that follows, or now where none does. */
  | { readonly type: "die"; readonly commits: number; readonly what: "process" | "power" };

const anyEvent: fc.Arbitrary<Event> = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record({
      type: fc.constant("say" as const),
      chars: fc.integer({ min: 0, max: 1_200 }),
      tools: fc.integer({ min: 0, max: 2 }),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ type: "begin_anew" as const }) },
  { weight: 2, arbitrary: fc.constant({ type: "compact" as const }) },
  { weight: 2, arbitrary: fc.constant({ type: "time_passes" as const }) },
  {
    weight: 1,
    arbitrary: fc.record({ type: fc.constant("model" as const), isUp: fc.boolean() }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ type: fc.constant("memory" as const), isUp: fc.boolean() }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ type: fc.constant("disk" as const), isUp: fc.boolean() }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constant("die" as const),
      commits: fc.integer({ min: 0, max: 8 }),
      what: fc.constantFrom("process" as const, "power" as const),
    }),
  },
);

/** A conversation over all lives of its process. */
class World {
  readonly archive = new BenchArchive();
  readonly requests: ChatRequest[] = [];
  isModelUp = true;
  said = 0;
  #commitsLeft = Infinity;
  #whatDies: "process" | "power" = "process";
  #isDiskUp = true;
  #bench: SessionBench;

  constructor() {
    this.#bench = this.#live();
  }

  get bench(): SessionBench {
    return this.#bench;
  }

  async happens(event: Event): Promise<void> {
    if (this.#commitsLeft < 0) await this.#reborn();
    switch (event.type) {
      case "say":
        return await this.#say(`q${this.said++}x ${event.tools} ${"w".repeat(event.chars)}`);
      case "begin_anew":
        return await this.#say("/new");
      case "compact":
        this.#bench.session.tell({ type: "compact", idleMs: 0 });
        return await settle();
      case "time_passes":
        return await this.#bench.world.clock.advance(3_700_000);
      case "model":
        this.isModelUp = event.isUp;
        return;
      case "memory":
        this.archive.fault = () => {
          if (!event.isUp) throw new Error("busy");
        };
        return;
      case "disk":
        this.#isDiskUp = event.isUp;
        return;
      case "die":
        this.#whatDies = event.what;
        return await this.#die(event.commits);
    }
  }

  /** All is well again, and what was begun comes to its end. */
  async comesToRest(): Promise<void> {
    this.#isDiskUp = true;
    await this.#reborn();
    this.isModelUp = true;
    this.archive.fault = () => {};
    this.#bench.session.tell({ type: "wake" });
    await this.#bench.quiet();
    await until(async () => {
      await this.#bench.world.clock.advance(60_000);
      this.#bench.session.tell({ type: "wake" });
      await settle();
      const { journal, provider } = this.#bench;
      const notes = await Promise.all(
        ["consolidation", "ended", "clear"].map((name) => journal.note(`${name}:${SESSION}`)),
      );
      return notes.every((note) => note === null) && provider.running === 0;
    }, { what: "rest" });
    await settle();
  }

  async #say(text: string): Promise<void> {
    const inbound = await this.#bench.accept(text).catch(() => undefined);
    if (inbound !== undefined) this.#bench.session.tell({ type: "inbound_accepted", inbound });
    else if (text !== "/new") this.said--;
    await this.#untilQuiet();
  }

  async #untilQuiet(): Promise<void> {
    await until(async () => {
      if (this.#commitsLeft < 0) return true;
      const { accepted, running } = (await this.#bench.journal.counts()).inbounds;
      return accepted + running === 0;
    });
    if (this.#commitsLeft < 0) await this.#reborn();
  }

  async #die(commits: number): Promise<void> {
    if (commits === 0) return await this.#reborn();
    this.#commitsLeft = commits;
    await settle();
  }

  async #reborn(): Promise<void> {
    const dead = this.#bench;
    const disk = dead.crash(this.#whatDies);
    await dead[Symbol.asyncDispose]();
    this.#commitsLeft = Infinity;
    this.#bench = this.#live(disk);
    this.#bench.session.tell({ type: "wake" });
    await this.#untilQuiet();
  }

  #live(disk?: Disk): SessionBench {
    const bench = new SessionBench({
      ...(disk && { disk }),
      settings: WINDOW,
      script: this.#script(),
      tools: { read: { run: () => "r".repeat(600) } },
      services: { archive: this.archive },
      onCommit: (phase) => {
        if (phase === "after" || this.#commitsLeft === Infinity) return;
        if (--this.#commitsLeft < 0) throw new Error("the process dies");
      },
    });
    bench.files.fault = (action, name) => {
      if (!this.#isDiskUp && action === "append" && name === FILE) {
        throw new Error("no space left on device");
      }
    };
    return bench;
  }

  /** Summaries name the messages that they are of. */
  #script(): Script {
    return (request) => {
      const error = providerError("provider_overloaded");
      const asked = String(request.messages[1]?.content);
      if (request.conversationId.endsWith("#summary")) {
        if (!this.isModelUp) return { error };
        return `- ${asked.match(/USER: q\d+x/g)?.join(" ") ?? "nobody said anything"}`;
      }
      this.requests.push(request);
      const lastUser = request.messages.findLastIndex(({ role }) => role === "user");
      const wanted = Number(/q\d+x (\d)/.exec(JSON.stringify(request.messages[lastUser]))?.[1]);
      const used = request.messages.slice(lastUser).filter(({ role }) => role === "tool").length;
      return used < wanted ? { calls: [{ name: "read", args: { used } }] } : "a".repeat(400);
    };
  }
}

function countIn(text: string, word: string): number {
  return text.split(word).length - 1;
}

Deno.test("No message is lost or doubled, whatever is summed up, compacted, ended or cut off", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyEvent, { minLength: 20, maxLength: 60 }), async (events) => {
      const world = new World();
      try {
        for (const event of events) await world.happens(event);
        await world.comesToRest();
        const file = world.bench.files.texts.get(FILE) ?? "";
        const lines = file.split("\n").filter((line) => !line.includes('"_type"')).join("\n");
        const archived = world.archive.texts.join("\n");
        for (let n = 0; n < world.said; n++) {
          const inFile = countIn(lines, `"q${n}x `);
          const inArchive = countIn(archived, `q${n}x`);
          assert.ok(inFile <= 1, `q${n} stands ${inFile} times in the file`);
          assert.ok(inArchive <= 1, `q${n} was archived ${inArchive} times`);
          assert.ok(inFile + inArchive >= 1, `q${n} is lost`);
        }
        for (const { messages: [system, ...conversation] } of world.requests) {
          assert.equal(system?.role, "system");
          assert.deepEqual(wellFormed(conversation), conversation);
        }
      } finally {
        await world.bench[Symbol.asyncDispose]();
      }
    }),
    { numRuns: 60 },
  );
});
