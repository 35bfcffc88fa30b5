/**
 * One MCP server. Its actor connects in the background and on demand, keeps the list of tools
 * true, passes uses on beside its mailbox, and connects again, later each time, when the server is
 * gone. What goes wrong here costs this server's tools and nothing else.
 * @module
 */

import { getLogger } from "@logtape/logtape";
import type { Actor, ActorContext, ActorDefinition, Outcome } from "../../kernel/actor.ts";
import type { Timer } from "../../kernel/clock.ts";
import { unreachable } from "../../kernel/invariant.ts";
import { LinkedSignal } from "../../kernel/linked_signal.ts";
import { jitter } from "../../kernel/random.ts";
import type { ReplyTo } from "../../kernel/ref.ts";
import { type ConnectMcp, type McpConnection, McpError, type McpListener } from "./connection.ts";
import { type Connected, Connections } from "./connections.ts";
import type { McpServerMessage, McpServerReport } from "./mcp_protocol.ts";
import { IN_DOUBT, timedUse } from "./timed_use.ts";
import type { McpAnswer, McpListing } from "./wire.ts";

const logger = getLogger(["troupe", "tools", "mcp"]);

/** A turn waits no longer than this for a server that is being connected to. */
export const PATIENCE_MS = 10_000;
const BACKOFF_MIN_MS = 1_000;
const BACKOFF_MAX_MS = 5 * 60_000;
/** A server that stayed this long has proved itself: what follows counts as its first failure. */
const PROVEN_MS = 60_000;
/** After so many failures in a row its tools are no longer offered. */
const FAILURES_OFFERED_MAX = 3;
/** A new turn tries a failed server again, but not more often than this. */
const TURN_RETRY_MS = 30_000;
/** A server that says without end that its lists changed is asked this often. */
const RELIST_MS = 1_000;
/** Uses that wait for a connection. */
const WAITING_MAX = 64;

type UseMessage = Extract<McpServerMessage, { type: "use_offer" }>;

/** A use, and whether it has been passed on before. */
interface Waiting {
  readonly asked: UseMessage;
  readonly isRepeated: boolean;
}

type Internal =
  | {
    readonly type: "connect_ended";
    readonly attempt: number;
    readonly outcome: Outcome<Connected>;
  }
  | { readonly type: "connection_ended"; readonly attempt: number; readonly reason: string }
  | { readonly type: "offers_changed"; readonly attempt: number }
  | { readonly type: "list_due"; readonly attempt: number }
  | { readonly type: "list_ended"; readonly attempt: number; readonly outcome: Outcome<McpListing> }
  | {
    readonly type: "use_ended";
    readonly attempt: number;
    readonly waiting: Waiting;
    readonly outcome: Outcome<McpAnswer>;
  }
  | { readonly type: "retry_due" }
  | { readonly type: "patience_over"; readonly attempt: number };

type Phase =
  | { readonly state: "connecting" }
  | { readonly state: "ready"; readonly connection: McpConnection; readonly sinceMs: number }
  | {
    readonly state: "waiting";
    readonly retry: Timer;
    readonly failedAtMs: number;
    readonly error: McpError;
  };

/** What a server's actor stands on. */
export interface McpServerOptions {
  /** As the configuration names it. */
  readonly server: string;
  /** Last part of the actor's path. */
  readonly actorName: string;
  readonly connect: ConnectMcp;
  /** Longest time a use may be silent. */
  readonly silenceMs: number;
  /** Takes the offers in, or (null) out; returns how many tools there are now, and notes. */
  readonly offer: (listing: McpListing | null) => {
    readonly count: number;
    readonly notes: readonly string[];
  };
  /** Told once the first attempt is over. */
  readonly onFirst: (report: McpServerReport) => void;
}

/** The definition of the actor. */
export function mcpServer(options: McpServerOptions): ActorDefinition<McpServerMessage | Internal> {
  return { name: options.actorName, create: (context) => new McpServer(context, options) };
}

class McpServer implements Actor<McpServerMessage | Internal> {
  readonly #context: ActorContext<McpServerMessage | Internal>;
  readonly #options: McpServerOptions;
  readonly #connections: Connections;
  #phase: Phase = { state: "connecting" };
  /** Numbers the connections: what is said of an earlier one is not of this one. */
  #attempt = 0;
  /** Why the connection was gone again before it was known to be there. */
  #endedEarly: string | undefined;
  #failures = 0;
  #losses = 0;
  #tools = 0;
  #detail = "";
  #notes: readonly string[] = [];
  #waiting: Waiting[] = [];
  #hopeful: ReplyTo<McpServerReport>[] = [];
  #isPatient = true;
  /** `busy` while a list is made and for a while after it; `stale`: and there is news since. */
  #listing: "idle" | "busy" | "stale" = "idle";
  #isFirst = true;

  constructor(
    context: ActorContext<McpServerMessage | Internal>,
    options: McpServerOptions,
  ) {
    this.#context = context;
    this.#options = options;
    this.#connections = new Connections(options.connect, context.clock);
    this.#connect();
  }

