/**
 * The tool contract. A tool declares what it needs and reaches files, net and processes only
 * through its context, so that the same tool runs in this process or in a sandboxed host.
 * @module
 */

import type { ContentBlock, ToolDefinition } from "../../providers/provider.ts";
import type { SystemSource } from "../journal/journal.ts";
import { GatewayError } from "../kernel/errors.ts";
import type { JsonObject, JsonValue } from "../kernel/json.ts";

/** Why a tool could not do what was asked; the message beside it is meant for the model. */
export const TOOL_FAILURES = [
  "path_outside",
  "path_protected",
  "path_missing",
  "path_wrong_kind",
  "path_invalid",
  "file_too_large",
  "file_failed",
  "run_failed",
  /** A guard of the shell does not let it run. */
  "command_refused",
  "arguments_invalid",
  /** The process in which the tool ran is gone. */
  "host_failed",
  /** The tool did not declare that it needs this. */
  "not_available",
  /** Anything else that went wrong inside a tool. */
  "tool_failed",
] as const;

/** One of {@link TOOL_FAILURES}. */
export type ToolFailure = typeof TOOL_FAILURES[number];

/** A tool could not do what was asked. */
export class ToolError extends GatewayError {
  override readonly name = "ToolError";
  readonly code: ToolFailure;
  readonly recovery = "give_up";

