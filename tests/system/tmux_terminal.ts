/**
 * A real pseudo terminal, kept by tmux: keys go in, and what a person would see comes out.
 * @module
 */

import { join } from "node:path";
import { orNull } from "../../actors/kernel/adapters/missing.ts";
import { until } from "../support/until.ts";

/** What runs in a terminal, and how big it is. */
export interface TmuxOptions {
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** @default 100 */
  readonly columns?: number;
  /** @default 40 */
  readonly rows?: number;
}

/** How long a program may take to show something; a loaded machine is slow to start one. */
const SHOW_MS = 30_000;

/** Each look is a program of its own. */
const LOOK_MS = 20;

/** Runs a command and writes its exit code down: tmux itself sometimes does not hear of it. */
const KEEPING_ITS_END = 'trap : INT HUP; "$@"; echo "$?" >"$0"';

/** A terminal on a tmux server of its own, which ends with it. */
export class TmuxTerminal implements AsyncDisposable {
  readonly #folder: string;

  private constructor(folder: string) {
    this.#folder = folder;
  }

  get #endFile(): string {
    return join(this.#folder, "end");
  }

  /** Starts the command in a new terminal. The pane stays when it ends, with its exit code. */
  static async start(options: TmuxOptions): Promise<TmuxTerminal> {
    const terminal = new TmuxTerminal(await Deno.makeTempDir({ prefix: "troupe-tmux-" }));
    const { columns = 100, rows = 40, env, command } = options;
    const settings = join(terminal.#folder, "tmux.conf");
    await Deno.writeTextFile(settings, "set -g remain-on-exit on\nset -g status off\n");
    const variables = Object.entries(env).flatMap(([name, value]) => ["-e", `${name}=${value}`]);
    await terminal.#tmux([
      ...["-f", settings, "new-session", "-d", "-x", `${columns}`, "-y", `${rows}`],
      ...variables,
      ...["--", "sh", "-c", KEEPING_ITS_END, terminal.#endFile],
      ...command,
    ]);
    return terminal;
  }

  /** Types text as it stands. */
  async type(text: string): Promise<void> {
    await this.#tmux(["send-keys", "-l", "--", text]);
  }

  /** Presses keys by their tmux names: `Enter`, `C-c`, `C-d`, `BSpace`, `Up`. */
  async press(...keys: readonly string[]): Promise<void> {
    await this.#tmux(["send-keys", ...keys]);
  }

  /** Pastes text, with the marks around it where the program wants them. */
  async paste(text: string): Promise<void> {
    await this.#tmux(["set-buffer", "--", text]);
    await this.#tmux(["paste-buffer", "-p", "-r"]);
  }

  /** Types a line and ends it. */
  async enter(line: string): Promise<void> {
    await this.type(line);
    await this.press("Enter");
  }

  /** Makes the window another size. */
  async resize(columns: number, rows: number): Promise<void> {
    await this.#tmux(["resize-window", "-x", `${columns}`, "-y", `${rows}`]);
  }

  /** What is shown now with its looks, as escape sequences. */
  async looks(): Promise<string> {
    return await this.#tmux(["capture-pane", "-p", "-e", "-J"]);
  }

  /** All lines that were shown, older ones included, without blanks at their ends. */
  async lines(): Promise<string[]> {
    const text = await this.#tmux(["capture-pane", "-p", "-J", "-S", "-"]);
    const lines = text.split("\n").map((line) => line.trimEnd());
    return lines.slice(0, lines.findLastIndex((line) => line !== "") + 1);
  }

  /** Waits until the lines match; gives them. */
  async shows(what: string, matches: (lines: string[]) => boolean): Promise<string[]> {
    let lines: string[] = [];
    try {
      await until(async () => matches(lines = await this.lines()), {
        timeoutMs: SHOW_MS,
        what,
        pauseMs: LOOK_MS,
      });
    } catch (error) {
      throw new Error(`${what} is not shown:\n${lines.join("\n")}`, { cause: error });
    }
    return lines;
  }

  /** Waits for the end of the command; gives its exit code. */
  async exitCode(): Promise<number> {
    let code = "";
    await until(async () => {
      code = (await orNull(Deno.readTextFile(this.#endFile)) ?? "").trim();
      return code !== "";
    }, { timeoutMs: SHOW_MS, what: "the end of the program" });
    return Number(code);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#tmux(["kill-server"]);
    await Deno.remove(this.#folder, { recursive: true });
  }

  async #tmux(args: readonly string[]): Promise<string> {
    const { success, stdout, stderr } = await new Deno.Command("tmux", {
      args: ["-u", "-S", join(this.#folder, "socket"), ...args],
      env: { LC_ALL: "C.UTF-8", TERM: "xterm-256color" },
    }).output();
    if (!success) throw new Error(`tmux ${args[0]}: ${new TextDecoder().decode(stderr)}`);
    return new TextDecoder().decode(stdout);
  }
}
