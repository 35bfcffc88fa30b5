/**
 * `agent`: one question and its answer, or a conversation in the terminal.
 * @module
 */

import { isTyped, readAll } from "../adapters/line_input.ts";
import type { Terminal } from "../adapters/terminal.ts";
import { chat } from "../chat.ts";
import { offerFirstRun } from "../first_run.ts";
import { loadAndPrepare, type LoadFlags } from "../load.ts";
import { askOnce } from "../one_question.ts";
import { dimOn, markdownOn } from "../styles.ts";
import { terminalPlace } from "../terminal_events.ts";

/** Flags of the command. */
export interface AgentFlags extends LoadFlags {
  readonly message?: string | undefined;
  readonly session?: string | undefined;
  readonly logs?: boolean | undefined;
  /** Prints events as lines of JSON. */
  readonly json?: boolean | undefined;
  /** False for `--no-markdown`: answers stand as the model wrote them. */
  readonly markdown?: boolean | undefined;
}

/** `--message -`: what is asked comes from standard input, all of it. */
const FROM_INPUT = "-";

/** Answers `--message`, or chats until the person leaves; resolves with the exit code. */
export async function agentCommand(flags: AgentFlags, terminal: Terminal): Promise<number> {
  const left = flags.message === undefined ? await offerFirstRun(flags, terminal) : null;
  if (left !== null) return left;
  const loaded = await loadAndPrepare(flags, terminal, { logs: flags.logs ?? false });
  const scene = {
    loaded,
    terminal,
    place: terminalPlace(flags.session),
    namedWorkspace: flags.workspace === undefined ? null : loaded.locations.workspace,
    dim: dimOn(terminal),
    makeRenderer: markdownOn(terminal, flags.markdown ?? true),
    isJson: flags.json ?? false,
  };
  const { message } = flags;
  if (message === undefined) return await chat({ ...scene, isTyped: isTyped() && !scene.isJson });
  return await askOnce(scene, message === FROM_INPUT ? await readAll() : message);
}
