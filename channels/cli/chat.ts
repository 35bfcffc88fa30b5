/**
 * A conversation in the terminal. Lines can be entered while answers come; a pipe is answered line
 * by line.
 * @module
 */

import { join } from "node:path";
import { systemClock } from "../../actors/kernel/adapters/system_clock.ts";
import { sleep } from "../../actors/kernel/clock.ts";
import { asError } from "../../actors/kernel/errors.ts";
import { commandMenu } from "../../actors/session/command_table.ts";
import { HistoryFile } from "./adapters/history_file.ts";
import { type LineInput, readLines } from "./adapters/line_input.ts";
import { exit, exitCodeFor, untilAskedToStop } from "./adapters/process.ts";
import { type ChatLine, openChatLine } from "./chat_line.ts";
import type { ChatScene } from "./one_question.ts";
import { completions } from "./completions.ts";
import { OpenMessages, RunningTurn } from "./open_messages.ts";
import { OutputError } from "./output_error.ts";
import { hideLineEnds } from "./paste_filter.ts";
import { Screen } from "./screen.ts";
import { waitForSubagents } from "./subagent_wait.ts";
import { eventLine, type HandedInEvent, type TerminalEvent } from "./terminal_events.ts";
import { VERSION } from "./version.ts";

const FAREWELLS: ReadonlySet<string> = new Set(["exit", "quit", "/exit", "/quit", ":q"]);
const HISTORY_FILE = "terminal_history";
const REFUSED_TEXT = "Error: Cannot take the message in, try again";

/** A conversation, and whether a person types it. */
export type ConversationScene = ChatScene & { readonly isTyped: boolean };

/** Chats until the person leaves or the input ends; resolves with the exit code. */
export async function chat(scene: ConversationScene): Promise<number> {
  const { loaded, terminal, isTyped } = scene;
  const history = new HistoryFile(join(loaded.locations.homeFolder, HISTORY_FILE));
  const conversation = new Conversation(scene, {
    history: isTyped ? await history.load() : [],
    remember: (text) => isTyped ? history.append(hideLineEnds(text)) : Promise.resolve(),
  });
  using _input = { [Symbol.dispose]: () => conversation.close() };
  await using line = await openChatLine({
    ...scene,
    isBrief: false,
    isAttended: isTyped,
    onWait: (reason) => terminal.writeError(`Waiting: ${reason}\n`),
    onEvent: (event) => conversation.show(event),
  });
  await conversation.hold(line);
  return conversation.exitCode;
}

/** What was typed before, and where it is kept. */
interface Memory {
  readonly history: readonly string[];
  readonly remember: (text: string) => Promise<void>;
}

class Conversation {
  readonly #scene: ConversationScene;
  readonly #memory: Memory;
  readonly #input: LineInput;
  readonly #screen: Screen;
  readonly #open: OpenMessages = new OpenMessages();
  readonly #turn: RunningTurn = new RunningTurn(this.#open, () => crypto.randomUUID());
  readonly #interrupted: Promise<Deno.Signal> = untilAskedToStop();
  /** A signal, or a line that broke, ended it. */
  #isCut = false;
  #breakage: Error | undefined;
  /** Nothing more is said; what was said may still be on its way. */
  #isOver = false;
  /** The signal has stopped a turn, and done its work; the next one ends the process by itself. */
  #isSpent = false;

