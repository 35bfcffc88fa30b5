/**
 * Live configuration: joins the keeper of the file to the parts of the gateway that follow it.
 * @module
 */

import type { LoadedConfig } from "../../config/load_config.ts";
import type { ActorDefinition } from "../../kernel/actor.ts";
import type { ActorRef } from "../../kernel/ref.ts";
import type { StartedActors } from "../actor_wiring.ts";
import type { ControlHandler } from "../control_handler.ts";
import { answers } from "../control_handler.ts";
import { checkRights } from "../rights/check_rights.ts";
import type { LiveHooks } from "../hook_wiring.ts";
import type { WiredMcp } from "../mcp_wiring.ts";
import type { WiredServices } from "../service_wiring.ts";
import type { WiredShell } from "../shell_wiring.ts";
import { changesBetween, type ConfigChanges, withoutWaiting } from "./changes.ts";
import {
  type ConfigEdits,
  configKeeperActor,
  type ConfigKeeperActorMessage,
  type ConfigKeeperMessage,
  type ConfigOutcome,
  type ConfigReport,
} from "./config_keeper.ts";
import { reloadRequest } from "./reload_request.ts";

const REPORT_MS = 2_000;
/** Channels that start anew may need a while to close what they have. */
const RELOAD_MS = 25_000;

/** What live configuration is made from. */
export interface LiveConfigOptions {
  readonly edits: ConfigEdits;
  readonly actors: StartedActors;
  readonly services: Pick<WiredServices, "now" | "revise" | "heartbeat">;
  readonly shell: Pick<WiredShell, "change">;
  readonly mcp: Pick<WiredMcp, "change">;
  readonly hooks: Pick<LiveHooks, "change">;
  readonly spawn: (
    definition: ActorDefinition<ConfigKeeperActorMessage>,
  ) => ActorRef<ConfigKeeperActorMessage>;
  readonly print: (line: string) => void;
}

/** Live configuration, as the rest of the gateway sees it. */
export interface LiveConfig {
  readonly report: () => Promise<ConfigReport>;
  readonly handlers: readonly ControlHandler[];
}

/** Starts the keeper. */
export function startLiveConfig(options: LiveConfigOptions): LiveConfig {
  const { edits, actors: { core: { alarms } }, print } = options;
  const apply = (next: LoadedConfig) => applyConfig(next, options);
  const keeper: ActorRef<ConfigKeeperMessage> = options.spawn(
    configKeeperActor({ edits, apply, alarms, print }),
  );
  return {
    report: () =>
      keeper.ask<ConfigReport>((replyTo) => ({ type: "report_config", replyTo }), {
        timeoutMs: REPORT_MS,
      }),
    handlers: [
      answers(
        reloadRequest,
        () =>
          keeper.ask<ConfigOutcome>((replyTo) => ({ type: "reload_config", replyTo }), {
            timeoutMs: RELOAD_MS,
          }),
      ),
    ],
  };
}

/** Applies what can be applied. What may refuse comes first, so that a refusal changes nothing. */
async function applyConfig(
  asked: LoadedConfig,
  { actors, services, shell, mcp, hooks, print }: LiveConfigOptions,
): Promise<ConfigChanges> {
  const { loaded: running } = services.now();
  const { loaded: inFile, lines } = checkRights(asked);
  const changes = changesBetween(running.config, inFile.config);
  if (changes.applied.length + changes.channels.length === 0) return changes;
  const next: LoadedConfig = {
    ...inFile,
    config: withoutWaiting(running.config, inFile.config),
    locations: running.locations,
    process: running.process,
  };
  const hold = services.revise(next);
  for (const line of lines) print(line);
  for (const warning of next.warnings) {
    if (!running.warnings.includes(warning)) print(`Config: ${warning}`);
  }
  const touches = (section: string) => changes.applied.some((key) => key.startsWith(section));
  // Before the rest: what new hooks shall guard must not come first.
  if (touches("hooks")) await hooks.change(next);
  hold(shell.change(next));
  const { defaults } = next.config.agents;
  actors.core.limit({
    permitsMax: defaults.maxConcurrentRequests,
    subagentsMax: defaults.maxConcurrentSubagents,
  });
  if (touches("gateway.heartbeat.")) await services.heartbeat.change();
  if (touches("tools.mcpServers")) await mcp.change(next);
  await actors.changeChannels(next);
  return changes;
}
