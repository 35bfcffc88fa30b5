/**
 * What the kernel costs: tells, asks, idle actors, Workers.
 * @module
 */

import { fileURLToPath } from "node:url";
import type { ActorRef, ReplyTo } from "../actors/kernel/ref.ts";
import { workerActor, type WorkerNotice } from "../actors/kernel/worker_actor.ts";
import type { BenchRow } from "./bench_row.ts";
import { benchSystem } from "./bench_system.ts";
import type { Echo } from "./echo_worker.ts";

const TELLS = 1_000_000;
/** The engine compiles the hot path in the first rounds; the median leaves them out. */
const ROUNDS = 7;
const ASKS = 100_000;
const ROUND_TRIPS = 5_000;
const PIPELINED = 20_000;
const TIMEOUT_MS = 60_000;

/** Measures the kernel beside its budgets; takes a few seconds. */
export async function benchKernel(): Promise<BenchRow[]> {
  const tellsPerSecond = await measureTells();
  return [
    {
      what: "tells handled, in process",
      value: Math.round(tellsPerSecond),
      unit: "/s",
      budget: { atLeast: 5_000_000 },
    },
    {
      what: "a tell and its handling, in process",
      value: Math.round(1e9 / tellsPerSecond),
      unit: "ns",
      budget: { atMost: 200 },
    },
    {
      what: "asks answered one after the other, in process",
      value: Math.round(await measureAsks()),
      unit: "/s",
      budget: undefined,
    },
    {
      what: "an idle actor, its definition included",
      value: await measureIdleActor(),
      unit: "bytes",
      budget: { atMost: 400 },
    },
    ...await benchWorker(),
  ];
}

async function measureTells(): Promise<number> {
  await using system = benchSystem();
  const rates: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const done = Promise.withResolvers<void>();
    let handled = 0;
    const actor = system.spawn<number>({
      name: `counter${round}`,
      mailboxMax: TELLS,
      create: () => ({
        receive() {
          if (++handled === TELLS) done.resolve();
        },
      }),
    });
    const startMs = performance.now();
    for (let value = 0; value < TELLS; value++) actor.tell(value);
    await done.promise;
    rates.push(TELLS / (performance.now() - startMs) * 1_000);
  }
  return median(rates);
}

async function measureAsks(): Promise<number> {
  await using system = benchSystem();
  const actor = system.spawn<Echo>({
    name: "echo",
    create: () => ({ receive: ({ text, replyTo }) => replyTo.reply(text) }),
  });
  return ASKS / await secondsFor(() => askInTurn(actor, ASKS));
}

async function benchWorker(): Promise<BenchRow[]> {
  await using system = benchSystem();
  const parent = system.spawn<WorkerNotice>({
    name: "parent",
    create: () => ({ receive: () => {} }),
  });
  const worker = system.spawn(workerActor<Echo, never>({
    name: "echo",
    entry: new URL("./echo_worker.ts", import.meta.url),
    init: null,
    parent,
    mailboxMax: PIPELINED,
  }));
  const startMs = performance.now();
  await askInTurn(worker, 1);
  const readyMs = performance.now() - startMs;
  await askInTurn(worker, 1_000);
  const inTurn = await secondsFor(() => askInTurn(worker, ROUND_TRIPS));
  const atOnce = await secondsFor(() => askAtOnce(worker, PIPELINED));
  return [
    {
      what: "a Worker from spawn to first answer",
      value: Math.round(readyMs),
      unit: "ms",
      budget: undefined,
    },
    {
      what: "an ask to a Worker and back",
      value: Math.round(inTurn / ROUND_TRIPS * 1e6),
      unit: "us",
      budget: undefined,
    },
    {
      what: "asks to a Worker, many under way",
      value: Math.round(PIPELINED / atOnce),
      unit: "/s",
      budget: undefined,
    },
  ];
}

function askOnce(actor: ActorRef<Echo>): Promise<string> {
  const makeMessage = (replyTo: ReplyTo<string>) => ({ text: "hello", replyTo });
  return actor.ask<string>(makeMessage, { timeoutMs: TIMEOUT_MS });
}

async function askInTurn(actor: ActorRef<Echo>, asks: number): Promise<void> {
  for (let ask = 0; ask < asks; ask++) await askOnce(actor);
}

async function askAtOnce(actor: ActorRef<Echo>, asks: number): Promise<void> {
  await Promise.all(Array.from({ length: asks }, () => askOnce(actor)));
}

/** In a process of its own, where garbage can be collected on demand. */
async function measureIdleActor(): Promise<number> {
  const { success, stdout } = await new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      "--no-prompt",
      "--cached-only",
      "--v8-flags=--expose-gc",
      fileURLToPath(new URL("./idle_actors.ts", import.meta.url)),
    ],
    stderr: "inherit",
  }).output();
  if (!success) throw new Error("Cannot measure idle actors: their process failed");
  return Number(new TextDecoder().decode(stdout));
}

async function secondsFor(work: () => Promise<void>): Promise<number> {
  const startMs = performance.now();
  await work();
  return (performance.now() - startMs) / 1_000;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN;
}
