/**
 * The simulated parts that one life of the gateway is given.
 * @module
 */

import type { Journal } from "../../actors/journal/journal.ts";
import { type Clock, sleep } from "../../actors/kernel/clock.ts";
import type { CoreChannel, SessionSurroundings } from "../../actors/gateway/core.ts";
import { NO_BUDGETS } from "../../actors/session/budgets.ts";
import type { ArchivePort, SessionServices, SessionSettings } from "../../actors/session/ports.ts";
import { sessionFileName } from "../../actors/session/session_name.ts";
import { UsageLedger } from "../../actors/session/usage_ledger.ts";
import { ToolRegistry } from "../../actors/tools/registry.ts";
import { spawnTool } from "../../actors/tools/spawn.ts";
import { ToolError } from "../../actors/tools/tool.ts";
import { ChannelHost, type ChannelHostMessage } from "../../channels/channel_host.ts";
import type { Activity } from "./activity.ts";
import { SimulatedChannel } from "./channel.ts";
import type { Chance } from "./chance.ts";
import { JOINS_PER_STEP_MAX } from "./journal_watch.ts";
import { SimulatedModel } from "./model.ts";
import { checkRequest } from "./requests.ts";
import { SUBAGENT_RULES, withSubagents } from "./subagents.ts";
import { withSummaries } from "./summaries.ts";
import type { Surroundings } from "./surroundings.ts";
import { simulatedTools } from "./tools.ts";

/** A channel of a life, hosted in this process. */
export function coreChannel(world: Surroundings, name: string, chance: Chance): CoreChannel {
  const { faults, sabotage } = world;
  const platform = world.platforms.get(name);
  if (platform === undefined) throw new RangeError(`Cannot start "${name}": there is no platform`);
  const own = chance.fork(`channel ${name}`);
  return {
    name,
    idempotencyMs: platform.plan.idempotencyMs,
    startHost: (spawn, gateway) =>
      spawn<ChannelHostMessage>({
        name: "host",
        supervision: { restart: "never" },
        create: (context) =>
          new ChannelHost(context, {
            name,
            mediaFolder: `/media/${name}`,
            gateway,
            load: () =>
              Promise.resolve((channelContext) => {
                const parts = { platform, context: channelContext, chance: own, faults };
                const channel = new SimulatedChannel(parts);
                return sabotage.channel?.(channel) ?? channel;
              }),
          }),
      }),
  };
}

/** What the services of a life are made of. */
export interface ServicesOptions extends SessionSurroundings {
  readonly world: Surroundings;
  readonly clock: Clock;
  readonly chance: Chance;
  readonly activity: Activity;
  readonly journal: Journal;
  readonly archive: ArchivePort;
}

/** The services that all sessions of a life share. */
export function sessionServices(options: ServicesOptions): SessionServices {
  const { world, clock, chance, activity, journal, gate, outbox, subagentPlaces } = options;
  const { disk, newId, sabotage } = world;
  const files = disk.mount(clock);
  const startedAtMs = clock.now();
  const { model, tools } = modelAndTools(options);
  const { subagentsMax } = world.plan;
  return {
    settings: settingsOf(world),
    journal,
    files: sabotage.files?.(files) ?? files,
    promptFiles: { read: () => Promise.resolve(null) },
    systemPrompt: (channel) => Promise.resolve(`You talk on ${channel}.`),
    readImage: async (path) => {
      await sleep(clock, path.length % 5);
      return path.includes("1") ? { mime: "image/png", base64: "aGk=" } : null;
    },
    ...(subagentsMax > 0 && { subagents: SUBAGENT_RULES, subagentPlaces }),
    provider: withSummaries(sabotage.provider?.(model) ?? model, {
      clock,
      chance: chance.fork("summaries"),
      faults: world.faults,
      activity,
    }),
    archive: options.archive,
    tools: sabotage.tools?.(tools) ?? tools,
    toolContext: { workspace: "/workspace", files: NO_FILES, processes: NO_PROCESSES, net: NO_NET },
    gate,
    outbox: (channel) => {
      const ref = outbox(channel);
      return ref === undefined ? undefined : sabotage.outbox?.(ref) ?? ref;
    },
    usage: new UsageLedger({
      journal,
      clock,
      prices: () => null,
      budgets: NO_BUDGETS,
      timezone: "UTC",
    }),
    clock,
    newId,
    uptimeMs: () => clock.now() - startedAtMs,
  };
}

function modelAndTools({ world, clock, chance, activity }: ServicesOptions) {
  const { disk, faults, log, newId, plan, record, watch } = world;
  const newEffect = () => `effect-${newId()}`;
  const simulated = new SimulatedModel({
    clock,
    worldClock: world.time,
    chance: chance.fork("model"),
    faults,
    log,
    activity,
    newEffect,
    tooLongWeight: plan.tooLongWeight,
    chats: plan.messages,
    onRequest: (request, wasTooLong) => {
      const { conversationId } = request;
      const story = watch.shownStory(conversationId);
      const ground = {
        story,
        atWork: watch.topicsAtWork(story),
        mayBeCut: () => wasTooLong || disk.isSummedUp(sessionFileName(conversationId)),
      };
      record.breaches.push(...checkRequest(request, ground));
    },
  });
  const tools = simulatedTools({
    clock,
    chance: chance.fork("tools"),
    faults,
    log,
    activity,
    onRun: (effect) => record.effects.set(effect, (record.effects.get(effect) ?? 0) + 1),
  });
  const registry = new ToolRegistry(clock, tools);
  if (plan.subagentsMax === 0) return { model: simulated, tools: registry };
  registry.add(spawnTool(SUBAGENT_RULES.timeoutMs));
  const own = { clock, chance: chance.fork("subagents"), faults, activity, newEffect };
  return { model: withSubagents(simulated, own), tools: registry };
}

function settingsOf({ plan }: Surroundings): SessionSettings {
  return {
    model: "simulated",
    temperature: 0.1,
    tokensMax: 1_000,
    contextWindowTokens: 1_000_000,
    contextBlockLimit: null,
    reasoningEffort: null,
    toolIterationsMax: plan.toolRoundsMax,
    toolResultCharsMax: 500,
    timezone: "UTC",
    workspace: "/workspace",
    version: "1.2.3",
    idleMs: plan.sessionIdleMs,
    joinsPerStepMax: JOINS_PER_STEP_MAX,
    joinsPerTurnMax: 5,
  };
}

/** Tools of the world keep no files but long results, which nobody reads. */
const NO_FILES: SessionServices["toolContext"]["files"] = {
  resolve: (path) => Promise.resolve(path),
  info: () => Promise.resolve(null),
  read: (path) => Promise.reject(new ToolError("path_missing", `Cannot read "${path}"`)),
  write: () => Promise.resolve(),
  remove: () => Promise.resolve(),
  list: () => Promise.resolve({ entries: [], isCut: false }),
};

const NO_PROCESSES: SessionServices["toolContext"]["processes"] = {
  run: () => Promise.reject(new ToolError("run_failed", "Cannot run commands here")),
};

const NO_NET: SessionServices["toolContext"]["net"] = {
  request: () => Promise.reject(new ToolError("run_failed", "Cannot reach anything here")),
  isPublic: () => Promise.resolve(false),
};
