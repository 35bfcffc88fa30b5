/**
 * A session with all that is around it, in memory: a scripted model and tools, a journal that can
 * crash, and probes at the far ends.
 * @module
 */

import { nextTurn } from "../../actors/kernel/adapters/event_loop.ts";
import type { Inbound, NewInbound, Outbound } from "../../actors/journal/journal.ts";
import { MemoryJournal, type MemoryJournalOptions } from "../../actors/journal/memory_journal.ts";
import type { ActorRef } from "../../actors/kernel/ref.ts";
import type {
  GateMessage,
  OutboxMessage,
  SessionEvent,
  SessionServices,
  SessionSettings,
} from "../../actors/session/ports.ts";
import { type BudgetSettings, NO_BUDGETS } from "../../actors/session/budgets.ts";
import { sessionActor } from "../../actors/session/session.ts";
import { clearingNote } from "../../actors/session/session_store.ts";
import type { SessionActorMessage } from "../../actors/session/session_protocol.ts";
import { UsageLedger } from "../../actors/session/usage_ledger.ts";
import { sessionFileName } from "../../actors/session/session_name.ts";
import type { ToolConcurrency, ToolContext, ToolResult } from "../../actors/tools/tool.ts";
import type { JsonObject } from "../../actors/kernel/json.ts";
import type { PriceList } from "../../providers/prices.ts";
import type { ChatMessage, Provider } from "../../providers/provider.ts";
import { MemorySessionFiles } from "./memory_session_files.ts";
import { Probe } from "./probe.ts";
import { type Script, type ScriptedAnswer, ScriptedProvider } from "./scripted_provider.ts";
import { benchServices, benchSettings } from "./session_services.ts";
import { type TestSystem, testSystem } from "./system.ts";
import { until } from "./until.ts";

/** A tool of a test: what it gives, and how it may run. */
export interface BenchTool {
  readonly concurrency?: ToolConcurrency;
  readonly run: (
    parameters: JsonObject,
    context: ToolContext,
  ) => Promise<string | ToolResult> | string | ToolResult;
}

/** What a test may choose; everything has a default. */
export interface SessionBenchOptions {
  readonly script?: Script | readonly (string | ScriptedAnswer)[];
  readonly provider?: Provider;
  readonly tools?: Readonly<Record<string, BenchTool>>;
  readonly settings?: Partial<SessionSettings>;
  readonly services?: Partial<SessionServices>;
  readonly sessionKey?: string;
  /** What may be used. @default no limits */
  readonly budgets?: BudgetSettings;
  /** What models cost. @default nobody knows */
  readonly prices?: PriceList;
  /** What an earlier world left on disk. */
  readonly disk?: Disk;
  /** Permits are granted as soon as they are asked for. @default true */
  readonly grantsPermits?: boolean;
  readonly onCommit?: MemoryJournalOptions["onCommit"];
}

/** All that outlives a crash. */
export interface Disk {
  readonly rows: ReturnType<MemoryJournal["rows"]>;
  readonly files: Readonly<Record<string, string>>;
}

let worlds = 0;

/** One session; hold it with `await using`. */
export class SessionBench implements AsyncDisposable {
  readonly sessionKey: string;
  readonly provider: ScriptedProvider;
  readonly journal: MemoryJournal;
  readonly files: MemorySessionFiles;
  readonly world: TestSystem = testSystem();
  readonly gate: Probe<GateMessage>;
  readonly router: Probe<SessionEvent> = new Probe();
  readonly outboxes: ReadonlyMap<string, Probe<OutboxMessage>> = new Map([
    ["feishu", new Probe<OutboxMessage>()],
    ["telegram", new Probe<OutboxMessage>()],
  ]);
  /** Files that tool results were written to. */
  readonly written: Map<string, string> = new Map();
  /** Calls that tools ran, in the order of their starts. */
  readonly ran: string[] = [];
  readonly session: ActorRef<SessionActorMessage>;
  /** Tells the ids of one life from those of another. */
  readonly #world = ++worlds;
  #messages = 0;
  #isDead = false;

  constructor(options: SessionBenchOptions = {}) {
    this.sessionKey = options.sessionKey ?? "feishu:oc_1";
    this.provider = new ScriptedProvider(options.script ?? []);
    this.files = new MemorySessionFiles(options.disk?.files);
    this.journal = new MemoryJournal({
      clock: this.world.clock,
      defer: nextTurn,
      ...(options.disk && { rows: options.disk.rows }),
      ...(options.onCommit && { onCommit: options.onCommit }),
    });
    const grants = options.grantsPermits ?? true;
    this.gate = new Probe({
      onMessage: (message) => {
        if (grants && message.type === "request_permit") this.grant(message.requestId);
      },
    });
    const services = this.#services(options);
    this.session = this.world.system.spawn(sessionActor(this.sessionKey, services, this.router));
  }

  /** What survives when the process or the power dies now; the bench is of no use after it. */
  crash(what: "process" | "power" = "process"): Disk {
    this.#isDead = true;
    return { rows: this.journal.crash(what), files: Object.fromEntries(this.files.texts) };
  }

