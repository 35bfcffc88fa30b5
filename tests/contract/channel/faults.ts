/**
 * Sends that fail, and sends of which nobody knows whether they failed.
 * @module
 */

import assert from "node:assert/strict";
import type { Contract } from "./contract.ts";
import type { UnclearFailure } from "./harness.ts";
import { wordsOf } from "./outbound.ts";
import type { RunningChannel, Showing } from "./running.ts";

const KEY = "turn-1:0";
const NOTICE = "(This may be a repetition)";
const RATE_WAIT_MS = 7_000;
const UNCLEAR: readonly (readonly [UnclearFailure, string])[] = [
  ["lost_answer", "was lost"],
  ["half_answer", "came in half"],
  ["garbled_answer", "cannot be read"],
];
/** A new Worker does not know how much the dead one has sent just now. */
const NEW_WORKER_MS = 10_000;

/** Registers the tests. */
export function testFaults(contract: Contract): void {
  const { aliceChatId } = contract.channel;
  const textsIn = textsOf(contract);

  contract.test("says that a failure may pass, and shows the answer once later", async (running) => {
    running.platform.failNext("busy");
    const outcomes = await running.showAtLast({ key: KEY, text: "Hello" });
    for (const outcome of outcomes.slice(0, -1)) {
      assert.notEqual(outcome.state === "failed" && outcome.code, "delivery_permanent");
    }
    assert.deepEqual(textsIn(running), ["Hello"]);
  });

  if (contract.channel.isServer !== true) testRefusals(contract);

  for (const [failure, what] of UNCLEAR) {
    contract.test(`shows an answer of which the receipt ${what} once, or says so`, async (running) => {
      running.platform.failNext(failure);
      await settleDoubt(running, { key: KEY, text: "Hello" });
      assert.ok(isOnceOrAnnounced(textsIn(running), "Hello"), textsIn(running).join(" / "));
    });
  }

  contract.test("goes on with the part that is missing", async (running) => {
    const { platform } = running;
    const words = Array.from({ length: 6_000 }, (_, index) => `word${index}`);
    const showing = { key: KEY, text: words.join(" ") };
    let saves = 0;
    running.gateway.onRemember = () => {
      if (saves++ === 1) platform.failNext("busy");
    };
    await running.deliver(showing);
    await running.letPass(NEW_WORKER_MS);
    await running.restart();
    await settleDoubt(running, showing);
    assert.deepEqual(wordsOf(platform.shown(aliceChatId)), words);
  });
}

function testRefusals(contract: Contract): void {
  const textsIn = textsOf(contract);

  contract.test("says that a failure is permanent when the platform says so", async (running) => {
    running.platform.failNext("forbidden");
    const outcome = await running.deliver({ key: KEY, text: "Hello" });
    assert.equal(outcome.state === "failed" && outcome.code, "delivery_permanent");
    assert.deepEqual(textsIn(running), []);
  });

  contract.test("waits as long as the platform asks", async (running) => {
    const { platform } = running;
    platform.limitRate(RATE_WAIT_MS);
    const first = await running.deliver({ key: KEY, text: "Hello" });
    if (first.state === "failed") {
      assert.equal(first.code, "delivery_transient");
      assert.ok((first.retryAfterMs ?? 0) >= RATE_WAIT_MS, `${first.retryAfterMs}`);
      assert.deepEqual(textsIn(running), []);
      await running.letPass(first.retryAfterMs ?? 0);
      await running.show({ key: KEY, text: "Hello" });
    }
    assert.deepEqual(textsIn(running), ["Hello"]);
  });

  contract.test("does so also when its Worker died meanwhile", async (running) => {
    running.platform.failNext("lost_answer");
    const showing = { key: KEY, text: "Hello" };
    assert.notEqual((await running.deliver(showing)).state, "sent");
    await running.restart();
    await settleDoubt(running, showing);
    assert.ok(isOnceOrAnnounced(textsIn(running), "Hello"), textsIn(running).join(" / "));
  });
}

function textsOf({ channel: { aliceChatId } }: Contract): (running: RunningChannel) => string[] {
  return ({ platform }) => platform.shown(aliceChatId).map(({ text }) => text);
}

/** What the outbox does: tries again, looks up what is in doubt, repeats only with a notice. */
async function settleDoubt(running: RunningChannel, showing: Showing): Promise<void> {
  let notice: Pick<Showing, "notice"> = {};
  for (let attempt = 0; attempt < 6; attempt++) {
    const outcome = await running.deliver({ ...showing, ...notice });
    if (outcome.state === "sent") return;
    if (outcome.code === "delivery_unknown") {
      const found = await running.lookUp(showing);
      if (found === "arrived") return;
      if (found === "cannot_tell") notice = { notice: NOTICE };
    }
    await running.letPass(outcome.retryAfterMs ?? 1_000);
  }
  throw new Error(`Cannot settle "${showing.key}"`);
}

function isOnceOrAnnounced(texts: readonly string[], text: string): boolean {
  if (texts.length === 1) return texts[0] === text;
  const [first, ...rest] = texts;
  const repetition = rest.join("\n");
  return first === text && repetition.startsWith(NOTICE) && repetition.endsWith(text) &&
    repetition.split(text).length === 2;
}
