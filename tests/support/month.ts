/**
 * A month of conversation in a whole gateway, on a clock that the test moves: people who write, and
 * a model that answers, sums up and puts memory in order.
 * @module
 */

import { systemWorld } from "../../actors/gateway/adapters/system_world.ts";
import type { Clock, Timer } from "../../actors/kernel/clock.ts";
import { seededRandom } from "../../actors/kernel/random.ts";
import { estimateTextTokens } from "../../providers/tokens.ts";
import {
  callTool,
  lastUserText,
  type ModelReply,
  ModelServer,
  type RecordedRequest,
  refuse,
  say,
} from "../simulators/model_server.ts";
import { type InProcessGateway, startInProcess } from "./gateway_in_process.ts";
import type { GatewayHome } from "./gateway_process.ts";
import { settle, until } from "./until.ts";

/** A silence of no other length: so a call of the model that is under way is known by its timer. */
const STALL_S = 77;
const MINUTE_MS = 60_000;
/** A call that failed is repeated within this time. */
const REPEAT_MS = 1_000;
/** Shorter than any limit of ours. */
const STEP_MS = 100;
/** Of the questions of turns, one in so many is measured: to measure costs more than to answer. */
const COUNTED_EACH = 4;
/** A model that stands still may be waited for this long. */
const ANSWER_MS = 20_000;

/**
 * A clock that leaps: what falls due meanwhile happens once, late, as on a machine that slept. It
 * knows of the model's calls.
 */
class LeapingClock implements Clock {
  callsOut = 0;
  #nowMs = Date.UTC(2026, 0, 1);
  readonly #timers = new Set<{ readonly dueMs: number; readonly callback: () => void }>();

  now(): number {
    return this.#nowMs;
  }

