/**
 * Connecting, losing the connection, and stopping.
 * @module
 */

import assert from "node:assert/strict";
import type { Contract } from "./contract.ts";

/** Registers the tests. */
export function testLife(contract: Contract): void {
  if (contract.channel.isServer !== true) testReaching(contract);

  contract.test("hands in what was said while it did not run", async (running) => {
    const { platform } = running;
    platform.userSays({ text: "before" });
    await running.hasTexts(1);
    await running.stop();
    platform.userSays({ text: "meanwhile" });
    await running.restart();
    assert.deepEqual(await running.hasTexts(2), ["before", "meanwhile"]);
  });

  contract.test("stops at once and leaves nothing behind", async (running) => {
    await running.stop();
    assert.equal(running.state, "stopped");
    await running.passUntil(() => running.platform.open === 0, "the end of all connections");
    assert.equal(running.timers, 0);
  });

  contract.testStart("ends with a reason when its credentials are wrong", async (running) => {
    await running.passUntil(() => running.ended !== undefined, "the end of the channel");
    assert.equal(running.state, "failed");
    assert.match(running.ended?.error ?? "", /^Cannot .+: .+/);
  }, { hasBadCredentials: true });
}

/** Of a platform that is somewhere else. */
function testReaching(contract: Contract): void {
  contract.testStart("connects though the platform cannot be reached at first", async (running) => {
    running.platform.goOffline();
    await running.letPass(5_000);
    assert.notEqual(running.state, "ready");
    assert.equal(running.ended, undefined);
    running.platform.comeBack();
    await running.isReady();
  });

  contract.test("says that it lost the connection, and loses no message over it", async (running) => {
    const { platform } = running;
    platform.userSays({ text: "before" });
    await running.hasTexts(1);
    platform.goOffline();
    await running.passUntil(() => running.state === "reconnecting", "the loss of the connection");
    platform.userSays({ text: "meanwhile" });
    await running.letPass(5_000);
    platform.comeBack();
    await running.isReady();
    platform.userSays({ text: "after" });
    const texts = await running.hasTexts(3);
    assert.deepEqual(texts.toSorted(), ["after", "before", "meanwhile"]);
  });

  contract.test("ends with a reason when it is shut out, and gives no answer up", async (running) => {
    running.platform.shutOut();
    const outcome = await running.deliver({ key: "turn-1:0", text: "Hello" });
    assert.equal(outcome.state === "failed" && outcome.code, "delivery_transient");
    await running.passUntil(() => running.ended !== undefined, "the end of the channel");
    assert.equal(running.state, "failed");
    assert.match(running.ended?.error ?? "", /^Cannot sign in .+: .+/);
  });
}
