/**
 * What the kernel asks of a Worker thread, from the outside and from the inside.
 * @module
 */

import type { JsonValue } from "./json.ts";
import type { LinkPort } from "./worker_link.ts";

/** What a Worker may do; never more than the thread that starts it. Absent means nothing. */
export interface WorkerPermissions {
  readonly read?: boolean | readonly (string | URL)[];
  readonly write?: boolean | readonly (string | URL)[];
  /** `host` or `host:port`. */
  readonly net?: boolean | readonly string[];
  readonly env?: boolean | readonly string[];
  readonly run?: boolean | readonly (string | URL)[];
  readonly sys?: boolean | readonly NonNullable<Deno.SysPermissionDescriptor["kind"]>[];
  readonly ffi?: boolean | readonly (string | URL)[];
  readonly import?: boolean | readonly string[];
}

/** What a Worker is told when it starts. */
export interface WorkerStart {
  readonly name: string;
  readonly init: JsonValue;
}

/** A thread as it is to be started. */
export interface LaunchOptions {
  readonly entry: URL;
  readonly permissions: WorkerPermissions;
  readonly start: WorkerStart;
  /** The thread is dead: it could not start, or an error left it. */
  readonly onError: (error: Error) => void;
}

/** A running thread, seen from outside. */
export interface WorkerThread {
  readonly port: LinkPort;
  /** Ends the thread at its next step; one that spins in a loop goes on in the background. */
  terminate(): void;
}

/** Starts a thread. @throws what the platform says when it cannot */
export type LaunchWorker = (options: LaunchOptions) => WorkerThread;

/** How code in a Worker ended its own thread. */
export type WorkerExit = "closed" | "exited";

/** A running thread, seen from inside. */
export interface WorkerScope {
  /** Called with an error that nobody caught; true when it was reported and the thread lives on. */
  onFault(handler: (error: Error) => boolean): void;
  /** Called before code in this thread ends it. */
  onExit(handler: (exit: WorkerExit) => void): void;
  /** Gets the port and the start data from outside. */
  connect(): Promise<{ readonly port: LinkPort; readonly start: WorkerStart }>;
}
