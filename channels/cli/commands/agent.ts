/**
 * `agent`: one question and its answer, or a conversation in the terminal.
 * @module
 */

import { isTyped } from "../adapters/line_input.ts";
import type { Terminal } from "../adapters/terminal.ts";
import { chat } from "../chat.ts";
import { offerFirstRun } from "../first_run.ts";
import { loadAndPrepare, type LoadFlags } from "../load.ts";
import { askOnce } from "../one_question.ts";
import { dimOn } from "../styles.ts";
import { terminalPlace } from "../terminal_events.ts";

/** Flags of the command. */
export interface AgentFlags extends LoadFlags {
  readonly message?: string | undefined;
  readonly session?: string | undefined;
  readonly logs?: boolean | undefined;
}

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
  };
  const { message } = flags;
  return message === undefined
    ? await chat({ ...scene, isTyped: isTyped() })
    : await askOnce(scene, message);
}
