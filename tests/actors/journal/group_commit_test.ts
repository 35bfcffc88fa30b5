import assert from "node:assert/strict";
import { GroupCommit } from "../../../actors/journal/group_commit.ts";
import { JournalError } from "../../../actors/journal/journal.ts";
import type { Durability } from "../../../actors/journal/journal_rows.ts";
import { settle } from "../../support/until.ts";

/** Notes what happens to transactions; a commit fails while `failures` are left. */
class TransactionLog {
  readonly events: string[] = [];
  failures = 0;
  /** What the disk has to do; undefined where it syncs at once. */
  sync: PromiseWithResolvers<void> | undefined;

  transaction(work: () => void, durability: Durability): Promise<void> | undefined {
    this.events.push(durability === "synced" ? "begin" : "begin unsynced");
    try {
      work();
      if (this.failures > 0) {
        this.failures--;
        throw new JournalError("journal_full", "Cannot commit: the disk is full");
      }
      this.events.push("commit");
      return durability === "synced" ? this.sync?.promise : undefined;
    } catch (error) {
      this.events.push("rollback");
      throw error;
    }
  }
}

/** An event loop that turns when the test says so. */
class ManualLoop {
  #callbacks: (() => void)[] = [];
  readonly defer = (callback: () => void): void => void this.#callbacks.push(callback);

  turn(): number {
    const callbacks = this.#callbacks;
    this.#callbacks = [];
    for (const callback of callbacks) callback();
    return callbacks.length;
  }
}

interface World {
  readonly log: TransactionLog;
  readonly loop: ManualLoop;
  readonly calls: GroupCommit;
}

function aWorld(): World {
  const log = new TransactionLog();
  const loop = new ManualLoop();
  return { log, loop, calls: new GroupCommit(log, { defer: loop.defer, now: () => 1_000 }) };
}

/** Work that notes its name. */
function noting(log: TransactionLog, name: string): () => string {
  return () => {
    log.events.push(name);
    return name;
  };
}

Deno.test("GroupCommit puts the calls of one turn into one transaction", async () => {
  const { log, loop, calls } = aWorld();
  const answers = Promise.all(["a", "b", "c"].map((name) => calls.write(noting(log, name))));
  assert.deepEqual(log.events, []);
  assert.equal(loop.turn(), 1);
  assert.deepEqual(log.events, ["begin", "a", "b", "c", "commit"]);
  assert.deepEqual(await answers, ["a", "b", "c"]);
  assert.equal(loop.turn(), 0);
});

Deno.test("GroupCommit answers only after the commit", async () => {
  const { log, loop, calls } = aWorld();
  let isAnswered = false;
  const answer = calls.write(noting(log, "a")).then(() => isAnswered = true);
  await Promise.resolve();
  assert.equal(isAnswered, false);
  loop.turn();
  await answer;
  assert.deepEqual(log.events, ["begin", "a", "commit"]);
});

Deno.test("GroupCommit leaves what is called meanwhile to the next turn", async () => {
  const { log, loop, calls } = aWorld();
  const first = calls.write(noting(log, "a")).then(() => calls.write(noting(log, "b")));
  loop.turn();
  await Promise.resolve();
  await Promise.resolve();
  assert.deepEqual(log.events, ["begin", "a", "commit"]);
  loop.turn();
  assert.equal(await first, "b");
});

Deno.test("GroupCommit splits a burst into groups with a turn between them", async () => {
  const { log, loop, calls } = aWorld();
  const names = Array.from({ length: 600 }, (_, index) => `${index}`);
  const answers = Promise.all(names.map((name) => calls.write(noting(log, name))));
  let turns = 0;
  while (loop.turn() > 0) turns++;
  assert.equal(turns, 3);
  assert.equal(log.events.filter((event) => event === "commit").length, 3);
  assert.deepEqual(await answers, names);
  assert.deepEqual(log.events.filter((event) => Number.isInteger(Number(event))), names);
});

Deno.test("GroupCommit runs a read at once when nothing waits", async () => {
  const { log, loop, calls } = aWorld();
  const answer = calls.read(noting(log, "read"));
  assert.deepEqual(log.events, ["read"]);
  assert.equal(await answer, "read");
  assert.equal(loop.turn(), 0);
});

