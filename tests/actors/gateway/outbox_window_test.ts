import assert from "node:assert/strict";
import fc from "fast-check";
import { OutboxWindow } from "../../../actors/gateway/outbox_window.ts";
import { OutboxBench, SENT } from "../../support/outbox_bench.ts";
import { newOutbound } from "../../support/outbound.ts";

interface Row {
  readonly id: number;
  readonly key: string;
  readonly chatId: string;
}

/** A journal of rows for one window: what is added, read and done. */
class Rows {
  readonly window = new OutboxWindow("feishu");
  readonly unsent = new Map<number, Row>();
  /** Rows in memory, by chat, in the order in which they came. */
  readonly lanes = new Map<string, Row[]>();
  #ids = 0;

  add(chatId: string, isTold: boolean): void {
    const id = ++this.#ids;
    const row = { id, key: `k${id}`, chatId };
    this.unsent.set(id, row);
    if (!isTold) this.window.miss();
    else if (this.window.take(row) === "entered") this.#enter(row);
  }

  /** Reads until nothing is left to read. */
  readAll(): void {
    for (;;) {
      const query = this.window.nextQuery();
      if (query === undefined) return;
      const { afterId, limit, chatId, withoutChats = [] } = query;
      const rows = [...this.unsent.values()]
        .filter((row) => row.id > afterId && !withoutChats.includes(row.chatId))
        .filter((row) => chatId === undefined || row.chatId === chatId)
        .slice(0, limit);
      for (const row of this.window.arrived(rows)) this.#enter(row);
    }
  }

  /** The head of a chat's lane is sent. */
  finish(chatId: string): Row | undefined {
    const row = this.lanes.get(chatId)?.shift();
    if (row === undefined) return undefined;
    this.unsent.delete(row.id);
    this.window.leave(row.key);
    return row;
  }

  #enter(row: Row): void {
    this.lanes.set(row.chatId, [...this.lanes.get(row.chatId) ?? [], row]);
  }
}

Deno.test("OutboxWindow loses no row, doubles none and keeps the order of each chat", () => {
  const action = fc.oneof(
    fc.record({ type: fc.constant("add" as const), chat: fc.nat(3), isTold: fc.boolean() }),
    fc.record({ type: fc.constant("burst" as const), chat: fc.nat(3), count: fc.nat(60) }),
    fc.record({ type: fc.constant("finish" as const), chat: fc.nat(3) }),
    fc.record({ type: fc.constant("read" as const) }),
  );
  fc.assert(fc.property(fc.array(action, { maxLength: 60 }), (actions) => {
    const rows = new Rows();
    const done: Row[] = [];
    const finish = (chat: number) => {
      const row = rows.finish(`oc_${chat}`);
      if (row !== undefined) done.push(row);
      rows.readAll();
    };
    for (const action of actions) {
      if (action.type === "add") rows.add(`oc_${action.chat}`, action.isTold);
      else if (action.type === "burst") {
        for (let n = 0; n < action.count; n++) rows.add(`oc_${action.chat}`, true);
      } else if (action.type === "finish") finish(action.chat);
      else rows.readAll();
    }
    rows.readAll();
    while (rows.unsent.size > 0) {
      const before = rows.unsent.size;
      for (let chat = 0; chat < 4; chat++) finish(chat);
      assert.ok(rows.unsent.size < before, "no row stays out of reach");
    }
    for (const chat of Map.groupBy(done, ({ chatId }) => chatId).values()) {
      const ids = chat.map(({ id }) => id);
      assert.deepEqual(ids, ids.toSorted((a, b) => a - b));
      assert.equal(new Set(ids).size, ids.length);
    }
    assert.equal(rows.window.size, 0);
  }));
});

Deno.test("OutboxWindow lets a chat with many rows leave room for others", () => {
  const rows = new Rows();
  for (let n = 0; n < 10_000; n++) rows.add("oc_dead", false);
  rows.add("oc_alive", false);
  rows.readAll();
  assert.deepEqual(rows.lanes.get("oc_alive")?.length, 1);
  assert.ok(rows.window.size < 100, `${rows.window.size} rows in memory`);
});

Deno.test("OutboxWindow holds a bounded part of a queue over many chats", () => {
  const rows = new Rows();
  for (let n = 0; n < 20_000; n++) rows.add(`oc_${n}`, n % 2 === 0);
  rows.readAll();
  assert.ok(rows.window.size <= 2_000, `${rows.window.size} rows in memory`);
});

Deno.test("OutboxWindow leaves it to the journal what became of a row it hears of late", () => {
  const window = new OutboxWindow("feishu");
  assert.ok(window.nextQuery());
  assert.deepEqual(window.arrived([]), []);
  assert.equal(window.take({ id: 2, key: "b", chatId: "oc_1" }), "entered");
  assert.equal(window.take({ id: 1, key: "a", chatId: "oc_1" }), "behind");
});

Deno.test.each([true, false])("OutboxWindow misses nothing before a row (%s)", (hasRead) => {
  const rows = new Rows();
  if (hasRead) rows.readAll();
  for (let n = 0; n < 20; n++) rows.add("oc_1", true); // more than one chat has in memory
  rows.add("oc_2", true);
  const last = rows.unsent.get(20);
  assert.ok(last);
  assert.equal(rows.window.take(last), "later"); // an answer that grew is complete
  assert.equal(rows.window.takeAgain(last), false);
  rows.readAll();
  const done: number[] = [];
  for (let row = rows.finish("oc_1"); row !== undefined; row = rows.finish("oc_1")) {
    done.push(row.id);
    rows.readAll();
  }
  assert.deepEqual(done, Array.from({ length: 20 }, (_, n) => n + 1));
});

Deno.test("Outbox sends all of a long queue in the order of each chat, and keeps little in memory", async () => {
  await using bench = new OutboxBench({ isReady: false });
  const keys = Array.from({ length: 500 }, (_, n) => `k${n}`);
  await bench.journal.commit({
    outbounds: keys.map((key, n) => newOutbound({ key, chatId: n % 50 === 0 ? "oc_2" : "oc_1" })),
  });
  bench.outbox.tell({ type: "refill" });
  bench.outbox.tell({ type: "channel_ready", isStreaming: true });
  await bench.settle();
  for (let done = 0; done < keys.length; done++) {
    const report = await bench.outbox.ask<{ waiting: number }>(
      (replyTo) => ({ type: "report_outbox", replyTo }),
      { timeoutMs: 1_000 },
    );
    assert.ok(report.waiting <= 40);
    await bench.attempt(done).settle(SENT);
  }
  const sent = bench.attempts.map(({ delivery }) => delivery);
  for (const chat of Map.groupBy(sent, ({ chatId }) => chatId).values()) {
    const numbers = chat.map(({ key }) => Number(key.slice(1)));
    assert.deepEqual(numbers, numbers.toSorted((a, b) => a - b));
  }
  assert.equal((await bench.journal.counts()).outbounds.sent, keys.length);
});

Deno.test("Outbox hears of an answer's end although its news was merged away", async () => {
  await using bench = new OutboxBench();
  await bench.commit(newOutbound({ key: "t:0", state: "open" }));
  await bench.journal.commit({ outbounds: [newOutbound({ key: "t:0", content: "all of it" })] });
  bench.outbox.tell({ type: "refill" });
  await bench.settle();
  assert.deepEqual(bench.attempts.map(({ delivery }) => delivery.text), ["all of it"]);
});