  constructor(scene: ConversationScene, memory: Memory) {
    const { dim, isTyped, makeRenderer } = scene;
    this.#scene = scene;
    this.#memory = memory;
    this.#input = readLines({
      prompt: "> ",
      isTyped,
      history: memory.history,
      complete: (line) => completions(line, commandMenu()),
      onInterrupt: () => this.#turn.stop(),
      onLost: (reason) => this.#lose(reason),
    });
    const pace = isTyped ? "lines" : "whole";
    this.#screen = new Screen({ write: this.#input.writeAbove, pace, dim, makeRenderer });
  }

  /** 1 when a question that was not typed got no good answer. */
  get exitCode(): number {
    return !this.#scene.isTyped && this.#open.failures > 0 ? 1 : 0;
  }

  show(event: TerminalEvent): void {
    const isJson = this.#scene.isJson ?? false;
    if (isJson) this.#input.writeAbove(eventLine(event));
    if (event.type === "settled") return this.#open.settle(event);
    if (!isJson) this.#screen.show(event);
    if (this.#input.makesWay || event.phase === "final") this.#input.redraw();
  }

  /** Holds the conversation to its end. @throws what broke the line */
  async hold(line: ChatLine): Promise<void> {
    const { terminal, isTyped } = this.#scene;
    this.#watch(line);
    if (isTyped) this.#greet(line);
    await this.#converse(line);
    this.#isOver = true;
    this.#input.close();
    if (this.#breakage !== undefined) throw this.#breakage;
    if (this.#isCut || line.via !== "own") return;
    const left = this.#isSpent ? Promise.withResolvers<never>().promise : this.#interrupted;
    // Where the line was cut, its end may come before the signal: the turn still gets its moment.
    if (isTyped) void left.then((signal) => signal !== "SIGHUP" && exit(exitCodeFor(signal)));
    if (isTyped && this.#open.count > 0) {
      terminal.write("Waiting for the running turn; Ctrl-C leaves it for the next time\n");
    }
    const over = new AbortController();
    using _over = { [Symbol.dispose]: () => over.abort() };
    await Promise.race([this.#untilDone(line, over.signal), left]);
  }

  /** What was said has its answer, and subagents their results. */
  async #untilDone(line: ChatLine, signal: AbortSignal): Promise<void> {
    const { terminal, loaded } = this.#scene;
    const limitMs = loaded.config.agents.subagents.timeoutS * 1_000;
    await Promise.race([this.#open.none(), sleep(systemClock, limitMs, signal)]);
    await waitForSubagents(line, { terminal, limitMs, signal });
  }

  close(): void {
    this.#input.close();
  }

  #watch(line: ChatLine): void {
    const { dim, isTyped } = this.#scene;
    this.#turn.stopBy((said) => {
      this.#say(dim("Stopping; Ctrl-C again leaves"));
      line.say(said).catch(() => {}); // a line that broke tells of it below
    });
    void this.#interrupted.then((signal) => {
      // From a terminal that edits its lines itself, Ctrl-C comes as a signal; a second one ends.
      this.#isSpent = isTyped && signal === "SIGINT" && !this.#isOver && this.#turn.stop();
      if (signal === "SIGHUP") line.leave();
      if (!this.#isSpent) this.#cut();
    });
    line.broken.catch((error) => {
      this.#breakage = asError(error);
      this.#cut();
    });
  }

  /** The terminal, or a pipe, can no more be read from or written to. */
  #lose(reason: Error | "gone"): void {
    if (this.#isCut) return;
    if (reason !== "gone") this.#breakage = new OutputError(reason);
    this.#cut();
  }

  #cut(): void {
    this.#isCut = true;
    this.#open.giveUp();
    this.#input.close();
  }

  #greet({ via }: ChatLine): void {
    const how = via === "gateway" ? ", through the running gateway" : "";
    this.#say(this.#scene.dim(`Troupe ${VERSION}${how}. /help lists commands, exit leaves.`));
  }

  async #converse(line: ChatLine): Promise<void> {
    for await (const entered of this.#input.lines) {
      const content = entered.toWellFormed().trim();
      if (FAREWELLS.has(content.toLowerCase())) return;
      if (content === "") continue;
      await this.#memory.remember(content);
      const platformId = crypto.randomUUID();
      this.#open.add(platformId);
      const result = await line.say({ platformId, content });
      this.#tell({ type: "handed_in", platformId, result });
      if (result === "refused") this.#open.settle({ platformId, outcome: "failed" });
      // What is piped is a list of questions, not one question with afterthoughts.
      if (!this.#input.isTyped) await this.#open.none();
    }
  }

  #tell(event: HandedInEvent): void {
    if (this.#scene.isJson === true) this.#input.writeAbove(eventLine(event));
    else if (event.result === "refused") this.#say(REFUSED_TEXT);
  }

  #say(text: string): void {
    this.#input.writeAbove(`${text}\n`);
    this.#input.redraw();
  }
}