  constructor(code: ToolFailure, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** What a tool must be able to do; nothing else is given to it. */
export interface ToolNeeds {
  readonly read?: "workspace";
  readonly write?: "workspace";
  readonly net?: "public";
  readonly run?: "shell";
  /** Sends messages to chats. */
  readonly send?: true;
}

/**
 * shared: changes nothing, may run beside its neighbours of the same class; exclusive: runs alone.
 */
export type ToolConcurrency = "shared" | "exclusive";

/** What a call gave. Errors are results too: the model reads them and goes on. */
export interface ToolResult {
  readonly content: string | readonly ContentBlock[];
  readonly isError: boolean;
}

/** Who a turn talks with, so that tools can answer there. */
export interface ToolOrigin {
  readonly channel: string;
  readonly chatId: string;
  readonly sessionKey: string;
  /** Who began the turn, in their channel's words. @default nobody is known */
  readonly senderId?: string | undefined;
  /** Which part of the gateway began it. @default a person did */
  readonly source?: SystemSource | undefined;
  /** What the channel needs to answer in the place where the turn began. @default nothing */
  readonly context?: JsonObject | undefined;
  /** Absolute paths of files that were sent in this conversation. @default none */
  readonly sentFiles?: readonly string[] | undefined;
}

/** What stands at a path. */
export interface FileInfo {
  readonly kind: "file" | "directory" | "other";
  readonly size: number;
  /** Epoch milliseconds; null where the file system does not tell. */
  readonly modifiedAtMs: number | null;
}

/** An entry of a folder. */
export interface FileEntry {
  readonly name: string;
  readonly kind: "file" | "directory" | "symlink" | "other";
}

/** The entries of a folder, in no order. */
export interface FileListing {
  readonly entries: readonly FileEntry[];
  /** There are more. */
  readonly isCut: boolean;
}

/**
 * Files within what the policy allows. Paths may be relative (to the workspace), absolute, or
 * start with `~`; each is resolved, symlinks included, before it is checked.
 * All methods throw {@link ToolError} with `path_outside`, `path_protected`, `path_missing`,
 * `path_invalid`, `path_wrong_kind`, `file_too_large` or `file_failed`.
 */
export interface ToolFiles {
  /** The absolute, resolved path that a tool may name to the model. */
  resolve(path: string): Promise<string>;
  info(path: string): Promise<FileInfo | null>;
  /** The whole file; `file_too_large` where it has more than `bytesMax`. */
  read(path: string, bytesMax: number): Promise<Uint8Array<ArrayBuffer>>;
  /** Whole file, atomically (temp, sync, rename); makes parent folders. */
  write(path: string, bytes: Uint8Array): Promise<void>;
  /** A file, or a folder with nothing in it. */
  remove(path: string): Promise<void>;
  list(path: string, entriesMax: number): Promise<FileListing>;
}

/** A command to run in a shell. */
export interface ShellCommand {
  readonly command: string;
  readonly workingDir: string | undefined;
  readonly timeoutMs: number;
  /** Bytes of output kept; the middle is left out beyond it. */
  readonly outputBytesMax: number;
}

/** How a command ended. */
export interface ShellOutcome {
  readonly state: "exited" | "timed_out";
  /** null when a signal ended it. */
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs shell commands, each in a process group that is ended as a whole. */
export interface ToolProcesses {
  run(command: ShellCommand, signal: AbortSignal): Promise<ShellOutcome>;
}

/** A request to the network. */
export interface ToolRequest {
  /** http or https, without user name and password. */
  readonly url: string;
  /** @default "GET" */
  readonly method?: "GET" | "POST" | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body?: string | undefined;
  /** Bytes of the unpacked answer that are kept; the rest is not read. */
  readonly bytesMax: number;
  /** From the look-up to the last byte. */
  readonly timeoutMs: number;
  /**
   * An origin that the owner's own configuration names, which may therefore be private. Never
   * one that came from a model or a page.
   */
  readonly ownerOrigin?: string | undefined;
}

/** An answer of any status. */
export interface ToolResponse {
  /** Where the last redirect led. */
  readonly url: string;
  readonly status: number;
  /** Names in lower case; repeated ones joined by a comma. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** There was more than `bytesMax`. */
  readonly isCut: boolean;
}

/** The network within its boundary: public hosts and what the owner allows beyond. */
export interface ToolNet {
  /** @throws {NetError} for what is refused or fails, or the signal's reason */
  request(request: ToolRequest, signal: AbortSignal): Promise<ToolResponse>;
  /**
   * Whether an address is open to everybody: what others may be told of. Ranges that the owner
   * allows beyond do not count, and neither does what cannot be resolved.
   */
  isPublic(url: string, signal: AbortSignal): Promise<boolean>;
}

/** A message that a tool sends to a chat. */
export interface ToolMessageOut {
  readonly channel: string;
  readonly chatId: string;
  readonly content: string;
  readonly media: readonly string[];
}

/** What a subagent is to do. */
export interface SubagentOrder {
  readonly task: string;
  /** A few words for people. */
  readonly label: string;
}

/** Starts subagents for the session that calls. */
export interface SubagentStarter {
  /**
   * Starts one beside the session; its result comes into the session as a message.
   *
   * @returns its id, when it is sure that the result will come
   * @throws {ToolError} where too many are under way
   */
  start(order: SubagentOrder, signal: AbortSignal): Promise<string>;
  /** Starts one and gives its result, for the model. @throws as above; the signal's reason */
  run(order: SubagentOrder, signal: AbortSignal): Promise<string>;
}

/** What a session tells the model of itself, and lets it change. */
export interface OwnState {
  /** All that may be seen, by name. */
  look(): Promise<JsonObject>;
  /** Sets a value; null forgets it. Gives what it is now, in words. @throws {ToolError} */
  set(key: string, value: JsonValue): Promise<string>;
}

/** How a session's model judges the goal that it works on. */
export interface GoalReach {
  /** The work is over after this turn. @throws {ToolError} where there is no goal */
  judge(verdict: {
    readonly status: "reached" | "blocked";
    /** For people; may be "". */
    readonly note: string;
  }): Promise<void>;
}

/** All that a running call may use. */
export interface ToolContext {
  /** Absolute path. */
  readonly workspace: string;
  readonly origin: ToolOrigin;
  /** Names the call in the model's answer. @default it is none of a model's */
  readonly callId?: string | undefined;
  readonly files: ToolFiles;
  readonly processes: ToolProcesses;
  readonly net: ToolNet;
  /** Queues a message durably; resolves when it is committed. */
  readonly send: (message: ToolMessageOut) => Promise<void>;
  readonly signal: AbortSignal;
  /**
   * Says how far the call has come, in a few words, to the people who wait for it. May be lost.
   * @default nobody is told
   */
  readonly report?: ((text: string) => void) | undefined;
  /** Longer results go to a file. @default 16,000 characters */
  readonly resultCharsMax?: number | undefined;
  /** @default there are no subagents */
  readonly subagents?: SubagentStarter | undefined;
  /** @default the session tells nothing of itself */
  readonly own?: OwnState | undefined;
  /** @default there are no goals */
  readonly goal?: GoalReach | undefined;
  /** What this session has read, so that edits can warn; shared by the tools of one session. */
  readonly reads: Map<string, string>;
}

/** A tool as the registry holds it. */
export interface Tool {
  /** As the model calls it: lower snake_case. */
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the arguments, an object at its root. */
  readonly parameters: JsonObject;
  readonly needs: ToolNeeds;
  readonly concurrency: ToolConcurrency;
  /** Longest run; past it the call is aborted and the model told. */
  readonly timeoutMs: number;
  /**
   * The arguments as the tool's work takes them: cast, and checked.
   *
   * @default they are taken as they come
   * @throws {ToolError} `arguments_invalid`
   */
  check?(args: JsonObject): JsonObject;
  /** Casts and checks the arguments, then runs. What it throws becomes an error result. */
  call(args: JsonObject, context: ToolContext): Promise<ToolResult>;
}

/** The tools of a gateway, as a turn sees them. */
export interface ToolRunner {
  /**
   * Waits for tools that are on their way, within reason; a turn does before it asks the model.
   *
   * @throws the signal's reason when it aborts
   */
  settled?(signal: AbortSignal): Promise<void>;
  /** Definitions for the model: built-ins by name, then `mcp_…` by name. */
  definitions(): readonly ToolDefinition[];
  /** How a tool may run; unknown tools are exclusive. */
  concurrency(name: string): ToolConcurrency;
  /** Runs a call; never throws but for an abort of `context.signal`. */
  run(name: string, parameters: JsonObject, context: ToolContext): Promise<ToolResult>;
}
