import assert from "node:assert/strict";
import { CoreBench } from "../../../support/core_bench.ts";
import { ManualClock } from "../../../support/manual_clock.ts";
import type { ScriptedAnswer } from "../../../support/scripted_provider.ts";
import { isHelper, lastSaid, spawning, taskIn, withHelpers } from "../../../support/subagents.ts";
import { until } from "../../../support/until.ts";
import type { ChatRequest } from "../../../../providers/provider.ts";

const COUNT = 20;
const TASKS = Array.from({ length: COUNT }, (_, index) => `task-${index}`);

/** A model whose subagents wait for the test, and whose sessions say what they are told. */
class FanOut {
  readonly results = new Map<string, string[]>();
  readonly #waiting: (() => void)[] = [];
  /** Calls of subagents. */
  calls = 0;
  /** Subagents whose model call runs, now and at most. */
  running = 0;
  runningMost = 0;
  isOpen = false;

  script = (request: ChatRequest): string | ScriptedAnswer => {
    if (isHelper(request)) return { text: `found ${taskIn(request)}`, after: this.#hold() };
    const said = lastSaid(request);
    if (said.endsWith("fan out")) {
      return spawning(...TASKS.map((task) => `${chatOf(request)}-${task}`));
    }
    if (!said.includes("Result of a subagent")) return { text: `echo ${said.split("\n").at(-1)}` };
    const found = [...said.matchAll(/found (\S+)/g)].map(([, task]) => task ?? "");
    return { text: `told ${found.join(" ")}` };
  };

  /** Lets one subagent go on. */
  letGo(): void {
    this.#waiting.shift()?.();
  }

  async #hold(): Promise<void> {
    this.calls++;
    this.running++;
    this.runningMost = Math.max(this.runningMost, this.running);
    if (!this.isOpen) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.running--;
  }
}

function chatOf(request: ChatRequest): string {
  return /Chat: (\S+)/.exec(JSON.stringify(request.messages).replaceAll("\\n", "\n"))?.[1] ?? "";
}

Deno.test.each([
  { permitsMax: 3, subagentsMax: 3, atOnce: 2 },
  { permitsMax: 3, subagentsMax: 1, atOnce: 1 },
  { permitsMax: 1, subagentsMax: 3, atOnce: 1 },
  { permitsMax: 1, subagentsMax: 1, atOnce: 1 },
  { permitsMax: 0, subagentsMax: 3, atOnce: 3 },
])(
  "Twenty subagents of each of two chats all report there, with %o",
  async ({ permitsMax, subagentsMax, atOnce }) => {
    const model = new FanOut();
    const clock = new ManualClock();
    await using bench = new CoreBench({
      ...{ permitsMax, subagentsMax },
      script: model.script,
      services: withHelpers(clock),
    });
    const { probe } = await ready(bench);
    await probe.say("anna", "fan out");
    await probe.say("bert", "fan out");
    await until(() => model.running === atOnce, { what: "subagents at work" });
    await probe.say("carl", "are you there?");
    const isAnswered = () => probe.textsOf("carl").length === 1;
    // With one permit he waits for the steps of those before him in the line, and no others.
    for (let steps = 0; permitsMax === 1 && steps < subagentsMax && !isAnswered(); steps++) {
      const { calls } = model;
      model.letGo();
      await until(() => isAnswered() || model.calls > calls, { what: "the next in the line" });
    }
    await until(isAnswered, { what: "an answer while they work" });
    assert.ok(model.calls < 2 * COUNT, "most of them still wait");
    model.isOpen = true;
    for (let n = 0; n < COUNT; n++) model.letGo();
    await until(() => isAllTold(bench, "anna") && isAllTold(bench, "bert"), {
      what: "all results",
    });
    assert.equal(model.runningMost, atOnce);
    await until(async () => {
      const { turns } = await bench.health();
      return turns.running + turns.waiting === 0;
    }, { what: "all permits back" });
    const { inbounds } = await bench.journal.counts();
    assert.deepEqual([inbounds.accepted, inbounds.running], [0, 0]);
    assert.deepEqual(bench.world.deadLetters, []);
  },
);

async function ready(bench: CoreBench): Promise<CoreBench> {
  await until(async () => (await bench.health()).channels["probe"]?.state === "ready");
  return bench;
}

/** Each result reached its own chat, once, and no other. */
function isAllTold({ probe }: CoreBench, chat: string): boolean {
  const told = probe.textsOf(chat).flatMap((text) =>
    text.startsWith("told ") ? text.slice("told ".length).split(" ") : []
  );
  const others = told.filter((task) => !task.startsWith(`${chat}-`));
  assert.deepEqual(others, []);
  assert.equal(new Set(told).size, told.length, "no result is told twice");
  return told.length === COUNT;
}
