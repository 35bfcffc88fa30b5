/**
 * What a session needs from the gateway around it. The gateway's gate and outboxes accept these
 * messages; a session only holds refs to them.
 * @module
 */

import type { Breathe } from "../kernel/breathing.ts";
import type { Clock } from "../kernel/clock.ts";
import type { JsonObject } from "../kernel/json.ts";
import type { NewId } from "../kernel/random.ts";
import type { ActorRef, ReplyTo } from "../kernel/ref.ts";
import type { Inbound, Journal, Outbound, Step } from "../journal/journal.ts";
import type {
  HistoryAppended,
  NewHistoryEntry,
  VersionAnswer,
  VersionList,
  VersionRestored,
} from "../memory/protocol.ts";
import type { RecallHit, VisibleSpan } from "../memory/recall/protocol.ts";
import type { MemoryOrigin, MemoryScope } from "../memory/scope.ts";
import type { Provider } from "../../providers/provider.ts";
import type { AuditPort } from "../tools/audit/audit_entry.ts";
import type { HooksPort } from "../tools/hooks/hook_event.ts";
import type { ToolContext, ToolFiles, ToolOrigin, ToolRunner } from "../tools/tool.ts";
import type { ApprovalPort } from "./approval.ts";
import type { GoalBudget } from "./goal/goal.ts";
import type { ReadDocument } from "./attached_documents.ts";
import type { ReadImage } from "./runtime_context.ts";
import type { TurnListener } from "./turn_events.ts";
import type { UsageLedger } from "./usage_ledger.ts";
import type { Watch } from "./watch.ts";

/** What a session asks of the concurrency gate. */
export type GateMessage =
  | {
    readonly type: "request_permit";
    /** Names the request; the permit carries it. */
    readonly requestId: string;
    /** Watched: when it dies, its requests and permits are taken back. */
    readonly holder: ActorRef<PermitNews>;
    /** Nobody waits for it right now: one permit stays free of such work. @default false */
    readonly isBackground?: boolean | undefined;
  }
  | { readonly type: "release_permit"; readonly requestId: string };

/** The gate's answer, in order of the requests. */
export interface PermitGranted {
  readonly type: "permit_granted";
  readonly requestId: string;
}

/** No permit is free just now; the request stays in the line. */
export interface PermitDelayed {
  readonly type: "permit_delayed";
  readonly requestId: string;
}

/** What the gate tells a holder. */
export type PermitNews = PermitGranted | PermitDelayed;

/** What a session tells the outbox of a channel. */
export type OutboxMessage =
  /** A row was committed, `open` or `pending`; also sent when an `open` one became `pending`. */
  | { readonly type: "row_committed"; readonly row: Outbound }
  /** An `open` row has more to show. Only the newest per key matters. */
  | {
    readonly type: "stream_grew";
    readonly key: string;
    /** Text of earlier model calls of this answer, shown where progress is wanted. */
    readonly preamble: string;
    /** Text of the current model call so far. */
    readonly text: string;
    /** Hints of the tools that run now; "" for none. */
    readonly activity: string;
    /** How far they have come, a line each; shown where progress is wanted. @default "" */
    readonly progress?: string;
    /** What the model thought on the way, the end of it; only for channels that show it. */
    readonly reasoning?: string;
  }
  /** For channels that do not stream: text or a tool hint on the way to an answer. May be lost. */
  | {
    readonly type: "progress";
    readonly chatId: string;
    readonly context: Outbound["context"];
    readonly text: string;
    readonly isToolHint: boolean;
  }
  /** A message that was accepted waits for its turn, or waits no more. May be lost. */
  | {
    readonly type: "inbound_waits";
    readonly platformId: string;
    readonly isWaiting: boolean;
  };

