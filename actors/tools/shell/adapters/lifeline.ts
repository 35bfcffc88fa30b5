/**
 * What ends commands when the gateway itself is killed: nobody is left then to end them, and a
 * sandbox that was just being made does not notice the end of its parent.
 * @module
 */

import { getLogger } from "@logtape/logtape";
import { asError } from "../../../kernel/errors.ts";
import type { NewId } from "../../../kernel/random.ts";
import { KILL_MARKED, type ShellRunner, startSweeper } from "./marked_processes.ts";

const logger = getLogger(["troupe", "tools", "lifeline"]);

/**
 * The pipe ends with the gateway, however that ended; a word on it says that all is well. Looks
 * again for two seconds: what the gateway was just starting has no mark yet.
 */
const WATCH = "read -r mark || exit 0; read -r _ && exit 0; look=0; " +
  `while [ "$look" -lt 10 ]; do ${KILL_MARKED}; ` +
  "sleep 0.2 2>/dev/null || sleep 1; look=$((look + 1)); done";

/**
 * A small process beside the gateway that holds one end of a pipe. Once the pipe ends it kills
 * every process with the mark. It finds processes where there is /proc.
 */
export class Lifeline implements AsyncDisposable {
  readonly #id: string;
  readonly #newId: NewId;
  readonly #watcher: Deno.ChildProcess | undefined;
  #problem: string | undefined;
  readonly #line: WritableStreamDefaultWriter<Uint8Array> | undefined;
  #letGo: Promise<void> | undefined;

  /** Starts the watching process; where none can be started commands run without. */
  constructor(newId: NewId, runner: ShellRunner) {
    this.#newId = newId;
    this.#id = newId();
    try {
      this.#watcher = startSweeper(runner, WATCH);
    } catch (error) {
      this.#problem = asError(error).message;
    }
    this.#line = this.#watcher?.stdin.getWriter();
    void this.#say(this.#id);
  }

  /** Says so in the log where nothing watches; for whoever lets commands run nevertheless. */
  warn(): void {
    if (this.#problem === undefined) return;
    logger.warn("Commands may outlive a gateway that is killed: no watcher ({error})", {
      error: this.#problem,
    });
  }

  /** A mark for one command: begins with what all commands on this line share. */
  newMark(): string {
    return `${this.#id}.${this.#newId()}`;
  }

  /** Lets the watching process go. The commands have ended before. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.#letGo ??= this.#release();
  }

  async #release(): Promise<void> {
    await this.#say("done");
    await this.#line?.close().catch(() => {}); // it has ended
    await this.#watcher?.status;
  }

  async #say(word: string): Promise<void> {
    try {
      await this.#line?.write(new TextEncoder().encode(`${word}\n`));
    } catch (error) {
      this.#problem ??= asError(error).message;
    }
  }
}
