/**
 * A conversation in the terminal. Lines can be entered while answers come; a pipe is answered line
 * by line.
 * @module
 */

import { join } from "node:path";
import { asError } from "../../actors/kernel/errors.ts";
import { commandMenu } from "../../actors/session/command_table.ts";
import { HistoryFile } from "./adapters/history_file.ts";
import { type LineInput, readLines } from "./adapters/line_input.ts";
import { exit, exitCodeFor, untilAskedToStop } from "./adapters/process.ts";
import { type ChatLine, openChatLine } from "./chat_line.ts";
import type { ChatScene } from "./one_question.ts";
import { completions } from "./completions.ts";
import { hideLineEnds } from "./paste_filter.ts";
import { Screen } from "./screen.ts";
import type { SettledEvent, TerminalEvent } from "./terminal_events.ts";
import { VERSION } from "./version.ts";

const FAREWELLS: ReadonlySet<string> = new Set(["exit", "quit", "/exit", "/quit", ":q"]);
const HISTORY_FILE = "terminal_history";

/** Chats until the person leaves or the input ends; resolves with the exit code. */
export async function chat(scene: ChatScene & { readonly isTyped: boolean }): Promise<number> {
  const { loaded, terminal, dim, isTyped } = scene;
  const history = new HistoryFile(join(loaded.locations.homeFolder, HISTORY_FILE));
  const interrupted = untilAskedToStop();
  const input = readLines({
    prompt: "> ",
    history: isTyped ? await history.load() : [],
    complete: (line) => completions(line, commandMenu()),
  });
  const screen = new Screen({ write: input.writeAbove, pace: isTyped ? "lines" : "whole", dim });
  const open = new OpenMessages();
  try {
    await using line = await openChatLine({
      ...scene,
      isBrief: false,
      isAttended: isTyped,
      onWait: (reason) => terminal.writeError(`Waiting: ${reason}\n`),
      onEvent: (event: TerminalEvent) => {
        if (event.type === "settled") return open.settle(event);
        screen.show(event);
        input.redraw();
      },
    });
    let breakage: Error | undefined;
    let isAsked = false;
    void interrupted.then(() => {
      isAsked = true;
      open.giveUp();
      input.close();
    });
    line.broken.catch((error) => {
      breakage = asError(error);
      open.giveUp();
      input.close();
    });
    if (isTyped) greet(scene, line, input);
    const remember = (text: string) => isTyped ? history.append(hideLineEnds(text)) : undefined;
    await converse(line, input, { open, remember });
    input.close();
    if (breakage !== undefined) throw breakage;
    if (isTyped && !isAsked && line.via === "own" && open.count > 0) {
      terminal.write("Waiting for the running turn; Ctrl-C leaves it for the next time\n");
      void interrupted.then((signal) => exit(exitCodeFor(signal)));
    }
  } finally {
    input.close();
  }
  return !isTyped && open.failures > 0 ? 1 : 0;
}

function greet({ dim }: ChatScene, line: ChatLine, input: LineInput): void {
  const how = line.via === "gateway" ? ", through the running gateway" : "";
  input.writeAbove(`${dim(`Troupe ${VERSION}${how}. /help lists commands, exit leaves.`)}\n`);
  input.redraw();
}

interface Conversing {
  readonly open: OpenMessages;
  readonly remember: (text: string) => unknown;
}

async function converse(
  line: ChatLine,
  input: LineInput,
  { open, remember }: Conversing,
): Promise<void> {
  for await (const entered of input.lines) {
    const content = entered.toWellFormed().trim();
    if (FAREWELLS.has(content.toLowerCase())) return;
    if (content === "") continue;
    await remember(content);
    const platformId = crypto.randomUUID();
    open.add(platformId);
    if (await line.say({ platformId, content }) === "refused") {
      open.settle({ platformId, outcome: "failed" });
      input.writeAbove("Error: Cannot take the message in, try again\n");
      input.redraw();
    }
    // What is piped is a list of questions, not one question with afterthoughts.
    if (!input.isTyped) await open.none();
  }
}

/** Messages that were handed in and have not come to their end. */
class OpenMessages {
  readonly #platformIds = new Set<string>();
  #onNone: PromiseWithResolvers<void> | undefined;
  failures = 0;

  get count(): number {
    return this.#platformIds.size;
  }

  add(platformId: string): void {
    this.#platformIds.add(platformId);
  }

  settle({ platformId, outcome }: Omit<SettledEvent, "type">): void {
    if (!this.#platformIds.delete(platformId)) return;
    if (outcome === "failed") this.failures++;
    if (this.#platformIds.size === 0) this.#onNone?.resolve();
  }

  /** Nobody will tell of them any more. */
  giveUp(): void {
    this.#platformIds.clear();
    this.#onNone?.resolve();
  }

  /** Resolves when all have come to their end. */
  async none(): Promise<void> {
    if (this.#platformIds.size === 0) return;
    this.#onNone = Promise.withResolvers<void>();
    await this.#onNone.promise;
  }
}