/** Limits and choices of a turn, from the config. Token counts are tokens. */
export interface SessionSettings {
  readonly model: string;
  readonly temperature: number;
  readonly tokensMax: number;
  readonly contextWindowTokens: number;
  /** Replaces the computed input budget; null computes it. */
  readonly contextBlockLimit: number | null;
  readonly reasoningEffort: string | null;
  readonly toolIterationsMax: number;
  readonly toolResultCharsMax: number;
  /** IANA name. */
  readonly timezone: string;
  readonly workspace: string;
  readonly version: string;
  /** Passivated after this long without work. */
  readonly idleMs: number;
  /** Follow-ups that may join at one step, and joins in one turn. */
  readonly joinsPerStepMax: number;
  readonly joinsPerTurnMax: number;
}

/** The sessions' files; a port so that the simulated world can lose what was not synced. */
export interface SessionFiles {
  /** Whole content, or null where there is no such file. `name` is the file's base name. */
  read(name: string): Promise<string | null>;
  /** Appends and syncs; cuts the file back to its former end when that fails half-way. */
  append(name: string, text: string): Promise<void>;
  /** Replaces whole and atomically (temp, sync, rename). */
  replace(name: string, text: string): Promise<void>;
  /** Removes a file; nothing happens where there is none. */
  remove(name: string): Promise<void>;
}

/** The memory, as far as sessions add to it: what leaves a conversation is kept there. */
export interface ArchivePort {
  /** Whose memory somebody's words belong to. */
  scopeOf(origin: MemoryOrigin): MemoryScope;
  /** Whose memory that of a session belongs to of which nobody knows who said it. */
  scopeOfSession(sessionKey: string): MemoryScope;
  /** Whether somebody's words may shape the assistant itself. @default nobody's may */
  isOwner?(origin: MemoryOrigin): boolean;
  /**
   * Appends an entry to a history, once per key.
   *
   * @throws {Error} when it cannot be kept just now
   */
  append(scope: MemoryScope, entry: NewHistoryEntry): Promise<HistoryAppended>;
}

/** Looks for what a message brings to mind. Never rejects, and takes a few ms at most. */
export type RemindPort = (inbound: Inbound, visible: VisibleSpan) => Promise<readonly RecallHit[]>;

/** Text files of the workspace that go into the prompt; null where there is none. */
export interface PromptFiles {
  /** @param endBytes of a longer file only so much of its end is read, from a line's start on */
  read(path: string, endBytes?: number): Promise<string | null>;
}

/** What owners should know of. */
export interface OwnersInformed {
  readonly type: "owners_informed";
  readonly text: string;
}

/** How a session has the process end and start again. */
export interface RestartPort {
  /** What is noted with the command, so that its chat hears of the next start. */
  noteFor(command: Inbound): NonNullable<Step["notes"]>[number];
  /** Asks for it; the process ends in good order. */
  request(): void;
}

/** The memory as people see and correct it. Failures reject. */
export interface MemoryDesk {
  /** Whether the sender of a command may see versions: where memories are kept apart, owners. */
  mayLook(command: Inbound): boolean;
  /** Has Dream run beside; the chat of the command hears of the end. */
  dream(command: Inbound): void;
  list(limit: number): Promise<VersionList>;
  /** @param id null is the newest */
  show(id: string | null): Promise<VersionAnswer>;
  restore(id: string): Promise<VersionRestored>;
}

/** What depends on the model. */
export type ModelSettings = Pick<
  SessionSettings,
  "model" | "temperature" | "tokensMax" | "contextWindowTokens" | "reasoningEffort"
>;

/** A model that sessions can talk with. */
export interface SessionModel {
  readonly settings: ModelSettings;
  readonly provider: Provider;
  /** Who answers, for people: `gpt-x by OpenAI, else deepseek-chat by DeepSeek`. */
  readonly description: string;
}

/** A model by its name; a refusal is half a sentence for people. */
export type FoundModel =
  | { readonly state: "found"; readonly model: SessionModel }
  | { readonly state: "refused"; readonly reason: string };

