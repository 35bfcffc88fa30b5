/**
 * How calls end that do not end by themselves.
 * @module
 */

import assert from "node:assert/strict";
import type { ChatEvent } from "../../../providers/provider.ts";
import { type ModelReply, say, type StreamStep } from "../../simulators/model_server.ts";
import { askAll, chatRequest, errorOf, responseOf } from "../../support/chat.ts";
import { until } from "../../support/until.ts";
import { type Contract, NEVER, STALL_MS, type World } from "./harness.ts";

const TEXT: StreamStep = { type: "text", text: "half" };
const SILENT: readonly (readonly [string, ModelReply])[] = [
  ["before the headers", { ...say("x"), headersAfter: "never" }],
  ["during the answer", { steps: [TEXT, { type: "stall" }] }],
];

/** Stalls, aborts, readers that leave, connections. */
export function testEndings(contract: Contract): void {
  for (const [when, reply] of SILENT) {
    contract.test(`gives up on a server that stalls ${when}, and hangs up`, async (world) => {
      const { reading, seen, request } = await begin(world, reply);
      await until(() => world.clock.pending > 0);
      await world.clock.advance(STALL_MS);
      await reading;
      const error = errorOf(seen);
      assert.equal(error.code, "provider_timeout");
      assert.match(error.message, /stream stalled for more than 90 seconds/);
      assert.equal(await request.ended, "aborted");
      assert.equal(world.clock.pending, 0);
    });

    contract.test(`stops ${when} when its caller aborts`, async (world) => {
      const controller = new AbortController();
      const { reading, seen, request } = await begin(world, reply, controller.signal);
      controller.abort();
      await reading;
      assert.equal(errorOf(seen).code, "provider_aborted");
      assert.equal(await request.ended, "aborted");
      assert.equal(world.clock.pending, 0);
    });
  }

  contract.test("does not take a comment for a sign of life", async (world) => {
    const { reading, seen } = await begin(world, {
      steps: [TEXT, { type: "pause", until: "comment" }, {
        type: "raw",
        text: ": still here\n\n",
      }, { type: "stall" }],
    });
    await world.clock.advance(STALL_MS - 1_000);
    world.server.release("comment");
    await until(() => world.clock.pending > 0);
    await world.clock.advance(1_000);
    await reading;
    assert.equal(errorOf(seen).code, "provider_timeout");
  });

  contract.test("asks nothing for a caller that has aborted already", async (world) => {
    const events = await askAll(world.provider, {}, AbortSignal.abort());
    assert.equal(errorOf(events).code, "provider_aborted");
    assert.equal(world.server.requests.length, 0);
  });

  contract.test("hangs up when its reader leaves", async (world) => {
    world.server.push({ steps: [TEXT, { type: "stall" }] });
    for await (const _ of world.provider.chat(chatRequest(), NEVER)) break;
    assert.equal(await world.server.requests[0]?.ended, "aborted");
    assert.equal(world.clock.pending, 0);
  });

  contract.test("does not count its reader's time as silence", async (world) => {
    world.server.push({
      steps: [TEXT, { type: "pause", until: "read" }, { type: "text", text: "!" }],
    });
    const events: ChatEvent[] = [];
    for await (const event of world.provider.chat(chatRequest(), NEVER)) {
      events.push(event);
      if (events.length > 1) continue;
      await world.clock.advance(10 * STALL_MS);
      world.server.release("read");
    }
    assert.equal(responseOf(events).content, "half!");
  });

  contract.test("keeps its connection for the next call", async (world) => {
    for (let call = 0; call < 10; call++) responseOf(await world.answer(say("x")));
    // One that has just ended may not be free again at once.
    assert.ok(world.server.connections < 5, `${world.server.connections} connections`);
    assert.equal(world.clock.pending, 0);
  });

  contract.test("serves many calls at once", async (world) => {
    const reply: ModelReply = { steps: [{ type: "pause", until: "all" }, TEXT] };
    world.server.push(...Array.from({ length: 30 }, () => reply));
    const asked = Array.from({ length: 30 }, () => askAll(world.provider));
    await world.server.request(29);
    world.server.release("all");
    for (const events of await Promise.all(asked)) assert.equal(responseOf(events).content, "half");
    assert.equal(world.server.concurrentMax, 30);
  });
}

/** Asks, and waits until all that `reply` sends has come. */
async function begin(world: World, reply: ModelReply, signal: AbortSignal = NEVER) {
  world.server.push(reply);
  const seen: ChatEvent[] = [];
  const reading = world.read(seen, signal);
  const request = await world.server.request(0);
  if ("steps" in reply && reply.headersAfter === undefined) await until(() => seen.length === 1);
  return { reading, seen, request };
}
