/**
 * What the gateway itself says, to people and to the model, in the name of a session.
 * @module
 */

import { UNASKED_TURN_MINUTES } from "./turn_limit.ts";

/** To the model: its answer was cut off in its text. */
export const CUT_TEXT_PROMPT: string =
  "Your answer was cut off at the length limit. Go on exactly where it stopped: repeat nothing, " +
  "explain nothing.";

/** To the model: its answer was cut off in a tool call. */
export const CUT_CALL_PROMPT: string =
  "Your answer was cut off at the length limit while you wrote a tool call, so the call was not " +
  "run. Make it smaller, for instance in several steps, or answer without it.";

/** To the model: it said nothing, twice. */
export const FINAL_ANSWER_PROMPT: string =
  "You have not said anything yet. Give your final answer to the person now, as text.";

/** To people: the model said nothing at all. */
export const BLANK_ANSWER: string =
  "I worked on this but could not put an answer into words. Please ask again, perhaps differently.";

/** In the history, in place of an answer that never came. */
export const UNAVAILABLE_NOTE = "(No answer could be given to this.)";

/** In the history, where a turn was ended on request. */
export const STOPPED_NOTE = "(This was stopped on request before an answer was given.)";

/** In the history, where an exchange was taken back. */
export const UNDONE_NOTE = "(This was taken back on request: it is not part of the conversation.)";

/** In the history, where a message was put aside. */
export const PARKED_NOTE = "(This message was set aside: every attempt to answer it broke off.)";

/** To people: their message cannot be dealt with. */
export const PARKED_NOTICE: string =
  "Sorry, something failed on my side each time I tried to answer this message. I have set it aside " +
  "and go on without it; sending it again in other words may help.";

/** To people: their conversation's file cannot be read, for a reason that does not pass. */
export function unreadableNotice(reason: string): string {
  return `Sorry, an error: the file of this conversation cannot be read (${reason}). Once it can, ` +
    "or is moved away, please send your message again.";
}

/** To people: who may not use a command. */
export const OWNERS_ONLY = "Only an owner of this assistant can do that.";

/** To people: a command broke. */
export function commandFailed(name: string, reason: string): string {
  return `Sorry, /${name} failed: ${reason}`;
}

/** To people: a command came with files. */
export const ATTACHMENT_NOTE: string = "(I did not look at what was attached: a command takes no " +
  "files. Send it again with your question.)";

/** To people: a command that does not work where they are. */
export const CANNOT_RESTART = "I cannot restart myself here: I run for a single errand.";

/** To people: a restart begins. */
export const RESTARTING = "Restarting. I will be back in a moment.";

/** To people: their message was ended by a `/stop` or `/new`. */
export const STOPPED_MARK = "(stopped)";

/** To the model: the arguments of a call cannot be used. */
export function invalidArguments(toolName: string, problem: string): string {
  return `Error: the arguments of ${toolName} cannot be used, so it was not run: ${problem}`;
}

/** To the model: it asked for more at once than is run. */
export function tooManyCalls(callsMax: number): string {
  return `Error: not run: one answer may ask for ${callsMax} tool calls. Go on with fewer at a time.`;
}

/** To the model: it looked the same thing up before. */
export function repeatedLookup(toolName: string): string {
  return `Error: ${toolName} was already called twice with this; it was not run again. ` +
    "Use the results that you have, or try something else.";
}

/** To the model: a tool broke. */
export function brokenTool(toolName: string, reason: string): string {
  return `Error: ${toolName} failed: ${reason}`;
}

/** To people: what they saw of the answer, and the provider's own sentence on why it ends there. */
export function modelFailure(shown: string, userText: string): string {
  return shown === "" ? userText : `${shown}\n\n${userText}`;
}

/** To people: the turn has used up its rounds of tools. */
export function iterationLimit(roundsMax: number, toolNames: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const name of toolNames) counts.set(name, (counts.get(name) ?? 0) + 1);
  const done = [...counts].map(([name, count]) => count === 1 ? name : `${name} × ${count}`);
  const limit = `I reached the limit of ${roundsMax} tool ${
    roundsMax === 1 ? "round" : "rounds"
  } for one message before I was done.`;
  return `${limit} Used so far: ${done.join(", ")}. Tell me to go on if you want me to continue.`;
}

