/**
 * What the owner of commands that run on can be told, and what it answers.
 * @module
 */

import type { ReplyTo } from "../../kernel/ref.ts";
import type { ShellEnd } from "./level.ts";
import type { UnreadOutput } from "./running_command.ts";
import type { OpenCommand } from "./shell.ts";

/** How a session stands, with the output since the last look. */
export interface ShellSessionView {
  readonly id: string;
  /** Undefined while it runs; the session is forgotten once its end was told. */
  readonly end: ShellEnd | undefined;
  readonly output: UnreadOutput;
  /** How long it has run. */
  readonly ageMs: number;
}

/** A line of the list. */
export interface ShellSessionEntry {
  readonly id: string;
  readonly command: string;
  readonly hasEnded: boolean;
  readonly ageMs: number;
}

/** Everything the owner of the sessions can be told. */
export type ShellSessionsMessage =
  /** Starts a command, and answers once it has ended, or `yieldMs` have passed. */
  | {
    readonly type: "open_session";
    readonly sessionKey: string;
    readonly command: OpenCommand;
    readonly yieldMs: number;
    /** Ends the command when it aborts before the answer. */
    readonly signal: AbortSignal;
    readonly replyTo: ReplyTo<ShellSessionView>;
  }
  /** Writes to a command, or only looks; answers at its end, at `waitFor`, or after `yieldMs`. */
  | {
    readonly type: "use_session";
    readonly sessionKey: string;
    readonly id: string;
    readonly input: string;
    readonly closesInput: boolean;
    readonly terminates: boolean;
    readonly waitFor: string | undefined;
    readonly yieldMs: number;
    readonly replyTo: ReplyTo<ShellSessionView>;
  }
  | {
    readonly type: "list_sessions";
    readonly sessionKey: string;
    readonly replyTo: ReplyTo<readonly ShellSessionEntry[]>;
  };
