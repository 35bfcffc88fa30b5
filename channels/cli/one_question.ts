/**
 * One question, its answer, and the end.
 * @module
 */

import type { LoadedConfig } from "../../actors/config/load_config.ts";
import { systemClock } from "../../actors/kernel/adapters/system_clock.ts";
import { sleep } from "../../actors/kernel/clock.ts";
import { asError } from "../../actors/kernel/errors.ts";
import { parseCommand } from "../../actors/session/command_table.ts";
import { exitCodeFor, untilAskedToStop } from "./adapters/process.ts";
import type { Terminal } from "./adapters/terminal.ts";
import { type ChatLine, openChatLine } from "./chat_line.ts";
import type { LineRenderer } from "./markdown/line_renderer.ts";
import { OutputError } from "./output_error.ts";
import { Screen } from "./screen.ts";
import { waitForSubagents } from "./subagent_wait.ts";
import {
  eventLine,
  type SettledEvent,
  type TerminalEvent,
  type TerminalPlace,
} from "./terminal_events.ts";

/** A conversation that gives no sign, not even to /stop, is left after this long. */
const LEAVE_MS = 5_000;

/** What a conversation in the terminal is made of. */
export interface ChatScene {
  readonly loaded: LoadedConfig;
  readonly terminal: Terminal;
  readonly place: TerminalPlace;
  /** The workspace that a person named on the command line. */
  readonly namedWorkspace: string | null;
  /** Makes secondary text unobtrusive. */
  readonly dim: (text: string) => string;
  /** Shows answers as Markdown; undefined: as they stand. */
  readonly makeRenderer: (() => LineRenderer) | undefined;
  /** Prints events, for scripts, in place of texts. @default false */
  readonly isJson?: boolean;
}

/** Asks, shows the answer, and resolves with the exit code: 1 when there is no good answer. */
export async function askOnce(scene: ChatScene, question: string): Promise<number> {
  const { terminal, dim, makeRenderer, isJson = false } = scene;
  const over = new AbortController();
  using _ended = { [Symbol.dispose]: () => over.abort() };
  const interrupted = untilAskedToStop(over.signal);
  const pace = !terminal.isInteractive ? "whole" : makeRenderer === undefined ? "letters" : "lines";
  const output = Promise.withResolvers<never>();
  const write = writerOf(terminal, output.reject);
  const screen = new Screen({ write, pace, dim, makeRenderer });
  const { promise: settled, resolve } = Promise.withResolvers<SettledEvent["outcome"]>();
  const platformId = crypto.randomUUID();
  const stopId = crypto.randomUUID();
  const stopped = Promise.withResolvers<void>();
  await using line = await openChatLine({
    ...scene,
    isBrief: true,
    onWait: (reason) => terminal.writeError(`Waiting: ${reason}\n`),
    onEvent: (event: TerminalEvent) => {
      if (isJson) write(eventLine(event));
      else if (event.type === "shown") screen.show(event);
      if (event.type === "settled" && event.platformId === platformId) resolve(event.outcome);
      if (event.type === "settled" && event.platformId === stopId) stopped.resolve();
    },
  });
  const result = await line.say({ platformId, content: question });
  if (isJson) write(eventLine({ type: "handed_in", platformId, result }));
  if (result === "refused") {
    terminal.writeError("Error: Cannot take the message in: the journal could not keep it\n");
    return 1;
  }
  const ended = await Promise.race([
    settled,
    output.promise,
    line.broken,
    interrupted.then((signal) => ({ signal })),
  ]);
  const cut = typeof ended === "string"
    ? await Promise.race([untilDone(line, { scene, question, signal: over.signal }), interrupted])
    : ended.signal;
  if (cut === null) return ended === "failed" ? 1 : 0;
  await leave(line, stopId, { stopped: stopped.promise, terminal });
  return exitCodeFor(cut);
}

/** The question has its answer, and subagents may work on for it; a command starts none. */
async function untilDone(
  line: ChatLine,
  { scene: { terminal, loaded }, question, signal }: {
    readonly scene: Pick<ChatScene, "terminal" | "loaded">;
    readonly question: string;
    readonly signal: AbortSignal;
  },
): Promise<null> {
  if (line.via === "gateway" && parseCommand(question) !== null) return null;
  const limitMs = loaded.config.agents.subagents.timeoutS * 1_000;
  await waitForSubagents(line, { terminal, limitMs, signal });
  return null;
}

/** On a signal: a gateway goes on with the question, a process of its own lets go of it. */
async function leave(
  line: ChatLine,
  stopId: string,
  { stopped, terminal }: { readonly stopped: Promise<unknown>; readonly terminal: Terminal },
): Promise<void> {
  if (line.via === "gateway") {
    terminal.writeError("The gateway goes on with it; the answer will stand in the conversation\n");
    return;
  }
  await line.say({ platformId: stopId, content: "/stop" });
  await Promise.race([stopped, sleep(systemClock, LEAVE_MS)]);
}

/** An output that fails (a full disk) ends the command; the answer stands in the conversation. */
function writerOf(
  { write }: Terminal,
  fail: (error: Error) => void,
): (text: string) => void {
  return (text) => {
    try {
      write(text);
    } catch (error) {
      fail(new OutputError(asError(error)));
    }
  };
}