/** To people: the turn goes round in circles. */
export function noProgress(toolNames: readonly string[]): string {
  const tools = [...new Set(toolNames)].join(", ");
  return `I stopped here: I kept doing the same (${tools}) and kept getting the same result, so I ` +
    "was making no progress. Tell me what to try instead, or what I am missing.";
}

/** To people: a job or a look of the heartbeat took too long. */
export function outOfTime(rounds: number): string {
  const used = rounds === 0 ? "no tool" : `tools in ${counted(rounds, "round")}`;
  return `This took longer than the ${UNASKED_TURN_MINUTES} minutes that a job may take, and was ` +
    `stopped as failed (it had used ${used}). What it had done so far stays done.`;
}

/** To people: the model did not answer, and is asked again after a while. */
export function retryWait(delayMs: number): string {
  return `The model does not answer just now; I try again in ${Math.ceil(delayMs / 1_000)} s.`;
}

/** To people in another chat than the one that asked: their message was stopped. */
export const STOPPED_ELSEWHERE = "This was stopped on request before I could answer.";

/** To people: what `/stop` ended. */
export function stoppedText(running: number, waiting: number, subagents: number = 0): string {
  if (running + waiting + subagents === 0) {
    return "Nothing is running here, so nothing was stopped.";
  }
  const parts = [];
  if (running > 0) parts.push(`${running} running`);
  if (waiting > 0) parts.push(`${waiting} waiting`);
  const messages = `${parts.join(" and ")} ${running + waiting === 1 ? "message" : "messages"}`;
  if (subagents === 0) return `Stopped ${messages}.`;
  const helpers = counted(subagents, "subagent");
  return parts.length === 0 ? `Stopped ${helpers}.` : `Stopped ${messages} and ${helpers}.`;
}

/** What `/undo` took back. */
export interface Undone {
  /** What somebody had said. */
  readonly said: string;
  /** Messages that are set aside, tool calls and results included. */
  readonly messages: number;
  /** Messages of people that had no answer yet. */
  readonly stopped: number;
  /** Names of the tools that were used. */
  readonly tools: readonly string[];
  /** Another program wrote it. */
  readonly isForeign: boolean;
  /** Something was said, of which only a summary is left. */
  readonly isSummedUp: boolean;
}

/** Characters of what is taken back that are told. */
const SAID_CHARS_MAX = 80;

/** To people: what `/undo` did, and what it did not. */
export function undoneText(
  { said, messages, stopped, tools, isForeign, isSummedUp }: Undone,
): string {
  if (isForeign) return "I cannot take that back: another program wrote it into this conversation.";
  if (messages + stopped === 0) {
    return isSummedUp
      ? "I cannot take that back: what was said before is summed up, and only the summary is left."
      : "There is nothing here that I could take back.";
  }
  const flat = said.replaceAll(/\s+/g, " ").trim();
  const cut = flat.length > SAID_CHARS_MAX
    ? `${flat.slice(0, SAID_CHARS_MAX).toWellFormed()}…`
    : flat;
  const what = cut === "" ? "Took the last exchange back" : `Took back “${cut}”`;
  const rest = stopped > 0 ? ", which had no answer yet." : " and what I answered.";
  const done = tools.length === 0
    ? ""
    : ` What tools did is not undone, and files stay as they are; used were: ${tools.join(", ")}.`;
  return `${what}${rest} I do not see it any more; it stays in the conversation's file.${done}`;
}

/** To people: what `/new` did. */
export function newSessionText(stopped: number, subagents: number = 0): string {
  const what = [
    ...(stopped === 0 ? [] : [counted(stopped, "unfinished message")]),
    ...(subagents === 0 ? [] : [counted(subagents, "subagent")]),
  ];
  const started = "New session started.";
  if (what.length === 0) return started;
  return `${started} ${what.join(" and ")} ${stopped + subagents === 1 ? "was" : "were"} stopped.`;
}

/** `1 message`, `2 messages`. */
export function counted(count: number, one: string, many: string = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}
