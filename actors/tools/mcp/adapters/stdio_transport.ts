/**
 * A server as a child process: messages are lines on its standard streams.
 * @module
 */

import { type Clock, sleep } from "../../../kernel/clock.ts";
import { asError } from "../../../kernel/errors.ts";
import { LineSplitter } from "../../host/line_splitter.ts";
import { ChildShellProcess } from "../../shell/adapters/child_process.ts";
import type { Lifeline } from "../../shell/adapters/lifeline.ts";
import { COMMAND_MARK, killByShell } from "../../shell/adapters/marked_processes.ts";
import { McpError } from "../connection.ts";
import { parseMessage } from "./message_schema.ts";
import type { JSONRPCMessage, Transport } from "./sdk.ts";
import { commandLine, type StdioCommand } from "./stdio_command.ts";

/** A longer message ends the connection: it would have to be held in memory as a whole. */
const MESSAGE_BYTES_MAX = 16_000_000;
/** The last that a server writes beside its messages, for the reason of its end. */
const SAID_CHARS_MAX = 600;
/** After one of its streams was closed a server ends by itself within this, or is ended. */
const GRACE_MS = 1_000;

/** What a server's process is started with. */
export interface StdioOptions {
  readonly command: StdioCommand;
  readonly clock: Clock;
  /**
   * Ends it when this process is killed, and all that it started by its mark; given where a shell
   * may be run. @default it ends when its input does
   */
  readonly lifeline?: Lifeline | undefined;
}

/** The transport of one process; it is started once. */
export class StdioTransport implements Transport {
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  onmessage?: ((message: JSONRPCMessage) => void) | undefined;
  readonly #options: StdioOptions;
  readonly #encoder = new TextEncoder();
  #process: ChildShellProcess | undefined;
  #ended: Promise<void> | undefined;
  #why: string | undefined;
  #isClosed = false;
  #closing: Promise<void> | undefined;
  #said = "";
  #garbage = "";

  constructor(options: StdioOptions) {
    this.#options = options;
  }

  /** Why it is gone: how it ended, and what it said last; "" where we ended it. */
  get reason(): string {
    if (this.#isClosed && this.#why === undefined) return "";
    const said = this.#said.trim().replaceAll(/\s+/g, " ");
    const hint = this.#garbage === ""
      ? ""
      : `; it writes to stdout what is no message ("${
        this.#garbage.slice(0, 80)
      }"): a server must log to stderr`;
    return `${this.#why ?? "it is gone"}${said === "" ? "" : `: ${said}`}${hint}`;
  }

  /** @throws {McpError} `mcp_unreachable` */
  start(): Promise<void> {
    const { lifeline } = this.#options;
    const mark = lifeline?.newMark();
    const child = this.#spawn(mark);
    this.#process = new ChildShellProcess(child, true, {
      ...(mark !== undefined && { sweep: (leader) => killByShell("sh", { leader, mark }) }),
    });
    this.#ended = this.#live(this.#process);
    return Promise.resolve();
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const process = this.#process;
    if (process === undefined || this.#isClosed || this.#why !== undefined) {
      throw new McpError("mcp_unsent", this.reason || "its connection was closed");
    }
    try {
      await process.write(this.#encoder.encode(`${JSON.stringify(message)}\n`));
    } catch (error) {
      const isEnding = await this.#endSoon(process, "it does not listen any more");
      if (!isEnding) await this.#ended; // with its last words
      throw new McpError("mcp_unsent", this.reason, { cause: error });
    }
  }

  /** Closes its input; what does not end then is ended, with all that it started. */
  close(): Promise<void> {
    return this.#closing ??= this.#close(); // the library closes beside us, and waits for nothing
  }

  async #close(): Promise<void> {
    const process = this.#process;
    if (process === undefined) return;
    this.#process = undefined;
    this.#isClosed = true;
    void process.closeInput();
    await this.#hasEnded(process);
    await process[Symbol.asyncDispose]();
    await this.#ended;
  }

  #spawn(mark: string | undefined): Deno.ChildProcess {
    const { command } = this.#options;
    const [program, ...args] = commandLine(command);
    try {
      return new Deno.Command(program, {
        args,
        cwd: command.folder,
        clearEnv: true,
        env: { ...command.env, ...(mark !== undefined && { [COMMAND_MARK]: mark }) },
        stdin: "piped",
        stdout: "piped",
        stderr: "piped",
        detached: true,
      }).spawn();
    } catch (error) {
      const text = error instanceof Deno.errors.NotFound
        ? `there is no program "${program}"`
        : asError(error).message;
      throw new McpError("mcp_unreachable", `it cannot be started: ${text}`, { cause: error });
    }
  }

  async #live(process: ChildShellProcess): Promise<void> {
    const reading = Promise.all([this.#readMessages(process), this.#readErrors(process)]);
    const { exitCode } = await process.ended;
    if (!this.#isClosed) {
      this.#why ??= exitCode === null ? "its process was killed" : `it ended with code ${exitCode}`;
    }
    // What it started may hold its streams open.
    process.kill();
    await reading;
    this.onclose?.();
  }

  /** Whether it ends by itself within the grace. */
  async #hasEnded(process: ChildShellProcess): Promise<boolean> {
    const over = new AbortController();
    const patience = sleep(this.#options.clock, GRACE_MS, over.signal).then(
      () => false,
      () => false,
    );
    const hasEnded = await Promise.race([process.ended.then(() => true), patience]);
    over.abort();
    return hasEnded;
  }

  /**
   * A process without one of its streams is of no use, and would be waited for in vain.
   *
   * @returns whether it had to be ended
   */
  async #endSoon(process: ChildShellProcess, why: string): Promise<boolean> {
    if (await this.#hasEnded(process)) return false;
    this.#why ??= why;
    process.kill();
    return true;
  }

  async #readMessages(process: ChildShellProcess): Promise<void> {
    const splitter = new LineSplitter(MESSAGE_BYTES_MAX);
    try {
      for await (const chunk of process.stdout) {
        for (const line of splitter.push(chunk)) this.#take(line);
      }
      await this.#endSoon(process, "it closed its output");
    } catch (error) {
      this.#why ??= error instanceof RangeError
        ? `it sent a message of more than ${MESSAGE_BYTES_MAX / 1_000_000} MB`
        : asError(error).message;
      process.kill();
    }
  }

  #take(line: string): void {
    if (line.trim() === "") return;
    const message = parseMessage(line);
    if (message !== undefined) return this.onmessage?.(message);
    this.#garbage ||= line.slice(0, SAID_CHARS_MAX);
  }

  async #readErrors(process: ChildShellProcess): Promise<void> {
    const decoder = new TextDecoder();
    for await (const chunk of process.stderr) {
      const text = decoder.decode(chunk.subarray(-2 * SAID_CHARS_MAX), { stream: true });
      this.#said = `${this.#said}${text}`.slice(-SAID_CHARS_MAX);
    }
  }
}
