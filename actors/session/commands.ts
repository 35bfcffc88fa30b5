/**
 * What slash commands do. Each ends in one step: the command is done, and its reply is on its way.
 * @module
 */

import { getLogger } from "@logtape/logtape";
import { estimateMessageTokens } from "../../providers/tokens.ts";
import { JournalError } from "../journal/journal.ts";
import { sumUsage } from "../journal/usage.ts";
import { asError } from "../kernel/errors.ts";
import { answerIn, NOTHING_TO_DECIDE, QUESTION_OVER } from "./approval.ts";
import type { CommandScene } from "./command_scene.ts";
import { context } from "./context_report.ts";
import { type CommandName, helpText, isForOwners } from "./command_table.ts";
import { goal } from "./goal/goal_command.ts";
import { GOAL_STOPPED, statusLine } from "./goal/goal_text.ts";
import { waitingBefore } from "./incoming.ts";
import { commandReply, stopWork } from "./interruption.ts";
import {
  DREAM_STARTED,
  LISTED_VERSIONS,
  NO_MEMORY,
  restoredText,
  versionsText,
  versionText,
} from "./memory_text.ts";
import { model } from "./model_command.ts";
import type { SessionServices } from "./ports.ts";
import type { SessionLog } from "./session_log.ts";
import { statusText } from "./status_text.ts";
import { isMeant, stopsOneWork } from "./own_work.ts";
import { isUnderWay } from "./subagents/subagent_row.ts";
import { undo } from "./undo_command.ts";
import { usageText } from "./usage_text.ts";
import {
  ATTACHMENT_NOTE,
  CANNOT_RESTART,
  commandFailed,
  newSessionText,
  OWNERS_ONLY,
  RESTARTING,
  STOPPED_NOTE,
  stoppedText,
} from "./wording.ts";

const logger = getLogger(["troupe", "session", "commands"]);

/** Commands that change something with the step that ends them. */
type ActingCommand = "goal" | "stop" | "undo" | "new" | "restart" | "approve" | "deny";

const ACTING: Readonly<Record<ActingCommand, (scene: CommandScene) => Promise<void>>> = {
  goal,
  stop,
  undo,
  new: startAnew,
  restart,
  approve: decide,
  deny: decide,
};

/** What the others answer. What fails there is told, and the command is done. */
const TELLING: Readonly<
  Record<Exclude<CommandName, ActingCommand>, (scene: CommandScene) => Promise<string> | string>
> = {
  help: helpText,
  status: describe,
  context,
  model,
  usage,
  dream: startDream,
  "dream-log": showVersion,
  "dream-restore": restoreVersion,
};

/**
 * Carries out a command.
 *
 * @throws {JournalError} {SessionFileError} when it has to be repeated; it still waits then
 */
export async function carryOut(scene: CommandScene): Promise<void> {
  const { name, command, services } = scene;
  const isRefused = isForOwners(name) && services.isOwner?.(command) === false;
  if (isRefused) return await reply(scene, OWNERS_ONLY);
  if (isActing(name)) return await ACTING[name](scene);
  const notes = command.media.length === 0 ? [] : [ATTACHMENT_NOTE];
  await reply(scene, [await answerOf(scene, TELLING[name]), ...notes].join("\n\n"));
}

function isActing(name: CommandName): name is ActingCommand {
  return Object.hasOwn(ACTING, name);
}

