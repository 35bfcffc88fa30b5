/**
 * Counts what a command started, and its memory, from a small shell beside it. The shell sees what
 * this process may not look at under exact flags, and ends too much by itself: a machine full of
 * processes may leave the gateway no time to.
 * @module
 */

import { getLogger } from "@logtape/logtape";
import { asError } from "../../../kernel/errors.ts";
import type { ShellLimits } from "../level.ts";
import { KILL_MARKED, type ShellRunner, startSweeper } from "./marked_processes.ts";
import { limitNote, type Watch } from "./tree_watch.ts";

const logger = getLogger(["troupe", "tools", "outside_watch"]);

/** What is counted: all that carries the mark, wherever it went, or all below a process. */
export type Watched =
  | { readonly type: "marked"; readonly mark: string }
  | { readonly type: "below"; readonly pid: number };

/** Sets `pids`; threads have children of their own. Stops looking where there are too many. */
const COLLECT_BELOW = "collect() { pids=$what; next=$what; set -- $next; " +
  'while [ -n "$next" ] && [ "$#" -le "$most" ]; do found=; for pid in $next; do ' +
  'for file in /proc/"$pid"/task/*/children; do kids=; read -r kids <"$file"; ' +
  'found="$found $kids"; done; done; set -- $found; next=$*; pids="$pids $next"; ' +
  "set -- $pids; done; }; ";

const COLLECT_MARKED = "collect() { pids=; " +
  'for file in $(grep -laFe "$what" /proc/[0-9]*/environ); do ' +
  'pid=${file#/proc/}; pids="$pids ${pid%%/*}"; done; }; ';

/** Says one word, ends what is too much, and ends itself with its input. */
const WATCH = "[ -r /proc/self/statm ] || exit 0; read -r what most most_kb || exit 0; " +
  "page_kb=$(($(getconf PAGESIZE || echo 4096) / 1024)); " +
  'judge() { collect; set -- $pids; [ "$#" -le "$most" ] || { why=processes; return 1; }; ' +
  'used=0; for pid; do pages=0; read -r _ pages _ </proc/"$pid"/statm; ' +
  "used=$((used + ${pages:-0})); done; " +
  '[ "$((used * page_kb))" -le "$most_kb" ] || { why=memory; return 1; }; }; ' +
  "(while judge; do sleep 0.1 >/dev/null || sleep 1; done; echo $why; finish) & " +
  'read -r _; kill "$!"';

const SCRIPTS: Readonly<Record<Watched["type"], string>> = {
  // The whole sandbox ends with the process that made it.
  below: `${COLLECT_BELOW}finish() { kill -KILL "$what"; }; ${WATCH}`,
  marked: `${COLLECT_MARKED}finish() { mark=$what; ${KILL_MARKED}; }; ${WATCH}`,
};

/** Looks until it is disposed of. Without /proc, or a shell, nobody looks. */
export class OutsideWatch implements Watch {
  readonly #shell: Deno.ChildProcess | undefined;
  readonly #input: WritableStreamDefaultWriter<Uint8Array> | undefined;
  readonly #living: Promise<void>;

  /** Begins to look; `exceeded` is told once. */
  constructor(
    watched: Watched,
    exceeded: (note: string) => void,
    { runner, limits }: { readonly runner: ShellRunner; readonly limits: ShellLimits },
  ) {
    this.#shell = start(runner, SCRIPTS[watched.type]);
    this.#input = this.#shell?.stdin.getWriter();
    const what = watched.type === "marked" ? watched.mark : watched.pid;
    const memoryKb = Math.floor(limits.memoryBytesMax / 1024);
    this.#living = this.#live(`${what} ${limits.processesMax} ${memoryKb}\n`, limits, exceeded);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // It ends at the end of its input, having said what it had to say.
    await this.#input?.close().catch(() => {});
    await this.#living;
  }

  async #live(
    task: string,
    limits: ShellLimits,
    exceeded: (note: string) => void,
  ): Promise<void> {
    if (this.#shell === undefined) return;
    const { stdout, status } = this.#shell;
    await this.#input?.write(new TextEncoder().encode(task)).catch(() => {}); // it has ended
    const word = (await new Response(stdout).text()).trim();
    if (word === "processes" || word === "memory") exceeded(limitNote(word, limits));
    await status;
  }
}

function start(runner: ShellRunner, script: string): Deno.ChildProcess | undefined {
  try {
    return startSweeper(runner, script, "piped");
  } catch (error) {
    logger.warn("Nobody counts what a command starts: {error}", { error: asError(error).message });
    return undefined;
  }
}