  setTimer(delayMs: number, callback: () => void): Timer {
    const timer = { dueMs: this.#nowMs + Math.max(0, delayMs), callback };
    const isCall = delayMs === STALL_S * 1_000;
    this.#timers.add(timer);
    if (isCall) this.callsOut++;
    return {
      cancel: () => {
        if (this.#timers.delete(timer) && isCall) this.callsOut--;
      },
    };
  }

  /** Moves time and fires what is due then, in order. */
  async leap(ms: number): Promise<void> {
    this.#nowMs += ms;
    const due = [...this.#timers].filter(({ dueMs }) => dueMs <= this.#nowMs)
      .toSorted((one, other) => one.dueMs - other.dueMs);
    for (const timer of due) {
      if (this.#timers.delete(timer)) timer.callback();
    }
    await settle();
  }
}

/** How many of its answers, of each kind, the model spoils; from 0 to 1. */
export interface Failures {
  readonly turns: number;
  /** Summaries, and what Dream asks. */
  readonly memory: number;
}

/** A model whose answers follow from the question. */
class MonthModel {
  /** Tokens of some questions of turns, as they were asked. */
  readonly turnTokens: number[] = [];
  /** What recall gave, each time. */
  readonly found: string[] = [];
  /** The newest answer of a turn was spoiled. */
  hasSpoiledTurn = false;
  readonly #failures: Failures;
  /** By kind: what is asked beside turns must not change which of their answers are spoiled. */
  readonly #asked = { turns: 0, memory: 0 };
  readonly #luck = seededRandom(1);

  constructor(failures: Failures) {
    this.#failures = failures;
  }

  answer(request: RecordedRequest): ModelReply {
    const { messages } = request.body;
    const system = String(messages[0]?.content);
    const question = lastUserText(request);
    const isOfMemory = system.startsWith("You ");
    const kind = isOfMemory ? "memory" : "turns";
    const count = this.#asked[kind]++;
    // Never two turns in a row, so that one that is repeated is answered.
    const share = isOfMemory ? this.#luck.next() : (count * 0.618_034) % 1;
    const isSpoiled = share < this.#failures[kind];
    if (!isOfMemory) this.hasSpoiledTurn = isSpoiled;
    if (isSpoiled) return spoiled(count + 1, isOfMemory);
    if (system.startsWith("You keep the memory")) return say(summaryOf(question));
    if (system.startsWith("You put the long-term memory")) return say(analysisOf(question));
    if (system.startsWith("You carry out")) return edit(request, question);
    if (count % COUNTED_EACH === 0) {
      this.turnTokens.push(estimateTextTokens(JSON.stringify(request.body)));
    }
    return this.#turn(request, question);
  }

  #turn({ body: { messages } }: RecordedRequest, question: string): ModelReply {
    const last = messages.at(-1);
    if (last?.role === "tool") {
      this.found.push(String(last.content));
      return say("I have looked it up.");
    }
    const asked = /Look up: (.+)/.exec(question)?.[1];
    if (asked !== undefined) return callTool("recall", { query: asked });
    return say(`I see. ${"那么我们继续说下去，一步一步来。".repeat(8)} As I said, all is well.`);
  }
}

/** What models give instead of an answer. */
function spoiled(count: number, isOfMemory: boolean): ModelReply {
  if (!isOfMemory || count % 4 === 0) return refuse(500, { message: "overloaded" });
  if (count % 4 === 1) return say("");
  if (count % 4 === 2) return callTool("read_file", { path: "SOUL.md" });
  return { steps: [{ type: "text", text: "- it began" }, { type: "finish", reason: "length" }] };
}

/** What somebody said that lasts. */
const LASTING = /请记住：[^。\n]*。|Please remember: [^.\n]*\.|The birthday of [^.\n]*\./g;

function lasting(text: string): string[] {
  return [...new Set(text.match(LASTING) ?? [])];
}

function summaryOf(stretch: string): string {
  const topics = [...stretch.matchAll(/about (topic\d+)/g)].map(([, topic]) => topic);
  return [...lasting(stretch).map((fact) => `- ${fact}`), `- talked about ${topics.at(-1)}`].join(
    "\n",
  );
}

function analysisOf(question: string): string {
  const summaries = question.split("# USER.md")[0] ?? "";
  const facts = lasting(summaries).map((fact) => `[MEMORY] ${fact}`);
  return facts.length === 0 ? "[SKIP] nothing lasts" : facts.join("\n");
}

/** One edit with all facts that are not there yet, then the end. */
function edit(request: RecordedRequest, question: string): ModelReply {
  if (request.body.messages.at(-1)?.role === "tool") return say("Done.");
  const [analysis = "", files = ""] = question.split("# memory/MEMORY.md");
  const facts = lasting(analysis).filter((fact) => !files.includes(fact));
  if (facts.length === 0) return say("Nothing to do.");
  const lines = facts.map((fact) => `- ${fact}`).join("\n");
  return callTool("edit_file", {
    path: "memory/MEMORY.md",
    old_text: "## Notes\n",
    new_text: `## Notes\n\n${lines}\n`,
  });
}

/** Somebody who writes. */
export interface Writer {
  readonly channel: string;
  readonly chatId: string;
}

/** A month; hold it with `await using`. */
export class Month implements AsyncDisposable {
  readonly clock: LeapingClock;
  readonly #model: MonthModel;
  readonly #server: ModelServer;
  readonly #running: InProcessGateway;

  private constructor(
    { clock, model, server, running }: {
      readonly clock: LeapingClock;
      readonly model: MonthModel;
      readonly server: ModelServer;
      readonly running: InProcessGateway;
    },
  ) {
    this.clock = clock;
    this.#model = model;
    this.#server = server;
    this.#running = running;
  }

  /** @param channels their names */
  static async begin(
    home: GatewayHome,
    channels: readonly string[],
    failures: Failures = { turns: 0, memory: 0 },
  ): Promise<Month> {
    const clock = new LeapingClock();
    const model = new MonthModel(failures);
    const server = await ModelServer.start((request) => model.answer(request));
    const running = await startInProcess(home, {
      agents: {
        defaults: {
          model: "test-model",
          provider: "custom",
          contextWindowTokens: 12_000,
          maxTokens: 1_000,
        },
      },
      providers: { custom: { apiKey: "sk-test-0123456789", apiBase: server.baseUrl } },
    }, {
      world: { ...systemWorld(), clock },
      probes: channels,
      env: { TROUPE_STREAM_IDLE_TIMEOUT_S: String(STALL_S) },
    });
    return new Month({ clock, model, server, running });
  }

  /** Tokens of some questions of turns. */
  get turnTokens(): readonly number[] {
    return this.#model.turnTokens;
  }

  /** What recall gave, each time that it was asked. */
  get found(): readonly string[] {
    return this.#model.found;
  }

  /** Somebody writes; gives the answer. */
  async say({ channel, chatId }: Writer, content: string): Promise<string> {
    const probe = this.#running.probes.get(channel);
    if (probe === undefined) throw new TypeError(`Cannot write in ${channel}: no such channel`);
    const { delivered } = probe;
    const before = delivered.length;
    await probe.say(chatId, content);
    const isAnswered = () =>
      delivered.length > before &&
      delivered.slice(before).some((delivery) => delivery.chatId === chatId);
    const deadlineMs = performance.now() + ANSWER_MS;
    while (!isAnswered()) {
      if (performance.now() > deadlineMs) throw new Error(`Cannot go on: no answer to ${content}`);
      await this.#untilQuiet(isAnswered);
      if (!isAnswered()) await this.clock.leap(this.#model.hasSpoiledTurn ? REPEAT_MS : STEP_MS);
    }
    this.#server.requests.length = 0; // a month of them takes up a lot of memory
    return delivered.findLast((delivery) => delivery.chatId === chatId)?.text ?? "";
  }

  /** Time goes by; the model first ends what it is asked. */
  async pass(minutes: number): Promise<void> {
    await this.#noCalls();
    await this.clock.leap(minutes * MINUTE_MS);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#noCalls();
    await this.#running[Symbol.asyncDispose]();
    await this.#server[Symbol.asyncDispose]();
  }

  async #noCalls(): Promise<void> {
    await until(() => this.clock.callsOut === 0, { timeoutMs: ANSWER_MS, what: "a quiet model" });
  }

  /** What is left waits for time to go by: a call to be repeated, a Worker to be started again. */
  async #untilQuiet(isAnswered: () => boolean): Promise<void> {
    const patienceMs = this.#model.hasSpoiledTurn ? 3 : 150;
    let quietUntilMs = performance.now() + patienceMs;
    while (!isAnswered() && performance.now() < quietUntilMs) {
      if (this.clock.callsOut > 0) quietUntilMs = performance.now() + patienceMs;
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
  }
}
