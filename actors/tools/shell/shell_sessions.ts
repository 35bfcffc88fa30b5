/**
 * Commands that run on between tool calls. One actor a gateway owns them all: it bounds how many
 * there are, ends those that nobody asks for, and shows each only to the conversation that
 * started it.
 * @module
 */

import type { Actor, ActorContext, ActorDefinition, Outcome } from "../../kernel/actor.ts";
import type { Timer } from "../../kernel/clock.ts";
import type { ReplyTo } from "../../kernel/ref.ts";
import { unreachable } from "../../kernel/invariant.ts";
import { ToolError } from "../tool.ts";
import type { ShellProcess } from "./level.ts";
import { RunningCommand } from "./running_command.ts";
import type { OpenCommand } from "./shell.ts";
import type {
  ShellSessionEntry,
  ShellSessionsMessage,
  ShellSessionView,
} from "./shell_session_protocol.ts";

type Internal =
  | {
    readonly type: "command_started";
    readonly id: string;
    readonly outcome: Outcome<ShellProcess>;
  }
  | { readonly type: "command_changed"; readonly id: string }
  | { readonly type: "wait_over"; readonly id: string; readonly waiter: Waiter }
  | { readonly type: "input_refused"; readonly id: string; readonly reason: string }
  | { readonly type: "opener_aborted"; readonly id: string }
  | { readonly type: "time_over"; readonly id: string }
  | { readonly type: "idle_over"; readonly id: string };

/** Who waits for a session, and for what. */
interface Waiter {
  readonly replyTo: ReplyTo<ShellSessionView>;
  readonly waitFor: string | undefined;
  readonly timer: Timer;
}

interface Session {
  readonly id: string;
  readonly sessionKey: string;
  readonly command: string;
  readonly startedAtMs: number;
  /** Undefined until it has started. */
  running: RunningCommand | undefined;
  waiters: readonly Waiter[];
  readonly limit: Timer;
  /** Stops minding whether the turn that opened it is stopped: it has its answer. */
  deafen: () => void;
  idle: Timer;
  notes: string;
}

/** What the sessions stand on. */
export interface ShellSessionsOptions {
  readonly open: (command: OpenCommand) => Promise<ShellProcess>;
  /** @default 8 */
  readonly perConversationMax?: number;
  /** @default 32 */
  readonly sessionsMax?: number;
  /** A session that nobody looks at is ended after this long. @default 15 minutes */
  readonly idleMs?: number;
}

/** The definition of the actor. */
export function shellSessions(
  options: ShellSessionsOptions,
): ActorDefinition<ShellSessionsMessage | Internal> {
  return {
    name: "shell_sessions",
    create: (context) => new ShellSessions(context, options),
  };
}

class ShellSessions implements Actor<ShellSessionsMessage | Internal> {
  readonly #context: ActorContext<ShellSessionsMessage | Internal>;
  readonly #options: Required<ShellSessionsOptions>;
  readonly #sessions = new Map<string, Session>();
  /** Processes that this incarnation has started and that have not been disposed of. */
  readonly #processes = new Set<ShellProcess>();

  constructor(
    context: ActorContext<ShellSessionsMessage | Internal>,
    { open, perConversationMax = 8, sessionsMax = 32, idleMs = 15 * 60_000 }: ShellSessionsOptions,
  ) {
    this.#context = context;
    this.#options = { open, perConversationMax, sessionsMax, idleMs };
  }

