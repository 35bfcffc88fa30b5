/**
 * How a person sets a channel up from the terminal: the contract between a channel, which knows
 * what its platform wants, and the command, which talks to the person and writes the file.
 * @module
 */

import type { Clock } from "../actors/kernel/clock.ts";
import { GatewayError } from "../actors/kernel/errors.ts";
import type { JsonObject } from "../actors/kernel/json.ts";
import type { NewId } from "../actors/kernel/random.ts";
import type { ChannelCommand } from "./channel.ts";

/** One thing that was looked at. `unknown`: the platform does not tell. */
export interface SetupCheck {
  /** Short, for people and scripts: `permission im:resource`. */
  readonly name: string;
  readonly state: "ok" | "missing" | "unknown";
  /** The channel does not work without it. */
  readonly isNeeded: boolean;
  readonly detail: string;
  /** What to do about it; null when nothing. */
  readonly remedy: string | null;
  /** Where to do it. */
  readonly url: string | null;
}

/** How a set-up ended. */
export interface SetupReport {
  /** Nothing that is needed is missing. */
  readonly isReady: boolean;
  readonly checks: readonly SetupCheck[];
}

/** How a question is asked. */
export interface AskOptions {
  /** What is typed does not show. */
  readonly isSecret?: boolean;
  /** Takes the question back; the promise then rejects with its reason. */
  readonly signal?: AbortSignal;
}

/** A check that went well. */
export function passed(name: string, detail: string): SetupCheck {
  return { name, state: "ok", isNeeded: true, detail, remedy: null, url: null };
}

/** What a channel's set-up works with. */
export interface SetupScene {
  /** The bot's keys as they stand in the file, in camelCase, placeholders filled in. */
  readonly section: JsonObject;
  /** Values given with the command, by key. */
  readonly given: Readonly<Record<string, string>>;
  /** Credentials come by scanning a code. */
  readonly isScanning: boolean;
  /** Begin anew, though there are credentials. */
  readonly isForced: boolean;
  /** A person answers questions; otherwise what is not given is missing. */
  readonly isInteractive: boolean;
  /**
   * Only look: nothing new is begun, and no connection is opened over which messages would come, as
   * they are for the gateway that runs. @default false
   */
  readonly isLooking?: boolean;
  /** What people can command, for menus that are made by hand. @default none */
  readonly commands?: readonly ChannelCommand[];
  /** Where the channel keeps its keys, as the running channel will find it. */
  readonly stateFolder: string;
  readonly clock: Clock;
  readonly newId: NewId;
  /** Aborts when the person gives up. */
  readonly signal: AbortSignal;
  /** Tells the person something. */
  say(text: string): void;
  /** Shows an address, also as a code to be scanned. */
  showLink(url: string): void;
  /** Tells the outcome of a check, as soon as it is known. */
  tell(check: SetupCheck): void;
  /** Asks the person. Only for interactive scenes. @returns the answer, trimmed */
  ask(question: string, options?: AskOptions): Promise<string>;
  /** Puts keys of the bot into the file; the rest of it stays as it is. */
  save(changes: JsonObject): Promise<void>;
}

/** Sets a channel up. */
export interface ChannelSetup {
  /**
   * Gets credentials, saves them once they work, and checks the rest.
   *
   * @throws {SetupError}
   */
  login(scene: SetupScene): Promise<SetupReport>;
}

/** Why a channel was not set up. */
export type SetupFailure = "setup_incomplete" | "setup_refused" | "setup_unreachable";

/** A channel could not be set up; nothing was saved. */
export class SetupError extends GatewayError {
  override readonly name = "SetupError";
  readonly code: SetupFailure;
  readonly recovery = "give_up";

  constructor(code: SetupFailure, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