  /** Accepts a message and tells the session of it. */
  async say(content: string, change: Partial<NewInbound> = {}): Promise<Inbound> {
    const inbound = await this.accept(content, change);
    this.session.tell({ type: "inbound_accepted", inbound });
    return inbound;
  }

  /** Accepts a message that the session is not told of. */
  async accept(content: string, change: Partial<NewInbound> = {}): Promise<Inbound> {
    const accepted = await this.journal.accept(this.newInbound(content, change));
    if (accepted.state !== "accepted") throw new Error("Cannot accept a message twice");
    return accepted.inbound;
  }

  /** A message of the chat oc_1 on feishu, unless `change` says otherwise. */
  newInbound(content: string, change: Partial<NewInbound> = {}): NewInbound {
    return {
      channel: "feishu",
      platformId: `w${this.#world}-m${++this.#messages}`,
      sessionKey: this.sessionKey,
      chatId: "oc_1",
      senderId: "ou_1",
      content,
      media: [],
      context: {},
      wantsStream: false,
      ...change,
    };
  }

  /** Gives a permit that was asked for; the newest, unless named. */
  grant(requestId?: string): void {
    const asked = this.gate.received.filter((message) => message.type === "request_permit");
    const request = asked.findLast((ask) => requestId === undefined || ask.requestId === requestId);
    request?.holder.tell({ type: "permit_granted", requestId: request.requestId });
  }

  /**
   * Waits until every message has its end, every line stands in the file, and a conversation that
   * begins anew has done so.
   */
  async quiet(): Promise<void> {
    await until(async () => {
      const { inbounds } = await this.journal.counts();
      const unfiled = await this.journal.unfiledLines(this.sessionKey);
      const isClearing = await this.journal.note(clearingNote(this.sessionKey)) !== null;
      return inbounds.accepted + inbounds.running + unfiled.length === 0 && !isClearing;
    }, { what: "quiet" });
  }

  /** The messages in the session's file. */
  history(): ChatMessage[] {
    const text = this.files.texts.get(sessionFileName(this.sessionKey)) ?? "";
    return text.split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line))
      .filter((fields) => fields._type !== "metadata");
  }

  /** The history in short: `user hi`, `assistant [exec c1]`, `tool c1 done`. */
  story(): string[] {
    return this.history().map(summarise);
  }

  /** Contents of the rows that were committed for a channel and are to be sent, in order. */
  replies(channel: string = "feishu"): string[] {
    return this.rows(channel).filter((row) => row.state === "pending").map((row) => row.content);
  }

  /** Rows that the outbox of a channel was told of. */
  rows(channel: string = "feishu"): Outbound[] {
    const told = this.outboxes.get(channel)?.received ?? [];
    return told.flatMap((message) => message.type === "row_committed" ? [message.row] : []);
  }

  /** How often permits are out. */
  permitsOut(): number {
    const asked = this.gate.received.filter(({ type }) => type === "request_permit").length;
    return asked - this.gate.received.filter(({ type }) => type === "release_permit").length;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const disposing = this.world[Symbol.asyncDispose]();
    // A dead journal never answers: the actor's grace period must pass.
    if (this.#isDead) await this.world.clock.advance(60_000);
    await disposing;
  }

  #services(options: SessionBenchOptions): SessionServices {
    const tools = options.tools ?? {};
    let ids = 0;
    const world = this.#world;
    return benchServices({
      settings: benchSettings(options.settings),
      journal: this.journal,
      files: this.files,
      provider: options.provider ?? this.provider,
      tools: {
        definitions: () =>
          Object.keys(tools).map((name) => ({ name, description: name, parameters: {} })),
        concurrency: (name) => tools[name]?.concurrency ?? "exclusive",
        run: async (name, parameters, context) => {
          this.ran.push(`${name} ${JSON.stringify(parameters)}`);
          const result = await tools[name]?.run(parameters, context) ?? `no tool ${name}`;
          return typeof result === "string" ? { content: result, isError: false } : result;
        },
      },
      onWritten: (path, text) => void this.written.set(path, text),
      gate: this.gate,
      outbox: (channel) => this.outboxes.get(channel),
      clock: this.world.clock,
      newId: () => `w${world}-${++ids}`,
      usage: new UsageLedger({
        journal: this.journal,
        clock: this.world.clock,
        prices: options.prices ?? (() => null),
        budgets: options.budgets ?? NO_BUDGETS,
        timezone: benchSettings(options.settings).timezone,
      }),
      ...options.services,
    });
  }
}

function summarise(message: ChatMessage): string {
  const content = typeof message.content === "string"
    ? message.content
    : JSON.stringify(message.content);
  if (message.role === "tool") return `tool ${message.tool_call_id} ${content}`;
  if (message.role !== "assistant" || message.tool_calls === undefined) {
    return `${message.role} ${content}`;
  }
  const calls = message.tool_calls.map((call) => `[${call.function.name} ${call.id}]`).join("");
  return `assistant ${content}${calls}`;
}