  receive(message: ShellSessionsMessage | Internal): void {
    switch (message.type) {
      case "open_session":
        return this.#openSession(message);
      case "use_session":
        return this.#useSession(message);
      case "list_sessions":
        return message.replyTo.reply(this.#list(message.sessionKey));
      case "command_started":
        return this.#commandStarted(message.id, message.outcome);
      case "command_changed":
        return this.#commandChanged(message.id);
      case "wait_over":
        return this.#waitOver(message.id, message.waiter);
      case "input_refused":
        return this.#inputRefused(message.id, message.reason);
      case "opener_aborted":
        return this.#end(message.id, "the turn was stopped");
      case "time_over":
        return this.#end(message.id, "ended after its time limit");
      case "idle_over":
        return this.#forget(message.id);
      default:
        return unreachable(message);
    }
  }

  /** Ends all commands: the gateway stops, or this actor starts anew. */
  async stopped(): Promise<void> {
    for (const session of this.#sessions.values()) {
      this.#letGo(session);
      session.running?.stopReading();
    }
    this.#sessions.clear();
    await Promise.all([...this.#processes].map((process) => this.#dispose(process)));
  }

  #openSession(
    { sessionKey, command, yieldMs, signal, replyTo }: Extract<
      ShellSessionsMessage,
      { type: "open_session" }
    >,
  ): void {
    const refusal = this.#refusal(sessionKey);
    if (refusal !== undefined) return replyTo.refuse(refusal);
    const { clock, newId } = this.#context;
    const id = `sh_${newId().slice(0, 8)}`;
    const session: Session = {
      id,
      sessionKey,
      command: command.command,
      startedAtMs: clock.now(),
      running: undefined,
      waiters: [],
      limit: this.#context.after(command.timeoutMs, { type: "time_over", id }),
      deafen: () => {},
      idle: this.#idleTimer(id),
      notes: "",
    };
    this.#sessions.set(id, session);
    this.#wait(session, { replyTo, waitFor: undefined, yieldMs });
    const abort = () => void this.#context.self.tell({ type: "opener_aborted", id });
    signal.addEventListener("abort", abort, { once: true });
    if (signal.aborted) abort();
    session.deafen = () => signal.removeEventListener("abort", abort);
    this.#context.pipe(
      (signal) => this.#open(command, signal),
      (outcome) => ({ type: "command_started", id, outcome }),
    );
  }

  /** A process that starts while this incarnation ends is ended too. */
  async #open(command: OpenCommand, signal: AbortSignal): Promise<ShellProcess> {
    const process = await this.#options.open(command);
    this.#processes.add(process);
    if (signal.aborted) await this.#dispose(process);
    return process;
  }

