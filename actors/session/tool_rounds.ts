/**
 * Rounds of tools, one after the other: runs what the model asks for, and sees when there were
 * enough of them.
 * @module
 */

import type { AssistantMessage, RequestedCall, ToolMessage } from "../../providers/provider.ts";
import type { ToolConcurrency, ToolContext } from "../tools/tool.ts";
import type { Attempt } from "./answer_attempt.ts";
import type { CallRunner } from "./call_runner.ts";
import type { Replay } from "./history.ts";
import type { SessionServices } from "./ports.ts";
import { ProgressGuard } from "./progress_guard.ts";
import type { CallPlace } from "./tool_messages.ts";
import { runToolRound } from "./tool_round.ts";
import { assistantMessage, withDistinctIds } from "./turn_messages.ts";
import type { TurnTimes } from "./turn_times.ts";

/** The tools that an attempt asks for. */
export type ToolsAsked = Extract<Attempt, { readonly type: "tools" }>;

/** What a round begins with: the model's message, its calls, and what people may see of its words. */
export interface AskedRound {
  readonly message: AssistantMessage;
  readonly calls: readonly RequestedCall[];
  readonly text: string;
}

/** Where rounds are kept. Each method is durable, as far as anything is to be, when it resolves. */
export interface RoundRecord {
  /** The model asks for tools; gives the number of its line. */
  begin(round: AskedRound): Promise<number>;
  /** A call has its result. */
  endCall(result: ToolMessage): Promise<void>;
}

/** Whose rounds they are. */
export interface ToolRoundsOptions {
  readonly services: Pick<SessionServices, "approval" | "settings" | "tools">;
  readonly turnId: string;
  readonly times: Pick<TurnTimes, "round" | "ended">;
  readonly record: RoundRecord;
}

/** What one round runs with. */
export interface RoundScene {
  readonly runner: CallRunner;
  /** Is told of the model's message and the results. */
  readonly replay: Replay;
  /** The way of one call to the chats. */
  readonly sender: (place: CallPlace, signal: AbortSignal) => ToolContext["send"];
  /** The way of one call to those who wait for it. @default there is none */
  readonly reporter?: (requested: RequestedCall) => ToolContext["report"];
}

/** Whether another round may follow. */
export type RoundEnd =
  | { readonly state: "go_on" }
  /** The model does the same again and again, and gets the same for it. */
  | { readonly state: "stuck"; readonly tools: readonly string[] }
  | { readonly state: "limit"; readonly rounds: number; readonly tools: readonly string[] };

/** The rounds of one turn. */
export class ToolRounds {
  readonly #options: ToolRoundsOptions;
  readonly #progress = new ProgressGuard();
  #toolsUsed: string[] = [];
  #rounds = 0;

  constructor(options: ToolRoundsOptions) {
    this.#options = options;
  }

  /** Rounds so far. */
  get count(): number {
    return this.#rounds;
  }

  /** Counts from the beginning. */
  startOver(): void {
    this.#rounds = 0;
    this.#toolsUsed = [];
  }

  /** Somebody said something new. */
  somethingNew(): void {
    this.#progress.reset();
  }

  /** Runs a round. @throws the signal's reason when it aborts; what the record throws */
  async run(asked: ToolsAsked, scene: RoundScene, signal: AbortSignal): Promise<RoundEnd> {
    const { services: { settings }, record, times } = this.#options;
    const calls = withDistinctIds(asked.response.calls);
    const message = assistantMessage(asked.text, asked.response, calls);
    const line = await record.begin({ message, calls, text: asked.text });
    scene.runner.beginAnswer();
    const whatItTook = times.round();
    const results = await this.#runCalls(calls, line, scene, signal);
    const tookMs = whatItTook();
    for (const said of [message, ...results]) scene.replay.push(said);
    const tools = calls.map(({ call }) => call.function.name);
    this.#toolsUsed.push(...tools);
    this.#rounds++;
    if (this.#progress.isStuck({ calls, results, tookMs })) return { state: "stuck", tools };
    if (this.#rounds < settings.toolIterationsMax) return { state: "go_on" };
    return { state: "limit", rounds: this.#rounds, tools: this.#toolsUsed };
  }

  /** Runs calls, makes each result durable when it is there, and gives them in the calls' order. */
  async #runCalls(
    calls: readonly RequestedCall[],
    line: number,
    { runner, sender, reporter }: RoundScene,
    signal: AbortSignal,
  ): Promise<ToolMessage[]> {
    const { turnId, record, times } = this.#options;
    return await runToolRound(calls, {
      concurrency: (name) => this.#concurrency(name),
      signal,
      run: async ({ requested, index }, signal) => {
        const place = { turnId, line, index };
        const [send, report] = [sender(place, signal), reporter?.(requested)];
        const result = await runner.run(requested, { send, report, signal, place });
        if (times.ended !== undefined) await times.ended(requested.call.id, signal);
        signal.throwIfAborted();
        await record.endCall(result);
        return result;
      },
    });
  }

  /** Whoever waits for a person has no permit, so nothing runs beside it. */
  #concurrency(tool: string): ToolConcurrency {
    const { approval, tools } = this.#options.services;
    return approval?.mayAsk(tool) === true ? "exclusive" : tools.concurrency(tool);
  }
}
