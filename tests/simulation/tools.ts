/**
 * The tools of a simulated world: their effects are counted, so that none happens twice.
 * @module
 */

import { z } from "zod";
import { defineTool, textResult } from "../../actors/tools/define_tool.ts";
import { messageTool } from "../../actors/tools/message.ts";
import type { Tool, ToolConcurrency, ToolContext } from "../../actors/tools/tool.ts";
import { type Clock, sleep } from "../../actors/kernel/clock.ts";
import type { Activity } from "./activity.ts";
import type { Chance } from "./chance.ts";
import type { EventLog } from "./event_log.ts";
import type { Faults } from "./faults.ts";

/** What tools take from their world. */
export interface ToolsOptions {
  readonly clock: Clock;
  readonly chance: Chance;
  readonly faults: Faults;
  readonly log: EventLog;
  readonly activity: Activity;
  /** Told of each run, before it has its effect. */
  readonly onRun: (effect: string) => void;
}

const EFFECT = z.object({ effect: z.string() });

/** All tools of one life of the gateway; `message` is the real one. */
export function simulatedTools(options: ToolsOptions): readonly Tool[] {
  return [
    effectTool("look", "shared", options),
    effectTool("change", "exclusive", options),
    messageTool,
  ];
}

function effectTool(name: string, concurrency: ToolConcurrency, options: ToolsOptions): Tool {
  const { activity, log, onRun } = options;
  return defineTool({
    name,
    description: name,
    parameters: EFFECT,
    needs: {},
    concurrency,
    timeoutMs: 20_000,
    run: async ({ effect }, { origin, signal, subagents }) => {
      // A turn that a result began has the same source, but can start subagents.
      const isHelper = origin.source === "subagent" && subagents === undefined;
      const worker = isHelper ? `subagents of ${origin.sessionKey}` : origin.sessionKey;
      const end = activity.begin(worker, concurrency);
      log.add("tool", `${name} ${effect} for ${origin.sessionKey}`);
      onRun(effect);
      try {
        return textResult(await effectOf(effect, options, signal));
      } finally {
        end();
      }
    },
  });
}

async function effectOf(
  effect: string,
  { clock, chance, faults }: ToolsOptions,
  signal: ToolContext["signal"],
): Promise<string> {
  const delayMs = chance.weighted([[0, 1], [chance.between(1, 3_000), 8]]);
  await sleep(clock, faults.happens(0.02) ? 60_000 : delayMs, signal);
  if (chance.happens(0.05)) throw new Error(`Cannot do ${effect}: it does not work`);
  return chance.weighted([[`Did ${effect}.`, 6], ["", 1], [`Did ${effect}.${"x".repeat(900)}`, 1]]);
}