Deno.test("GroupCommit runs a read after the calls before it", async () => {
  const { log, loop, calls } = aWorld();
  const answers = Promise.all([
    calls.write(noting(log, "a")),
    calls.read(noting(log, "read")),
    calls.write(noting(log, "b")),
  ]);
  loop.turn();
  assert.deepEqual(log.events, ["begin", "a", "read", "b", "commit"]);
  await answers;
});

Deno.test("GroupCommit saves the sync of a group that needs none", async () => {
  const { log, loop, calls } = aWorld();
  const alone = calls.write(noting(log, "a"), "written");
  loop.turn();
  const together = Promise.all([
    calls.write(noting(log, "b"), "written"),
    calls.read(noting(log, "read")),
    calls.write(noting(log, "c"), "written"),
  ]);
  loop.turn();
  const mixed = Promise.all([
    calls.write(noting(log, "d"), "written"),
    calls.write(noting(log, "e")),
  ]);
  loop.turn();
  await Promise.all([alone, together, mixed]);
  assert.deepEqual(log.events, [
    ...["begin unsynced", "a", "commit"],
    ...["begin unsynced", "b", "read", "c", "commit"],
    ...["begin", "d", "e", "commit"],
  ]);
});

Deno.test("GroupCommit lets nobody see what is not on the disk yet", async () => {
  const { log, loop, calls } = aWorld();
  log.sync = Promise.withResolvers();
  const answered: string[] = [];
  const call = (name: string, answer: Promise<string>) => answer.then(() => answered.push(name));
  const first = call("a", calls.write(noting(log, "a")));
  loop.turn();
  const others = [
    call("read", calls.read(noting(log, "read"))),
    call("b", calls.write(noting(log, "b"), "written")),
    call("c", calls.write(noting(log, "c"), "written")),
  ];
  assert.equal(loop.turn(), 0);
  await Promise.resolve();
  assert.deepEqual([log.events, answered], [["begin", "a", "commit"], []]);
  log.sync.resolve();
  await first;
  assert.deepEqual(answered, ["a"]);
  loop.turn();
  await Promise.all(others);
  const [, , , ...later] = log.events;
  assert.deepEqual(later, ["begin unsynced", "read", "b", "c", "commit"]);
});

Deno.test("GroupCommit fails what the disk did not keep, and tells of it", async () => {
  const { log, loop, calls } = aWorld();
  log.sync = Promise.withResolvers();
  const failed = Promise.allSettled([calls.write(noting(log, "a")), calls.write(() => "b")]);
  loop.turn();
  log.sync.reject(new JournalError("journal_failed", "Cannot commit: the disk failed"));
  assert.deepEqual((await failed).map(({ status }) => status), ["rejected", "rejected"]);
  assert.equal(calls.trouble?.code, "journal_failed");
  assert.deepEqual(log.events, ["begin", "a", "commit"]); // it may be there: never done again
});

Deno.test("GroupCommit is closed only when all that waited is on the disk", async () => {
  const { log, loop, calls } = aWorld();
  log.sync = Promise.withResolvers();
  const first = calls.write(noting(log, "a"));
  loop.turn();
  const second = calls.write(noting(log, "b"));
  let isClosed = false;
  const closing = calls.close().then(() => isClosed = true);
  await assert.rejects(calls.write(noting(log, "late")), { code: "journal_closed" });
  assert.equal(isClosed, false);
  log.sync.resolve();
  assert.deepEqual([await first, await second], ["a", "b"]);
  await closing;
  assert.deepEqual(log.events, ["begin", "a", "commit", "begin", "b", "commit"]);
});

