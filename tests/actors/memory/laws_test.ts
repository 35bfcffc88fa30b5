import assert from "node:assert/strict";
import fc from "fast-check";
import { MemoryKeeper } from "../../../actors/memory/memory_keeper.ts";
import { MemoryScope } from "../../../actors/memory/scope.ts";
import { ManualClock } from "../../support/manual_clock.ts";
import { ListedVersions, MemoryWorkspace } from "../../support/memory_files.ts";

const { global } = MemoryScope;
const MEMORY = "memory/MEMORY.md";

/** Lines of the file that people change, between lines that Dream adds to. */
const GROUND = ["# By hand", "-", "# By Dream", "-"].join("\n") + "\n";

type Move =
  | { readonly type: "append"; readonly key: number }
  | { readonly type: "dream"; readonly size: number }
  /** An edit by hand, now or in the middle of what comes next. */
  | { readonly type: "by_hand"; readonly after: number }
  | { readonly type: "crash"; readonly after: number }
  | { readonly type: "restore" };

const MOVES: fc.Arbitrary<readonly Move[]> = fc.array(
  fc.oneof(
    fc.record({ type: fc.constant("append" as const), key: fc.nat(15) }),
    fc.record({ type: fc.constant("dream" as const), size: fc.integer({ min: 1, max: 4 }) }),
    fc.record({ type: fc.constant("by_hand" as const), after: fc.nat(20) }),
    fc.record({ type: fc.constant("crash" as const), after: fc.nat(12) }),
    fc.record({ type: fc.constant("restore" as const) }),
  ),
  { maxLength: 30 },
);

class Crash extends Error {}

/** A memory whose process dies at any change of a file, and which people edit at any moment. */
class World {
  readonly files = new MemoryWorkspace({ [MEMORY]: GROUND });
  readonly versions = new ListedVersions();
  keeper: MemoryKeeper = this.#newKeeper();
  /** Keys whose append was answered. */
  readonly appended = new Set<number>();
  byHand = 0;
  restored = false;
  #crashAfter = Infinity;
  #handAfter = Infinity;

  constructor() {
    this.files.fault = (action) => {
      if (--this.#handAfter < 0) this.#editByHand();
      if (action !== "read" && --this.#crashAfter < 0) throw new Crash("the process is dead");
    };
  }

  async move(move: Move): Promise<void> {
    try {
      await this.#make(move);
    } catch (error) {
      if (!(error instanceof Error && error.cause instanceof Crash)) throw error;
      this.#crashAfter = Infinity;
      this.keeper = this.#newKeeper();
    }
  }

  /** The process lives, to the end. */
  async settle(): Promise<void> {
    this.#crashAfter = Infinity;
    this.#handAfter = Infinity;
    this.keeper = this.#newKeeper();
    await this.keeper.open();
  }

  async dream(size: number): Promise<boolean> {
    const batch = await this.keeper.nextBatch(global, { entriesMax: size, charsMax: 10_000 });
    const last = batch?.entries.at(-1);
    if (batch === null || last === undefined) return false;
    const digested = batch.entries.map(({ content }) => `${content}.\n`).join("");
    await this.keeper.finishBatch({
      scope: global,
      cursor: last.cursor,
      base: batch.texts,
      texts: { ...batch.texts, MEMORY: batch.texts.MEMORY + digested },
      proposals: new Map(),
      lastTimestamp: last.timestamp,
    });
    return true;
  }

  async #make(move: Move): Promise<void> {
    switch (move.type) {
      case "append": {
        const key = String(move.key);
        const entry = { content: `entry ${key}`, key, sessionKey: "s", kind: "summary" as const };
        await this.keeper.append(global, entry);
        this.appended.add(move.key);
        return;
      }
      case "dream":
        return void await this.dream(move.size);
      case "by_hand":
        if (move.after === 0) this.#editByHand();
        else this.#handAfter = move.after;
        return;
      case "crash":
        this.#crashAfter = move.after;
        return;
      case "restore": {
        const newest = this.versions.versions.findLast(({ message }) =>
          message.startsWith("dream")
        );
        if (newest === undefined) return;
        this.restored = true;
        await this.keeper.restoreVersion(newest.id);
      }
    }
  }

  #editByHand(): void {
    this.#handAfter = Infinity;
    this.byHand++;
    const text = this.files.texts.get(MEMORY) ?? "";
    this.files.texts.set(MEMORY, text.replace("# By hand\n", `# By hand\nhand ${this.byHand}\n`));
  }

  #newKeeper(): MemoryKeeper {
    const { files, versions } = this;
    return new MemoryKeeper({ files, versions, clock: new ManualClock(), timezone: "UTC" });
  }
}

Deno.test("No entry is lost or digested twice, and no edit by hand lost, whatever happens", async () => {
  await fc.assert(
    fc.asyncProperty(MOVES, async (moves) => {
      const world = new World();
      for (const move of moves) await world.move(move);
      await world.settle();
      while (await world.dream(3)) { /* to the end of the backlog */ }
      await world.keeper.lineAges(global, ""); // keeps what was edited by hand last
      const text = world.files.texts.get(MEMORY) ?? "";
      const lines = text.split("\n");
      const digested = lines.filter((line) => line.startsWith("entry "));
      assert.equal(new Set(digested).size, digested.length, `digested twice: ${text}`);
      if (!world.restored) {
        for (const key of world.appended) {
          assert.ok(digested.includes(`entry ${key}.`), `lost entry ${key}: ${text}`);
        }
      }
      for (let hand = 1; hand <= world.byHand; hand++) {
        assert.ok(lines.includes(`hand ${hand}`), `lost edit ${hand}: ${text}`);
      }
      const history = (world.files.texts.get("memory/history.jsonl") ?? "").split("\n")
        .filter((line) => line !== "").map((line) => JSON.parse(line));
      const cursors = history.map(({ cursor }) => cursor);
      assert.deepEqual(cursors, cursors.map((_cursor, index) => index + 1));
      assert.equal(new Set(history.map(({ id }) => id)).size, history.length);
      assert.equal(world.files.texts.has("memory/.pending"), false);
      assert.equal(world.versions.versions.at(-1)?.files.get(MEMORY), text);
    }),
    { numRuns: 400 },
  );
});
