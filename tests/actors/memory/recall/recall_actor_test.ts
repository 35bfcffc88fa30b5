import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { systemClock } from "../../../../actors/kernel/adapters/system_clock.ts";
import { nextTurn } from "../../../../actors/kernel/adapters/event_loop.ts";
import { seededRandom } from "../../../../actors/kernel/random.ts";
import type { ActorRef } from "../../../../actors/kernel/ref.ts";
import { FairScheduler } from "../../../../actors/kernel/scheduler.ts";
import { ActorSystem } from "../../../../actors/kernel/system.ts";
import type { RecallAnswer, RecallMessage } from "../../../../actors/memory/recall/protocol.ts";
import { recallActor, recallIndexPath } from "../../../../actors/memory/recall/recall_actor.ts";
import { until } from "../../../support/until.ts";
import { lineOf, RecallWorld } from "./recall_world.ts";

Deno.test("Recall answers out of its Worker", async () => {
  using world = new RecallWorld();
  const path = world.session("feishu:oc_1", [{ content: "the ibex climbs" }]);
  // Too much for an index in memory.
  const filler = "nothing to be found in this, ".repeat(10_000);
  world.session("feishu:oc_2", Array.from({ length: 16 }, () => ({ content: filler })));
  const indexFolder = join(dirname(world.indexPath), "state/recall");
  await using system = realSystem();
  const recall = system.spawn(recallActor({
    workspace: world.workspace,
    indexFolder,
    setting: "global",
    timezone: "UTC",
  }));
  await until(async () => (await search(recall, "ibex")).length === 1);
  await until(() => hasFile(recallIndexPath(indexFolder)));
  world.append(path, lineOf({ content: "another ibex" }));
  recall.tell({ type: "file_touched", path });
  await until(async () => (await search(recall, "ibex")).length === 2);
  const reminded = await recall.ask<RecallAnswer>((replyTo) => ({
    type: "remind",
    reminder: {
      text: "did the ibex climb?",
      scope: "memory",
      visible: { sessionKey: "feishu:oc_3", sinceMs: null },
      limit: 1,
    },
    replyTo,
  }), { timeoutMs: 10_000 });
  assert.deepEqual(reminded.hits.map(({ text }) => text), ["the ibex climbs"]);
});

function realSystem(): ActorSystem {
  let ids = 0;
  return new ActorSystem({
    clock: systemClock,
    random: seededRandom(1),
    newId: () => `id-${++ids}`,
    scheduler: new FairScheduler(nextTurn),
  });
}

async function search(recall: ActorRef<RecallMessage>, text: string): Promise<string[]> {
  const { hits } = await recall.ask<RecallAnswer>(
    (replyTo) => ({ type: "search", query: { text, scope: "memory", limit: 5 }, replyTo }),
    { timeoutMs: 10_000 },
  );
  return hits.map((hit) => hit.text).toSorted();
}

function hasFile(path: string): boolean {
  try {
    return Deno.statSync(path).isFile;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}
