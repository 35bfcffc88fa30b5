/**
 * What the journal keeps of what turns took in.
 * @module
 */

import assert from "node:assert/strict";
import type { StepRecord } from "../../../actors/journal/journal.ts";
import { BEGIN, END, SESSION } from "../../actors/journal/fixtures.ts";
import { BROKEN, type Contract } from "./harness.ts";

function aRecord(fields: Partial<StepRecord> = {}): StepRecord {
  return { sessionKey: SESSION, turnId: "t1", atMs: 1_000, text: "{}", ...fields };
}

/** Records. */
export function testRecords(contract: Contract): void {
  contract.test("gives a session's records in order and in pages, after a restart too", async ({ home, journal }) => {
    await journal.commit({ ...BEGIN, records: [aRecord({ text: '"a\0"' })] });
    await journal.commit({
      records: [aRecord({ sessionKey: "feishu:oc_2" }), aRecord({ text: "b" })],
    });
    await journal.commit({ records: [aRecord({ text: "c" })] });
    await journal[Symbol.asyncDispose]();
    await using reopened = home.open();
    const first = await reopened.records(SESSION, 0, 2);
    const rest = await reopened.records(SESSION, first.at(-1)?.place ?? 0, 9);
    assert.deepEqual([...first, ...rest].map(({ text }) => text), ['"a\0"', "b", "c"]);
    assert.deepEqual({ ...first[0], place: 0 }, { ...aRecord({ text: '"a\0"' }), place: 0 });
  });

  contract.test("keeps no record of a step that is not possible", async ({ journal }) => {
    await assert.rejects(journal.commit({ ...END, records: [aRecord()] }), BROKEN);
    assert.deepEqual(await journal.records(SESSION, 0, 9), []);
  });

  contract.test("forgets the records of a session that begins anew, and no others", async ({ journal }) => {
    await journal.commit({ records: [aRecord(), aRecord({ sessionKey: "feishu:oc_2" })] });
    await journal.commit({ recordsReset: SESSION, records: [aRecord({ text: "new" })] });
    assert.deepEqual((await journal.records(SESSION, 0, 9)).map(({ text }) => text), ["new"]);
    assert.equal((await journal.records("feishu:oc_2", 0, 9)).length, 1);
  });

  contract.test("puts a text in the place of the same one", async ({ journal }) => {
    const text = { sessionKey: "#digest", turnId: "" };
    for (const atMs of [1, 2]) await journal.commit({ records: [aRecord({ ...text, atMs })] });
    assert.deepEqual((await journal.records("#digest", 0, 9)).map(({ atMs }) => atMs), [2]);
  });

  contract.test("forgets old records, a few at a time", async ({ journal }) => {
    const records = [1, 2, 3, 4].map((second) =>
      aRecord({ atMs: second * 1_000, text: `${second}` })
    );
    await journal.commit({ records });
    const old = { finishedBeforeMs: 4_000, forgottenBeforeMs: 0, rowsMax: 2 };
    assert.equal(await journal.prune(old), true);
    assert.equal((await journal.records(SESSION, 0, 9)).length, 2);
    assert.equal(await journal.prune(old), false);
    assert.deepEqual((await journal.records(SESSION, 0, 9)).map(({ text }) => text), ["4"]);
  });
}
