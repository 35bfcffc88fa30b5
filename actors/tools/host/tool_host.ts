/**
 * One tool host: the calls that run in it, and what becomes of them when it ends.
 * @module
 */

import { getLogger } from "@logtape/logtape";
import type { Clock, Timer } from "../../kernel/clock.ts";
import { currentTrace } from "../../kernel/trace.ts";
import { ToolError, type ToolResult } from "../tool.ts";
import type { HostLink, StartHost } from "./host_link.ts";
import { fromHostSchema } from "./host_messages.ts";
import type { FromHost, HostCall, HostSetup, ToHost } from "./host_protocol.ts";

const logger = getLogger(["troupe", "tools", "host"]);

/** An aborted call that has not come to an end by then takes its host with it. */
const ABORT_GRACE_MS = 1_000;

/** What a call gave, and what its session has read by now. */
export interface HostAnswer {
  readonly result: ToolResult;
  readonly reads: readonly (readonly [string, string])[];
}

/** What a host needs to be watched. */
export interface ToolHostOptions {
  readonly setup: HostSetup;
  readonly start: StartHost;
  readonly clock: Clock;
  /** The host has ended: nothing can be called there any more. */
  readonly onEnd: () => void;
  /** The last call has come to its end. */
  readonly onIdle: () => void;
}

interface OpenCall {
  readonly startedAtMs: number;
  /** Of the turn that waits for it. */
  readonly trace: string | undefined;
  readonly resolve: (answer: HostAnswer) => void;
  readonly reject: (error: Error) => void;
  /** Runs once nobody waits for the call any more. */
  grace: Timer | undefined;
}

/** A started host. */
export class ToolHost {
  readonly #options: ToolHostOptions;
  readonly #link: HostLink;
  readonly #open = new Map<number, OpenCall>();
  readonly #gone = Promise.withResolvers<void>();
  #lastId = 0;
  #hasEnded = false;

  constructor(options: ToolHostOptions) {
    this.#options = options;
    this.#link = options.start(options.setup, {
      line: (text) => this.#take(text),
      ended: (reason) => {
        this.#end(reason);
        this.#gone.resolve();
      },
    });
  }

  /** Resolves when nothing of it is left, a while after it was killed. */
  get gone(): Promise<void> {
    return this.#gone.promise;
  }

  /** Calls that run now. */
  get callsOpen(): number {
    return this.#open.size;
  }

  /** Whether a call could be made. */
  get isAlive(): boolean {
    return !this.#hasEnded;
  }

  /** How long its oldest call has been running; 0 where none runs. */
  get busyForMs(): number {
    const [oldest] = this.#open.values();
    return oldest === undefined ? 0 : this.#options.clock.now() - oldest.startedAtMs;
  }

  /**
   * Runs a call.
   *
   * @throws {ToolError} as the tool does, or `host_failed` when the host ends first
   * @throws the signal's reason when it aborts first; the host then has a moment to end the call
   */
  async call(call: HostCall, signal: AbortSignal): Promise<HostAnswer> {
    signal.throwIfAborted();
    const id = ++this.#lastId;
    const { promise, resolve, reject } = Promise.withResolvers<HostAnswer>();
    const startedAtMs = this.#options.clock.now();
    const trace = currentTrace();
    this.#open.set(id, { startedAtMs, trace, resolve, reject, grace: undefined });
    if (this.#hasEnded) this.#end("it has ended");
    else this.#send({ type: "call", id, call });
    const abort = () => {
      reject(signal.reason);
      this.#abandon(id);
    };
    signal.addEventListener("abort", abort, { once: true });
    try {
      return await promise;
    } finally {
      signal.removeEventListener("abort", abort);
    }
  }

  /** Lets it end; it has no call open. */
  close(): void {
    this.#link.close();
  }

  /** Ends it now. Each open call gets an error. */
  kill(reason: string): void {
    this.#link.kill();
    this.#end(reason);
  }

  /** Asks the host to end a call that nobody waits for, and sees to it. */
  #abandon(id: number): void {
    const call = this.#open.get(id);
    if (call === undefined) return;
    this.#send({ type: "abort", id });
    call.grace = this.#options.clock.setTimer(
      ABORT_GRACE_MS,
      () => this.kill("a call did not end when it was told to"),
    );
  }

  #send(message: ToHost): void {
    this.#link.send(JSON.stringify(message));
  }

  #take(text: string): void {
    const message = parse(text);
    const call = message === undefined ? undefined : this.#open.get(message.id);
    if (message === undefined || call === undefined) {
      return this.kill("it said something that makes no sense");
    }
    this.#open.delete(message.id);
    call.grace?.cancel();
    if (message.type === "done") call.resolve(message);
    else call.reject(new ToolError(message.code, message.message));
    if (this.#open.size === 0) this.#options.onIdle();
  }

  #end(reason: string): void {
    const isFirst = !this.#hasEnded;
    this.#hasEnded = true;
    const calls = [...this.#open.values()];
    this.#open.clear();
    if (calls.length > 0) {
      logger.warn("A host of {kind} tools ended with {calls} calls open: {reason}", {
        kind: this.#options.setup.kind,
        calls: calls.length,
        reason,
        traces: calls.flatMap(({ trace }) => trace ?? []),
      });
    }
    for (const { reject, grace } of calls) {
      grace?.cancel();
      const text = `The tool was ended before it was done: ${reason}. ` +
        "The next call starts afresh; ask for less at once";
      reject(new ToolError("host_failed", text));
    }
    if (isFirst) this.#options.onEnd();
  }
}

function parse(text: string): FromHost | undefined {
  try {
    return fromHostSchema.safeParse(JSON.parse(text)).data;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
