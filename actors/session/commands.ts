/**
 * What slash commands do. Each ends in one step: the command is done, and its reply is on its way.
 * @module
 */

import { estimateMessageTokens } from "../../providers/tokens.ts";
import type { Inbound } from "../journal/journal.ts";
import { sumUsage } from "../journal/usage.ts";
import { unreachable } from "../kernel/invariant.ts";
import { NOTHING_TO_DECIDE } from "./approval.ts";
import type { ApprovalDesk } from "./approval_desk.ts";
import type { SpentBudget } from "./budgets.ts";
import { type CommandName, helpText, statusText } from "./command_table.ts";
import { waitingBefore } from "./incoming.ts";
import { commandReply, stopWork, type UnfinishedTurn } from "./interruption.ts";
import type { SessionServices } from "./ports.ts";
import type { SessionLog } from "./session_log.ts";
import type { SessionMemory } from "./session_memory.ts";
import { usageText } from "./usage_text.ts";
import {
  CANNOT_RESTART,
  newSessionText,
  OWNERS_ONLY,
  RESTARTING,
  STOPPED_NOTE,
  stoppedText,
} from "./wording.ts";

/** A command and what it may look at and change. */
export interface CommandScene {
  readonly name: CommandName;
  readonly command: Inbound;
  readonly services: SessionServices;
  readonly log: SessionLog;
  readonly memory: SessionMemory;
  /** The session's turn. Whoever runs `stop` or `new` has aborted its work and waited for its end. */
  readonly turn: UnfinishedTurn | undefined;
  /** What the turn waits for. */
  readonly paused: SpentBudget | undefined;
  readonly desk: ApprovalDesk;
}

/**
 * Carries out a command.
 *
 * @throws {JournalError} {SessionFileError} when it has to be repeated; it still waits then
 */
export async function carryOut(scene: CommandScene): Promise<void> {
  switch (scene.name) {
    case "help":
      return await reply(scene, helpText());
    case "status":
      return await reply(scene, await describe(scene));
    case "usage":
      return await reply(scene, await usage(scene));
    case "stop":
      return await stop(scene);
    case "restart":
      return await restart(scene);
    case "new":
      return await startAnew(scene);
    case "approve":
    case "deny":
      return await decide(scene);
    default:
      return unreachable(scene.name);
  }
}

async function reply({ log, command }: CommandScene, content: string): Promise<void> {
  await log.commit({
    inbounds: [{ seq: command.seq, state: "done" }],
    outbounds: commandReply(command, content),
  });
}

/** The command is done, and who asked is noted for the next start, before the process ends. */
async function restart(scene: CommandScene): Promise<void> {
  const { log, command, services } = scene;
  if (services.restart === undefined) return await reply(scene, CANNOT_RESTART);
  if (!services.restart.isAllowed(command)) return await reply(scene, OWNERS_ONLY);
  await log.commit({
    inbounds: [{ seq: command.seq, state: "done" }],
    outbounds: commandReply(command, RESTARTING),
    notes: [services.restart.noteFor(command)],
  });
  services.restart.request();
}

/** The session hears most answers before they become commands; this is for those it was not told. */
async function decide(scene: CommandScene): Promise<void> {
  const { desk, command, log } = scene;
  if (desk.isAnswer(command)) return await desk.decide(command, log);
  await reply(scene, desk.isOpen ? OWNERS_ONLY : NOTHING_TO_DECIDE);
}

async function stop({ log, command, services, turn }: CommandScene): Promise<void> {
  const waiting = await waitingBefore(services.journal, log.sessionKey, command.seq);
  const running = turn?.steps.unanswered.length ?? 0;
  const confirmation = stoppedText(running, waiting.length);
  await stopWork(log, { command, turn, waiting, note: STOPPED_NOTE, confirmation });
}

/** That the conversation begins anew is durable with the command; a crash only delays it. */
async function startAnew({ log, command, services, memory, turn }: CommandScene): Promise<void> {
  const waiting = await waitingBefore(services.journal, log.sessionKey, command.seq);
  const stopped = (turn?.steps.unanswered.length ?? 0) + waiting.length;
  const confirmation = newSessionText(stopped);
  await stopWork(log, { command, turn, waiting, note: null, confirmation });
  await log.clear();
  memory.forgetConversation();
}

async function usage({ services, log, paused }: CommandScene): Promise<string> {
  const { usage: ledger, settings: { timezone } } = services;
  const report = await ledger.report(log.sessionKey);
  return usageText(report, { timezone, tomorrowMs: ledger.tomorrowMs, paused });
}

async function describe({ services, log, memory, turn }: CommandScene): Promise<string> {
  const { settings, uptimeMs } = services;
  return statusText({
    version: settings.version,
    model: settings.model,
    lastUsage: sumUsage(await services.usage.turn(log.sessionKey)),
    contextTokens: memory.contextTokens || estimate(log),
    contextWindowTokens: settings.contextWindowTokens,
    tokensMax: settings.tokensMax,
    messageCount: log.conversation.replayableCount,
    uptimeMs: uptimeMs(),
    activeTasks: turn === undefined ? 0 : 1,
    searchUsage: await services.searchUsage?.(),
  });
}

function estimate(log: SessionLog): number {
  return log.conversation.replay().reduce(
    (sum, message) => sum + estimateMessageTokens(message),
    0,
  );
}
