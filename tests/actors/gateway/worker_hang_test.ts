import assert from "node:assert/strict";
import { join } from "node:path";
import { startCore } from "../../../actors/gateway/core.ts";
import { reportHealth } from "../../../actors/gateway/health.ts";
import { MemoryJournal } from "../../../actors/journal/memory_journal.ts";
import { nextTurn } from "../../../actors/kernel/adapters/event_loop.ts";
import {
  systemClock,
  systemNewId,
  systemRandom,
} from "../../../actors/kernel/adapters/system_clock.ts";
import { FairScheduler } from "../../../actors/kernel/scheduler.ts";
import { ActorSystem } from "../../../actors/kernel/system.ts";
import { workerActor } from "../../../actors/kernel/worker_actor.ts";
import type { SessionMessage } from "../../../actors/session/ports.ts";
import type { FromChannel, ToChannel } from "../../../channels/host_protocol.ts";
import { acting } from "../../support/acting.ts";
import { probeChannel } from "../../support/core_bench.ts";
import { newOutbound } from "../../support/outbound.ts";
import type { ProbeChannel } from "../../support/probe_channel.ts";
import { temporaryFolder } from "../../support/temporary_folder.ts";
import { until } from "../../support/until.ts";

const ENTRY = new URL("../../support/spinning_worker.ts", import.meta.url);

/** A core with a channel in a Worker that can be made to spin, and the owner's own channel. */
async function setUp() {
  const folder = await temporaryFolder();
  const spinFile = join(folder.path, "spin");
  await Deno.writeTextFile(spinFile, "");
  const system = new ActorSystem({
    clock: systemClock,
    random: systemRandom,
    newId: systemNewId,
    scheduler: new FairScheduler(nextTurn),
  });
  const journal = new MemoryJournal({ clock: systemClock, defer: nextTurn });
  const { promise: made, resolve } = Promise.withResolvers<ProbeChannel>();
  const core = startCore({
    system,
    journal,
    permitsMax: 1,
    isUnified: false,
    progress: { sendProgress: false, sendToolHints: false },
    sendAttemptsMax: 3,
    owners: ["probe:boss"],
    startSession: (spawn) => spawn(acting<SessionMessage>(() => {})),
    channels: [probeChannel("probe", {}, resolve), {
      name: "spinning",
      idempotencyMs: 0,
      startHost: (spawn, parent) =>
        spawn(workerActor<ToChannel, FromChannel>({
          name: "host",
          entry: ENTRY,
          permissions: { read: [folder.path] },
          init: spinFile,
          parent,
          supervision: { restart: "never" },
          heartbeatMs: 200,
          heartbeatMissesMax: 4,
        })),
    }],
  });
  const channels = core.startChannels();
  core.recover();
  const health = () =>
    reportHealth({
      version: "0.0.0-test",
      uptimeMs: () => 1_000,
      deadLetters: () => 0,
      journal,
      gate: core.gate,
      router: core.router,
      channels,
      outboxes: core.outboxes,
    });
  const send = async (key: string, content: string) => {
    const outbound = newOutbound({ key, content, channel: "spinning" });
    const [row] = await journal.commit({ outbounds: [outbound] });
    assert.ok(row);
    core.outboxes.get("spinning")?.tell({ type: "row_committed", row });
  };
  const probe = await made;
  return {
    journal,
    health,
    send,
    probe,
    [Symbol.asyncDispose]: async () => {
      // A thread that spins outlives its Worker; without its file it ends by itself.
      await folder[Symbol.asyncDispose]();
      await system[Symbol.asyncDispose]();
    },
  };
}

Deno.test("A channel whose Worker hangs is replaced, and health and owner hear of it", async () => {
  await using home = await setUp();
  const { health, journal, probe, send } = home;
  const state = async (key: string) => (await journal.outbound(key))?.state;
  await send("a", "fine");
  await until(async () => await state("a") === "sent", { timeoutMs: 20_000, what: "a delivery" });
  assert.deepEqual((await health()).advice, []);

  await send("b", "spin");
  await until(async () => (await health()).channels["spinning"]?.stuck_threads === 1, {
    timeoutMs: 20_000,
    what: "the hang noticed",
  });
  await send("c", "fine again");
  await until(async () => await state("c") === "sent" && await state("b") === "sent", {
    timeoutMs: 20_000,
    what: "deliveries by the new Worker",
  });
  const { status, advice, channels } = await health();
  assert.deepEqual([status, channels["spinning"]?.state, channels["spinning"]?.restarts], [
    "ok",
    "ready",
    1,
  ]);
  assert.match(advice[0] ?? "", /spinning .*\/restart/);
  assert.match(probe.textsOf("boss").join(), /spinning hung .*\/restart/);
});
