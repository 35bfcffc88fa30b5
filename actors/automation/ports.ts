/**
 * What scheduled work needs from the gateway around it.
 * @module
 */

import type { Accepted, Inbound, NewInbound } from "../journal/journal.ts";

/** The file of jobs, which people edit as well. Errors are the file system's own. */
export interface JobFiles {
  /** Whole content; null where there is none. */
  read(): Promise<string | null>;
  /** Differs when the file may have changed; null where there is none. */
  mark(): Promise<string | null>;
  /** Replaces the file if it is still as `expected`; says whether it did. */
  swap(expected: string | null, text: string): Promise<boolean>;
  /** Keeps a text that cannot be used, and gives the name of its file. */
  setAside(text: string): Promise<string>;
  /** The last text that was kept with {@link keepCopy}. */
  readCopy(): Promise<string | null>;
  /** Keeps a copy, in case the file is damaged while nobody has it in memory. */
  keepCopy(text: string): Promise<void>;
}

/** How due work gets into the gateway, and what becomes of it there. */
export interface RunPort {
  /** Takes a message in, once per id. @throws {JournalError} */
  accept(inbound: NewInbound): Promise<Accepted>;
  /** The message of an id, if it was taken in. @throws {JournalError} */
  find(inputId: string): Promise<Inbound | null>;
  /** Whether answers can be sent through a channel. */
  hasChannel(name: string): boolean;
  /** The conversation of a chat. */
  sessionKeyOf(channel: string, chatId: string): string;
}

/** What whoever waits for leave to work is told. */
export type PermitNews =
  | { readonly type: "permit_granted"; readonly requestId: string }
  | { readonly type: "permit_delayed"; readonly requestId: string };

/** Leave to ask a model: few do so at once. */
export interface WorkPermit {
  /** Asks for it, and resolves when it is there. @throws the signal's reason */
  regain(signal: AbortSignal): Promise<void>;
  /** Hands news on that it was granted. */
  take(requestId: string): boolean;
  /** Gives it back, also while it is asked for. */
  end(): void;
}