async function answerOf(
  scene: CommandScene,
  tell: (scene: CommandScene) => Promise<string> | string,
): Promise<string> {
  try {
    return await tell(scene);
  } catch (thrown) {
    if (thrown instanceof JournalError) throw thrown;
    const { message: reason } = asError(thrown);
    const { name, log: { sessionKey } } = scene;
    logger.error("/{name} of {sessionKey} failed: {reason}", { name, sessionKey, reason });
    return commandFailed(name, reason);
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
  if (!desk.isOpen) return await reply(scene, NOTHING_TO_DECIDE);
  const names = typeof answerIn(command.content)?.question === "string";
  await reply(scene, names ? QUESTION_OVER : OWNERS_ONLY);
}

/** The rows of subagents wait like messages: one step stops all of them, and then their work ends. */
async function stop(
  { log, command, services, turn, subagents, goals }: CommandScene,
): Promise<void> {
  const isGoalStopped = !stopsOneWork(command) && await goals.stop(log);
  const before = await waitingBefore(services.journal, log.sessionKey, command.seq);
  const waiting = before.filter((inbound) => isMeant(command, inbound));
  const running = turn?.steps.unanswered.length ?? 0;
  const underWay = waiting.filter(isUnderWay).length;
  const stopped = stoppedText(running, waiting.length - underWay, underWay);
  const confirmation = isGoalStopped ? `${stopped} ${GOAL_STOPPED}` : stopped;
  await stopWork(log, { command, turn, waiting, note: STOPPED_NOTE, confirmation });
  const others = before.filter((inbound) => !waiting.includes(inbound));
  const spared = new Set(others.map(({ platformId }) => platformId));
  await subagents.stopAll({ but: spared });
}

/** That the conversation begins anew is durable with the command; a crash only delays it. */
async function startAnew(
  { log, command, services, memory, turn, upkeep, subagents, goals }: CommandScene,
): Promise<void> {
  await upkeep.halt();
  await goals.stop(log);
  const waiting = await waitingBefore(services.journal, log.sessionKey, command.seq);
  const underWay = waiting.filter(isUnderWay).length;
  const stopped = (turn?.steps.unanswered.length ?? 0) + waiting.length - underWay;
  const confirmation = newSessionText(stopped, underWay);
  const isKept = services.archive !== undefined;
  await stopWork(log, { command, turn, waiting, note: null, confirmation, isKept });
  await subagents.stopAll();
  await log.clear();
  upkeep.conversationEnded();
  memory.forgetConversation();
}

function startDream({ services, command }: CommandScene): string {
  if (services.memory === undefined) return NO_MEMORY;
  services.memory.dream(command);
  return DREAM_STARTED;
}

async function showVersion({ services, argument, command }: CommandScene): Promise<string> {
  const { memory, settings: { timezone } } = services;
  if (memory === undefined) return NO_MEMORY;
  if (!memory.mayLook(command)) return OWNERS_ONLY;
  const id = firstWord(argument);
  return versionText(await memory.show(id === "" ? null : id), id, timezone);
}

async function restoreVersion({ services, argument, command }: CommandScene): Promise<string> {
  const { memory, settings: { timezone } } = services;
  if (memory === undefined) return NO_MEMORY;
  if (!memory.mayLook(command)) return OWNERS_ONLY;
  const id = firstWord(argument);
  if (id === "") return versionsText(await memory.list(LISTED_VERSIONS), timezone);
  return restoredText(await memory.restore(id), id);
}

function firstWord(argument: string): string {
  return argument.trim().split(/\s+/)[0] ?? "";
}

async function usage({ services, log, paused }: CommandScene): Promise<string> {
  const { usage: ledger, settings: { timezone } } = services;
  const report = await ledger.report(log.sessionKey);
  return usageText(report, { timezone, tomorrowMs: ledger.tomorrowMs, paused });
}

async function describe(
  { services, log, memory, turn, subagents, hurry, goals }: CommandScene,
): Promise<string> {
  const { settings, uptimeMs } = services;
  const { goal, use } = await goals.read();
  return statusText({
    version: settings.version,
    model: settings.model,
    lastUsage: sumUsage(await services.usage.turn(log.sessionKey)),
    contextTokens: memory.contextTokens || estimate(log),
    contextWindowTokens: settings.contextWindowTokens,
    tokensMax: settings.tokensMax,
    messageCount: log.conversation.replayableCount,
    uptimeMs: uptimeMs(),
    activeTasks: (turn === undefined ? 0 : 1) + subagents.statuses.length,
    subagents: subagents.statuses.map(({ task: { label }, phase }) => ({ label, phase })),
    goal: goal?.state === "active" ? statusLine(goal, use) : undefined,
    searchUsage: await searchUsage(services, hurry),
  });
}

/** Whatever it does, the rest of the block is told. */
async function searchUsage(
  { searchUsage: ask }: SessionServices,
  hurry: AbortSignal,
): Promise<string | undefined> {
  try {
    return await ask?.(hurry);
  } catch (thrown) {
    return `unavailable (${asError(thrown).message})`;
  }
}

function estimate(log: SessionLog): number {
  return log.conversation.replay().reduce(
    (sum, message) => sum + estimateMessageTokens(message),
    0,
  );
}