/** The models that sessions can choose from. */
export interface ModelsPort {
  /** What a session talks with that chose none. */
  readonly standard: SessionModel;
  /** Names that the configuration gives: presets, and models that stand in for others. */
  readonly names: readonly string[];
  /** Any model's name will do, if somebody is set up who answers for it. */
  find(name: string): FoundModel;
}

/** A piece of the prompt: a file, or what is said by itself. */
export interface PromptSection {
  /** For people. */
  readonly name: string;
  readonly text: string;
}

/** What the keeper of idle conversations is told. */
export type IdleCompactionMessage =
  /** Somebody wrote in a conversation. */
  | { readonly type: "session_used"; readonly sessionKey: string }
  /** Of the conversation only the end is there word by word. */
  | { readonly type: "session_compacted"; readonly sessionKey: string };

/** What it asks of the router: to wake a session and have it compact itself, if it is still idle. */
export interface CompactSession {
  readonly type: "compact_session";
  readonly sessionKey: string;
  /** It is idle when nobody has written for this long. */
  readonly idleMs: number;
}

/** What holds for each subagent. */
export interface SubagentRules {
  /** Rounds of tools. */
  readonly iterationsMax: number;
  /** From its first step to its result. */
  readonly timeoutMs: number;
  /** Tokens in and out, over all its calls; null is no limit but the budgets. */
  readonly tokensMax: number | null;
  /** Its steps are shown in the chat. */
  readonly showsProgress: boolean;
  /** Its standing instructions, for work that came of `home`. */
  readonly systemPrompt: (home: Inbound) => Promise<string>;
}

/** How turns of the heartbeat differ from those of people. */
export interface HeartbeatPort {
  /** Where tasks are done. */
  readonly sessionKey: string;
  /** Messages of that conversation which are kept, whole turns. */
  readonly recentMessagesMax: number;
  /** Whether somebody should hear of an answer. @throws the signal's reason */
  isWorthTelling(home: Inbound, answer: string, signal: AbortSignal): Promise<boolean>;
  /** Hands an answer on to the conversation of whom it concerns, once. @throws {JournalError} */
  tell(home: Inbound, answer: string): Promise<void>;
}