  receive(message: McpServerMessage | Internal): void {
    switch (message.type) {
      case "use_offer":
        return this.#useOffer({ asked: message, isRepeated: false });
      case "await_offers":
        return this.#awaitOffers(message.replyTo);
      case "report_server":
        return message.replyTo.reply(this.#report());
      case "connect_ended":
        return this.#connectEnded(message.attempt, message.outcome);
      case "connection_ended":
        return this.#connectionEnded(message.attempt, message.reason);
      case "offers_changed":
        return this.#offersChanged(message.attempt);
      case "list_due":
        return this.#listDue(message.attempt);
      case "list_ended":
        return this.#listEnded(message.attempt, message.outcome);
      case "use_ended":
        return this.#useEnded(message);
      case "retry_due":
        return this.#connect();
      case "patience_over":
        return this.#patienceOver(message.attempt);
      default:
        return unreachable(message);
    }
  }

  /** Ends the connection, and the server where it is a process of ours. */
  async stopped(): Promise<void> {
    this.#options.offer(null);
    await this.#connections[Symbol.asyncDispose]();
  }

  #connect(): void {
    if (this.#phase.state === "waiting") this.#phase.retry.cancel();
    this.#phase = { state: "connecting" };
    const attempt = ++this.#attempt;
    this.#endedEarly = undefined;
    this.#isPatient = this.#failures === 0;
    if (this.#isPatient) this.#context.after(PATIENCE_MS, { type: "patience_over", attempt });
    const listener: McpListener = {
      ended: (reason) =>
        void this.#context.self.tell({ type: "connection_ended", attempt, reason }),
      changed: () => void this.#context.self.tell({ type: "offers_changed", attempt }),
    };
    this.#context.pipe(
      (signal) => this.#connections.open(listener, signal),
      (outcome) => ({ type: "connect_ended", attempt, outcome }),
    );
  }

  #connectEnded(attempt: number, outcome: Outcome<Connected>): void {
    if (attempt !== this.#attempt) {
      if (outcome.state === "ok") void this.#connections.dispose(outcome.value.connection);
      return;
    }
    if (outcome.state === "failed") return this.#failed(mcpErrorOf(outcome.error));
    const { connection, listing } = outcome.value;
    if (this.#endedEarly !== undefined) {
      void this.#connections.dispose(connection);
      return this.#failed(new McpError("mcp_unreachable", this.#endedEarly));
    }
    this.#phase = { state: "ready", connection, sinceMs: this.#context.clock.now() };
    this.#listing = "idle";
    this.#offer(listing);
    this.#detail = connection.product;
    logger.info("MCP server {server} is ready with {tools} tools", {
      server: this.#options.server,
      tools: this.#tools,
    });
    this.#settled();
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const one of waiting) this.#useOffer(one);
  }

  #failed(error: McpError): void {
    const { clock, random } = this.#context;
    const delayMs = Math.min(BACKOFF_MIN_MS * 2 ** this.#failures, BACKOFF_MAX_MS);
    this.#failures++;
    this.#phase = {
      state: "waiting",
      retry: this.#context.after(jitter(random, delayMs, 0.2), { type: "retry_due" }),
      failedAtMs: clock.now(),
      error,
    };
    const isNews = error.message !== this.#detail;
    this.#detail = error.message;
    if (this.#failures >= FAILURES_OFFERED_MAX && this.#tools > 0) this.#offer(null);
    const text = "MCP server {server} is not there: {reason}";
    if (isNews) logger.warn(text, this.#named(error.message));
    else logger.debug(text, this.#named(error.message));
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const { asked } of waiting) asked.replyTo.refuse(this.#unavailable(error));
    this.#settled();
  }

  #connectionEnded(attempt: number, reason: string): void {
    if (attempt !== this.#attempt) return;
    if (this.#phase.state === "connecting") this.#endedEarly = reason;
    this.#lose(reason);
  }

  /** A server that breaks off again and again is waited for longer each time. */
  #lose(reason: string): void {
    if (this.#phase.state !== "ready") return;
    const { connection, sinceMs } = this.#phase;
    this.#losses++;
    if (this.#context.clock.now() - sinceMs >= PROVEN_MS) this.#failures = 0;
    void this.#connections.dispose(connection);
    this.#failed(new McpError("mcp_unreachable", reason));
  }

  #offersChanged(attempt: number): void {
    if (attempt !== this.#attempt || this.#phase.state !== "ready") return;
    if (this.#listing === "idle") this.#list(attempt);
    else this.#listing = "stale";
  }

  #listDue(attempt: number): void {
    if (attempt !== this.#attempt) return;
    if (this.#listing === "stale") this.#list(attempt);
    else this.#listing = "idle";
  }

  #list(attempt: number): void {
    if (this.#phase.state !== "ready") return;
    const { connection } = this.#phase;
    this.#listing = "busy";
    this.#context.pipe(
      (signal) => this.#connections.list(connection, signal),
      (outcome) => ({ type: "list_ended", attempt, outcome }),
    );
  }

  #listEnded(attempt: number, outcome: Outcome<McpListing>): void {
    if (attempt !== this.#attempt || this.#phase.state !== "ready") return;
    if (outcome.state === "failed") {
      const { message } = outcome.error;
      logger.warn("MCP server {server} cannot be listed anew: {reason}", this.#named(message));
    } else this.#offer(outcome.value);
    this.#context.after(RELIST_MS, { type: "list_due", attempt });
  }

  #offer(listing: McpListing | null): void {
    const { count, notes } = this.#options.offer(listing);
    this.#tools = count;
    this.#notes = notes;
    for (const note of notes) {
      logger.warn("MCP server {server}: {reason}", this.#named(note));
    }
  }

  #useOffer(waiting: Waiting): void {
    const { asked } = waiting;
    const phase = this.#phase;
    if (phase.state !== "ready") {
      if (this.#waiting.length >= WAITING_MAX) {
        const text = "too many calls wait for it";
        return asked.replyTo.refuse(this.#unavailable(new McpError("mcp_unreachable", text)));
      }
      this.#waiting.push(waiting);
      if (phase.state === "waiting") this.#connect();
      return;
    }
    const { clock } = this.#context;
    const { silenceMs } = this.#options;
    const attempt = this.#attempt;
    this.#context.pipe(
      async (ended) => {
        using linked = new LinkedSignal(asked.signal, ended);
        const { signal } = linked;
        const { use, isReadOnly, onProgress } = asked;
        const timing = { clock, silenceMs, signal, isReadOnly, onProgress };
        return await timedUse(phase.connection, use, timing);
      },
      (outcome) => ({ type: "use_ended", attempt, waiting, outcome }),
    );
  }

  #useEnded(
    { attempt, waiting, outcome }: Extract<Internal, { type: "use_ended" }>,
  ): void {
    const { asked, isRepeated } = waiting;
    if (outcome.state === "ok") return asked.replyTo.reply(outcome.value);
    const { error } = outcome;
    const isGone = error instanceof McpError &&
      (error.code === "mcp_unsent" || error.code === "mcp_lost");
    if (!isGone) {
      const needsSignIn = error instanceof McpError && error.code === "mcp_sign_in";
      if (needsSignIn && attempt === this.#attempt) this.#lose(error.message);
      return asked.replyTo.refuse(error);
    }
    if (attempt === this.#attempt) this.#lose(error.message);
    const mayRepeat = error.code === "mcp_unsent" || asked.isReadOnly;
    if (!isRepeated && mayRepeat && !asked.signal.aborted) {
      return this.#useOffer({ asked, isRepeated: true });
    }
    const doubt = error.code === "mcp_lost" ? IN_DOUBT : "";
    const text = `The MCP server "${this.#options.server}" broke off: ${error.message}${doubt}`;
    asked.replyTo.refuse(new McpError("mcp_lost", text, { cause: error }));
  }

  #awaitOffers(replyTo: ReplyTo<McpServerReport>): void {
    const phase = this.#phase;
    if (phase.state === "connecting" && this.#isPatient) return void this.#hopeful.push(replyTo);
    const isRipe = phase.state === "waiting" &&
      this.#context.clock.now() - phase.failedAtMs >= TURN_RETRY_MS;
    replyTo.reply(this.#report());
    if (isRipe) this.#connect();
  }

  #patienceOver(attempt: number): void {
    if (attempt !== this.#attempt || this.#phase.state !== "connecting") return;
    this.#isPatient = false;
    this.#answerHopeful();
  }

  #settled(): void {
    this.#answerHopeful();
    if (!this.#isFirst) return;
    this.#isFirst = false;
    this.#options.onFirst(this.#report());
  }

  #answerHopeful(): void {
    const report = this.#report();
    for (const replyTo of this.#hopeful) replyTo.reply(report);
    this.#hopeful = [];
  }

  #report(): McpServerReport {
    const { state } = this.#phase;
    const needsSignIn = this.#phase.state === "waiting" && this.#phase.error.code === "mcp_sign_in";
    const detail = this.#detail === "" ? "not connected yet" : this.#detail;
    return {
      state: needsSignIn ? "needs_sign_in" : state,
      detail: [detail, ...this.#notes].join("; ").replaceAll(/\s+/g, " "),
      tools: this.#tools,
      losses: this.#losses,
    };
  }

  #unavailable(error: McpError): McpError {
    const text = `The MCP server "${this.#options.server}" is not there: ${error.message}`;
    return new McpError(error.code, text, { cause: error });
  }

  #named(reason: string): { readonly server: string; readonly reason: string } {
    return { server: this.#options.server, reason };
  }
}

function mcpErrorOf(error: Error): McpError {
  if (error instanceof McpError) return error;
  return new McpError("mcp_unreachable", error.message, { cause: error });
}