  async #dispose(process: ShellProcess): Promise<void> {
    await process[Symbol.asyncDispose]();
    this.#processes.delete(process);
  }

  #refusal(sessionKey: string): ToolError | undefined {
    const own = this.#ownedBy(sessionKey);
    const { perConversationMax, sessionsMax } = this.#options;
    if (own.length >= perConversationMax) {
      const ids = own.map(({ id }) => id).join(", ");
      const text = `Cannot start another session: this conversation has ${own.length} (${ids}); ` +
        "end one with write_stdin and terminate";
      return new ToolError("run_failed", text);
    }
    if (this.#sessions.size < sessionsMax) return undefined;
    return new ToolError("run_failed", "Cannot start another session: the gateway has too many");
  }

  #useSession(message: Extract<ShellSessionsMessage, { type: "use_session" }>): void {
    const { sessionKey, id, input, closesInput, terminates, replyTo } = message;
    const session = this.#sessions.get(id);
    if (session === undefined || session.sessionKey !== sessionKey) {
      const text = `Cannot find the session "${id}": it has ended and was told, or never was; ` +
        "list_exec_sessions shows those there are";
      return replyTo.refuse(new ToolError("run_failed", text));
    }
    session.idle.cancel();
    session.idle = this.#idleTimer(id);
    if (terminates) this.#end(id, "ended on request");
    else if (input !== "" || closesInput) this.#write(session, input, closesInput);
    this.#wait(session, message);
    this.#commandChanged(id);
  }

  #write({ id, running }: Session, input: string, closesInput: boolean): void {
    if (running === undefined || running.end !== undefined) return;
    this.#context.pipe(
      () => running.write(input, closesInput),
      (outcome) =>
        outcome.state === "ok"
          ? { type: "command_changed", id }
          : { type: "input_refused", id, reason: outcome.error.message },
    );
  }

  #wait(
    session: Session,
    { replyTo, waitFor, yieldMs }: {
      readonly replyTo: ReplyTo<ShellSessionView>;
      readonly waitFor: string | undefined;
      readonly yieldMs: number;
    },
  ): void {
    const { id } = session;
    const { clock } = this.#context;
    const waiter: Waiter = {
      replyTo,
      waitFor,
      timer: clock.setTimer(
        yieldMs,
        () => void this.#context.self.tell({ type: "wait_over", id, waiter }),
      ),
    };
    session.waiters = [...session.waiters, waiter];
  }

  #commandStarted(id: string, outcome: Outcome<ShellProcess>): void {
    const session = this.#sessions.get(id);
    if (outcome.state === "failed") {
      if (session === undefined) return;
      for (const { replyTo } of session.waiters) replyTo.refuse(outcome.error);
      return this.#forget(id);
    }
    if (session === undefined) return void this.#dispose(outcome.value);
    let isTold = false;
    session.running = new RunningCommand(outcome.value, {
      clock: this.#context.clock,
      // One message at a time: a flood of output must not flood the mailbox.
      changed: () => {
        if (isTold) return;
        isTold = true;
        queueMicrotask(() => {
          isTold = false;
          this.#context.self.tell({ type: "command_changed", id });
        });
      },
    });
  }

  #commandChanged(id: string): void {
    const session = this.#sessions.get(id);
    if (session?.running === undefined) return;
    const { running } = session;
    const ready = session.waiters.filter(({ waitFor }) =>
      running.end !== undefined || waitFor !== undefined && running.hasUnread(waitFor)
    );
    for (const waiter of ready) this.#answer(session, waiter);
  }

  #waitOver(id: string, waiter: Waiter): void {
    const session = this.#sessions.get(id);
    if (session?.waiters.includes(waiter)) this.#answer(session, waiter);
  }

  #answer(session: Session, waiter: Waiter): void {
    waiter.timer.cancel();
    session.waiters = session.waiters.filter((other) => other !== waiter);
    session.deafen();
    const { id, running, startedAtMs, notes } = session;
    const output = running?.takeUnread() ?? { text: "", lostChars: 0 };
    const text = notes === "" ? output.text : `${output.text}\n(${notes})`;
    session.notes = "";
    waiter.replyTo.reply({
      id,
      end: running?.end,
      output: { ...output, text },
      ageMs: this.#context.clock.now() - startedAtMs,
    });
    if (running?.end !== undefined && session.waiters.length === 0) this.#forget(id);
  }

  #inputRefused(id: string, reason: string): void {
    const session = this.#sessions.get(id);
    if (session !== undefined) session.notes = `the input was not taken: ${reason}`;
  }

  /** Ends the command; its session stays until its end was told. */
  #end(id: string, why: string): void {
    const session = this.#sessions.get(id);
    if (session === undefined || session.running?.end !== undefined) return;
    session.notes = why;
    if (session.running === undefined) this.#forget(id);
    else session.running.kill();
  }

  #forget(id: string): void {
    const session = this.#sessions.get(id);
    if (session === undefined) return;
    this.#sessions.delete(id);
    this.#letGo(session);
    for (const { replyTo } of session.waiters) {
      replyTo.refuse(new ToolError("run_failed", `The session "${id}" was ended`));
    }
    if (session.running === undefined) return;
    session.running.stopReading();
    void this.#dispose(session.running.process);
  }

  #letGo({ idle, limit, deafen, waiters }: Session): void {
    for (const timer of [idle, limit, ...waiters.map((waiter) => waiter.timer)]) timer.cancel();
    deafen();
  }

  #list(sessionKey: string): readonly ShellSessionEntry[] {
    return this.#ownedBy(sessionKey).map(({ id, command, running, startedAtMs }) => ({
      id,
      command,
      hasEnded: running?.end !== undefined,
      ageMs: this.#context.clock.now() - startedAtMs,
    }));
  }

  #ownedBy(sessionKey: string): readonly Session[] {
    return [...this.#sessions.values()].filter((session) => session.sessionKey === sessionKey);
  }

  #idleTimer(id: string): Timer {
    return this.#context.after(this.#options.idleMs, { type: "idle_over", id });
  }
}
