/**
 * What a journal does with messages whose text and media come later, and with those taken back.
 * @module
 */

import assert from "node:assert/strict";
import { accepted, END, running, SESSION } from "../../actors/journal/fixtures.ts";
import type { Contract } from "./harness.ts";

const COMPLETED = { content: "a picture", media: ["/media/om_1.png"] } as const;

/** Drafts and their completion. */
export function testDrafts(contract: Contract): void {
  contract.test("keeps what a draft is completed from, after a restart too", async (world) => {
    const { home, journal } = world;
    const draft = { type: "image", deep: [1, { key: "img_1" }] };
    const taken = await accepted(journal, { draft, content: "" });
    assert.deepEqual(taken.draft, draft);
    await journal[Symbol.asyncDispose]();
    await using reopened = home.open();
    assert.deepEqual(await reopened.drafts("feishu", 0, 10), [taken]);
    assert.deepEqual(await reopened.waiting(SESSION, 0, 10), [taken]);
  });

  contract.test("completes a draft once, in its place", async ({ journal }) => {
    const draft = await accepted(journal, { draft: { type: "image" }, content: "" });
    const text = await accepted(journal, { platformId: "om_2" });
    const completion = { channel: "feishu", platformId: "om_1", ...COMPLETED };
    const row = { ...draft, ...COMPLETED, draft: null };
    assert.deepEqual(await journal.complete(completion), row);
    assert.deepEqual(await journal.waiting(SESSION, 0, 10), [row, text]);
    assert.deepEqual(await journal.drafts("feishu", 0, 10), []);
    assert.equal(await journal.complete({ ...completion, content: "again" }), null);
    assert.deepEqual(await journal.inbound("feishu", "om_1"), row);
  });

  contract.test("completes neither what ended meanwhile nor what is no draft", async (world) => {
    const { journal } = world;
    const { seq } = await accepted(journal, { draft: {} });
    await accepted(journal, { platformId: "om_2" });
    await journal.commit({ inbounds: [{ seq, state: "stopped" }] });
    for (const platformId of ["om_1", "om_2", "om_3"]) {
      assert.equal(await journal.complete({ channel: "feishu", platformId, ...COMPLETED }), null);
    }
    assert.deepEqual(await journal.drafts("feishu", 0, 10), []);
  });

  contract.test("gives the drafts of one channel by pages, in order", async ({ journal }) => {
    for (const platformId of ["om_1", "om_2", "om_3"]) {
      await accepted(journal, { platformId, draft: { platformId } });
    }
    await accepted(journal, { channel: "telegram", draft: {} });
    const [first] = await journal.drafts("feishu", 0, 1);
    assert.equal(first?.platformId, "om_1");
    const others = await journal.drafts("feishu", first.seq, 10);
    assert.deepEqual(others.map(({ platformId }) => platformId), ["om_2", "om_3"]);
  });
}

/** Messages that their sender takes back. */
export function testWithdrawing(contract: Contract): void {
  contract.test("stops a message that waits when it is withdrawn", async ({ journal }) => {
    const { seq } = await accepted(journal);
    assert.equal(await journal.withdraw(seq), true);
    assert.equal((await journal.inbound("feishu", "om_1"))?.state, "stopped");
    assert.deepEqual(await journal.waiting(SESSION, 0, 10), []);
    assert.equal(await journal.withdraw(seq), false);
  });

  contract.test("withdraws nothing that runs, has ended or was never there", async (world) => {
    const { journal } = world;
    const { seq } = await running(journal);
    assert.equal(await journal.withdraw(seq), false);
    await journal.commit({ ...END, inbounds: [{ seq, state: "done" }] });
    assert.equal(await journal.withdraw(seq), false);
    assert.equal(await journal.withdraw(99), false);
    assert.equal((await journal.inbound("feishu", "om_1"))?.state, "done");
    assert.equal(await journal.inbound("feishu", "om_9"), null);
  });
}
