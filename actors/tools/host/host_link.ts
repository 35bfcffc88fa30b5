/**
 * A running tool host as seen from the gateway: lines in, lines out, an end.
 * @module
 */

import type { HostSetup } from "./host_protocol.ts";

/** What a host tells its owner. */
export interface HostListener {
  /** A line arrived; it may be nonsense. */
  line(text: string): void;
  /** It has ended and nothing more will come; told once. `reason` is for logs and the model. */
  ended(reason: string): void;
}

/** The gateway's end of a host. */
export interface HostLink {
  /** Sends a line; what a dead host does not get is told by {@link HostListener.ended}. */
  send(line: string): void;
  /** Closes its input: it ends when it has nothing to do. */
  close(): void;
  /** Ends it at once, whatever it does. */
  kill(): void;
}

/** Starts a host; a failure to start is told as its end. */
export type StartHost = (setup: HostSetup, listener: HostListener) => HostLink;