/** All that sessions share. */
export interface SessionServices {
  /**
   * What of this follows the configuration, as it is now; the same object until that is edited.
   *
   * @default all stays as it is
   */
  readonly revised?: (() => Partial<SessionServices>) | undefined;
  readonly settings: SessionSettings;
  readonly journal: Journal;
  readonly files: SessionFiles;
  /** Lets others work while a long conversation is read. @default it is read at once */
  readonly breathe?: Breathe | undefined;
  readonly promptFiles: PromptFiles;
  /** The system prompt for a conversation in a channel, with the memory that `home` may see. */
  readonly systemPrompt: (channel: string, home: Inbound) => Promise<string>;
  /** The same in pieces, for people to look at. @default it is one piece */
  readonly promptSections?:
    | ((channel: string, home: Inbound) => Promise<readonly PromptSection[]>)
    | undefined;
  readonly readImage: ReadImage;
  /** What is left of the web search's allowance, in words. @default nothing is said of it */
  readonly searchUsage?: ((signal: AbortSignal) => Promise<string>) | undefined;
  /** @default documents are only named */
  readonly readDocument?: ReadDocument | undefined;
  /** With retries inside. */
  readonly provider: Provider;
  /** Other models that a session may choose. @default it has no choice */
  readonly models?: ModelsPort | undefined;
  readonly tools: ToolRunner;
  /** The parts of a tool context that do not depend on the call. */
  readonly toolContext: Pick<ToolContext, "workspace" | "files" | "processes" | "net"> & {
    /** The files that the tools of a session see. @default all see `files` */
    readonly filesFor?: (origin: ToolOrigin) => ToolFiles;
  };
  readonly gate: ActorRef<GateMessage>;
  /** How subagents run. @default there are none */
  readonly subagents?: SubagentRules | undefined;
  /** What else the model may see of the configuration. @default nothing */
  readonly ownFacts?: JsonObject | undefined;
  /** Where each subagent has a place while it runs, so that few run at once. @default there are none */
  readonly subagentPlaces?: ActorRef<GateMessage> | undefined;
  /** The outbox of a channel; undefined when there is no such channel. */
  readonly outbox: (channel: string) => ActorRef<OutboxMessage> | undefined;
  /** Who hears of the turn that a message begins. @default nobody */
  readonly listenerOf?: ((home: Inbound) => TurnListener | undefined) | undefined;
  /** Whether a channel shows what the model thinks; where not, it leaves no session. @default none */
  readonly showsReasoning?: ((channel: string) => boolean) | undefined;
  /** Counts what models use, and knows the budgets. */
  readonly usage: UsageLedger;
  /** Where owners are told. @default nobody is */
  readonly alarms?: ActorRef<OwnersInformed> | undefined;
  readonly clock: Clock;
  readonly newId: NewId;
  /** Milliseconds since the gateway started. */
  readonly uptimeMs: () => number;
  /** Who watches turns. @default nobody does */
  readonly watch?: Watch | undefined;
  /** Where tool calls are recorded. @default nowhere */
  readonly audit?: AuditPort | undefined;
  /** What the owner's own code hears of, and refuses. @default there is none */
  readonly hooks?: HooksPort | undefined;
  /** Keeps time for conversations that nobody writes in. @default none is compacted */
  readonly compaction?: ActorRef<IdleCompactionMessage> | undefined;
  /** Where conversations go that are summed up. @default none is, and none is cut in its file */
  readonly archive?: ArchivePort | undefined;
  /** What a goal may use at most. @default 20 turns, a million tokens, four hours */
  readonly goals?: GoalBudget | undefined;
  /** @default its turns are like those of people */
  readonly heartbeat?: HeartbeatPort | undefined;
  /** Names of MCP servers as they stand in the names of their tools, for hints. @default none */
  readonly mcpServers?: readonly string[] | undefined;
  /** What a message brings to mind. @default nothing */
  readonly remind?: RemindPort | undefined;
  /** Which calls need an owner's yes. @default none */
  readonly approval?: ApprovalPort | undefined;
  /** Whether the sender of a command may do what only owners may. @default everybody may */
  readonly isOwner?: ((command: Inbound) => boolean) | undefined;
  /** @default there is no memory to look after */
  readonly memory?: MemoryDesk | undefined;
  /** Undefined where the process cannot start again by itself. */
  readonly restart?: RestartPort | undefined;
}

/** What the router tells a session. */
export type SessionMessage =
  /** An inbound was accepted for this session; it may come twice and out of window. */
  | { readonly type: "inbound_accepted"; readonly inbound: Inbound }
  /** Its sender took an inbound back: it is dropped, unless it is being worked on. */
  | { readonly type: "inbound_withdrawn"; readonly inbound: Inbound }
  /** Look into the journal: something waits or was interrupted. */
  | { readonly type: "wake" }
  /** Nobody has written for so long that only the end of it need be kept word by word. */
  | { readonly type: "compact"; readonly idleMs: number }
  /** Stop, unless something came since the idle time with this id began. */
  | { readonly type: "sleep"; readonly idleId: string }
  /** Stop, unless something is under way: its answer says whether it does. */
  | { readonly type: "leave"; readonly replyTo: ReplyTo<boolean> };

/** What a session tells the router. `idleId` names the time since it had something to do. */
export type SessionEvent =
  /** Nothing to do just now: the router may let it sleep, if others wait for its room. */
  | {
    readonly type: "session_resting";
    readonly sessionKey: string;
    readonly idleId: string;
  }
  /** Nothing to do for `idleMs`: the router lets it sleep. Told again and again. */
  | { readonly type: "session_idle"; readonly sessionKey: string; readonly idleId: string };
