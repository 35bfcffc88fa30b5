/**
 * The contract of a shell level: how far from the machine a command runs.
 * @module
 */

/**
 * bwrap: namespaces, a read-only system, the workspace. virtual: a shell interpreter in a process
 * with narrow rights, no programs at all. process: a plain process with the gateway's own rights.
 */
export type ShellLevelName = "bwrap" | "virtual" | "process";

/** A command as a level gets it: looked at by the guard, its folder resolved. */
export interface ShellStart {
  readonly command: string;
  /** Absolute, resolved path in the workspace. */
  readonly folder: string;
  /** Whether something will be written to its input; otherwise the input is empty. */
  readonly hasInput: boolean;
  /** For levels that can end a command only from inside; whoever starts it ends it too. */
  readonly timeoutMs: number;
}

/** How a command ended. */
export interface ShellEnd {
  /** null when a signal ended it. */
  readonly exitCode: number | null;
  /** Why it was ended by its level: too many processes, too much memory. */
  readonly note?: string | undefined;
}

/** A running command. Disposing ends it, and all that it started, as far as the level can. */
export interface ShellProcess extends AsyncDisposable {
  readonly stdout: ReadableStream<Uint8Array>;
  readonly stderr: ReadableStream<Uint8Array>;
  /** Never rejects. */
  readonly ended: Promise<ShellEnd>;
  /** Writes to its input. @throws when it has ended, or takes no input */
  write(bytes: Uint8Array): Promise<void>;
  /** Ends its input. */
  closeInput(): Promise<void>;
  /** Ends it and all that it started; calling it twice does nothing more. */
  kill(): void;
}

/** Starts commands at one level. */
export interface ShellLevel extends AsyncDisposable {
  readonly name: ShellLevelName;
  /** What a person should know of it, for the start-up line: `network filtered`. */
  readonly description: string;
  /** @throws {ToolError} `run_failed` */
  start(start: ShellStart): Promise<ShellProcess>;
}

/** Where commands may go; the same at every level. All paths absolute and resolved. */
export interface ShellScope {
  readonly workspace: string;
  /** Nothing but the workspace and `readableRoots`. */
  readonly isRestricted: boolean;
  readonly readableRoots: readonly string[];
  readonly writableRoots: readonly string[];
  /** In the workspace, readable and never writable. */
  readonly readOnlyPaths: readonly string[];
  /** The gateway's own files, wherever they are: not even readable. */
  readonly hiddenPaths: readonly string[];
}

/** What all that a command starts may use together, and each process of it. */
export interface ShellLimits {
  readonly processesMax: number;
  /** Resident bytes of all its processes. */
  readonly memoryBytesMax: number;
  /** Data of each process. */
  readonly dataBytesMax: number;
  /** Size of each file that it writes. */
  readonly fileBytesMax: number;
}

/** What is plenty for builds and tests, and too little to stop the machine. */
export const SHELL_LIMITS: ShellLimits = {
  processesMax: 400,
  memoryBytesMax: 4 * 1024 ** 3,
  dataBytesMax: 4 * 1024 ** 3,
  fileBytesMax: 4 * 1024 ** 3,
};

/** After a command has ended, what it left running may still write for this long. */
export const PIPES_GRACE_MS = 200;