Deno.test("GroupCommit tries each call by itself when one of a group fails", async () => {
  const { log, loop, calls } = aWorld();
  const failing = () => {
    throw new RangeError("no");
  };
  const outcomes = Promise.allSettled([
    calls.write(noting(log, "a")),
    calls.write(failing),
    calls.read(noting(log, "read")),
  ]);
  loop.turn();
  assert.deepEqual((await outcomes).map(({ status }) => status), [
    "fulfilled",
    "rejected",
    "fulfilled",
  ]);
  assert.deepEqual(log.events, [
    ...["begin", "a", "rollback"],
    ...["begin", "a", "commit"],
    ...["begin", "rollback"],
    "read",
  ]);
});

Deno.test("GroupCommit fails all calls while the commit fails, and works again after", async () => {
  const { log, loop, calls } = aWorld();
  log.failures = 3;
  const failed = Promise.allSettled(["a", "b"].map((name) => calls.write(noting(log, name))));
  loop.turn();
  for (const outcome of await failed) {
    assert.equal(outcome.status, "rejected");
    assert.equal(outcome.reason.code, "journal_full");
  }
  const after = calls.write(noting(log, "c"));
  loop.turn();
  assert.equal(await after, "c");
});

Deno.test("GroupCommit commits all that waits when it is closed", async () => {
  const { log, loop, calls } = aWorld();
  const answers = Promise.all(
    Array.from({ length: 300 }, (_, index) => calls.write(noting(log, `${index}`))),
  );
  calls.close();
  assert.equal((await answers).length, 300);
  await assert.rejects(calls.write(noting(log, "late")), { code: "journal_closed" });
  await assert.rejects(calls.read(noting(log, "late")), { code: "journal_closed" });
  loop.turn();
  assert.ok(!log.events.includes("late"));
});

Deno.test("GroupCommit answers nobody once it is dead", async () => {
  const { log, loop, calls } = aWorld();
  let answers = 0;
  const count = () => void answers++;
  calls.write(noting(log, "before")).then(count, count);
  calls.die();
  calls.write(noting(log, "after")).then(count, count);
  calls.read(noting(log, "read")).then(count, count);
  loop.turn();
  await Promise.resolve();
  assert.deepEqual([log.events, answers], [[], 0]);
});

Deno.test("GroupCommit knows since when it cannot write, and that it can again", async () => {
  const { log, loop, calls } = aWorld();
  assert.equal(calls.trouble, null);
  log.failures = 3;
  const failed = [calls.write(() => 1), calls.write(() => 2)];
  loop.turn();
  await Promise.allSettled(failed);
  assert.deepEqual(calls.trouble, {
    code: "journal_full",
    message: "Cannot commit: the disk is full",
    sinceMs: 1_000,
  });
  await calls.read(() => 1);
  assert.ok(calls.trouble, "a read proves nothing");
  const works = calls.write(() => 1, "written");
  loop.turn();
  await works;
  assert.equal(calls.trouble, null);
});

Deno.test("GroupCommit sees no trouble of the journal in a step that breaks a rule", async () => {
  const { loop, calls } = aWorld();
  const failed = calls.write(() => {
    throw new RangeError("no");
  });
  loop.turn();
  await assert.rejects(failed, RangeError);
  assert.equal(calls.trouble, null);
});

Deno.test("GroupCommit lets a read wait for the write before it where a call between them failed", async () => {
  const { log, loop, calls } = aWorld();
  log.sync = Promise.withResolvers();
  const written = calls.write(noting(log, "a"));
  const failed = calls.write(() => {
    throw new RangeError("no");
  });
  const read = calls.read(noting(log, "read"));
  loop.turn();
  await settle();
  assert.deepEqual(log.events.slice(-3), ["begin", "a", "commit"]);
  log.sync.resolve();
  await assert.rejects(failed, RangeError);
  assert.deepEqual(await Promise.all([written, read]), ["a", "read"]);
});

Deno.test("GroupCommit that dies between two calls of a broken group writes nothing more", async () => {
  const { log, loop, calls } = aWorld();
  log.sync = Promise.withResolvers();
  void calls.write(noting(log, "a"));
  void calls.write(() => {
    throw new RangeError("no");
  });
  void calls.write(noting(log, "b"));
  loop.turn();
  calls.die();
  log.sync.resolve();
  await settle();
  assert.deepEqual(log.events.slice(-3), ["begin", "a", "commit"]);
});
