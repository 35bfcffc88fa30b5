/**
 * What a channel brings to the contract suite: its platform, simulated, as a person in it sees it.
 * @module
 */

import type { JsonObject } from "../../../actors/kernel/json.ts";
import type { ManualClock } from "../../support/manual_clock.ts";

/** What the suite wants of the channel's section; each harness knows the keys for it. */
export interface SectionWishes {
  /** Whose messages count. @default Alice's alone */
  readonly allowFrom?: "alice" | "everybody" | "nobody";
  /** @default "mention" */
  readonly groupPolicy?: "mention" | "open";
  /** Answers grow. @default true, where the channel can */
  readonly streaming?: boolean;
  /** The platform does not know the token or secret. @default false */
  readonly hasBadCredentials?: boolean;
}

/** A file that a person sends. */
export interface SentFile {
  readonly name: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** What a person does. */
export interface Saying {
  /** @default "" */
  readonly text?: string;
  /** @default "alice" */
  readonly from?: "alice" | "stranger";
  /** In the group; otherwise in the direct chat with the bot. @default false */
  readonly inGroup?: boolean;
  /** The text begins by mentioning the bot, as people do on this platform. @default false */
  readonly mentionsBot?: boolean;
  /** In the thread (topic) of the group that goes by this name, made if new. */
  readonly thread?: string;
  readonly file?: SentFile;
}

/** What was said, by the ids that the channel is to hand in. */
export interface Said {
  readonly platformId: string;
  readonly chatId: string;
  readonly senderId: string;
}

/** A file as it arrived at a person. */
export interface ShownFile {
  /** As far as the platform shows names; "" where it does not. */
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** A message of the bot's as a person reads it: marks rendered away, characters as they look. */
export interface ShownMessage {
  readonly id: string;
  /** Code stands in it line by line, without fences. */
  readonly text: string;
  /** The blocks that look like code. */
  readonly code: readonly string[];
  readonly files: readonly ShownFile[];
  /** The thread it stands in, by the name of {@link Saying.thread}; null outside. */
  readonly thread: string | null;
  /** How often it was changed after it was sent. */
  readonly edits: number;
}

/**
 * - `busy`: the next send has no effect, and fails in a way that passes (a proxy's 503)
 * - `forbidden`: the next send has no effect, and the platform says that it never will
 * - `lost_answer`: the next send has its effect, but the connection ends before the answer
 * - `half_answer`: the next send has its effect, but the connection ends in the answer's middle
 * - `garbled_answer`: the next send has its effect, but a proxy answers with a page of its own
 */
export type SendFailure = "busy" | "forbidden" | UnclearFailure;

/** Failures of which a channel cannot know whether the message is there. */
export type UnclearFailure = "lost_answer" | "half_answer" | "garbled_answer";

/** A simulated platform; it fails the test when documented limits are overstepped. */
export interface ChannelHarness extends AsyncDisposable {
  /** The section for a channel at this platform, as it would stand in the file. */
  section(wishes: SectionWishes): JsonObject;
  /** Puts into the folder of a channel that keeps keys what a login would have left there. */
  prepare?(stateFolder: string): Promise<void>;
  /** A person writes; the platform tells the channel as soon as it can. */
  userSays(saying: Saying): Said;
  /** Tells the channel once more of what it has acknowledged. */
  repeat(said: Said): void;
  /** The bot's messages in a chat, oldest first; deleted ones are not there. */
  shown(chatId: string): readonly ShownMessage[];
  /** Labels of the buttons in a chat that can be pressed, the latest message's last. */
  buttons(chatId: string): readonly string[];
  /** A person presses the latest button with this label in a chat. */
  press(chatId: string, label: string, from?: "alice" | "stranger"): void;
  /** Calls so far by which the channel touched something: those that look for news do not count. */
  readonly effects: number;
  /** What happens to the next message that is sent (not to one that is changed). */
  failNext(failure: SendFailure): void;
  /** Refuses the next send for its rate, and asks to wait. */
  limitRate(retryAfterMs: number): void;
  /** The owner takes the credentials back: calls and connections fail as they do there from then on. */
  shutOut(): void;
  /** The network goes away: what is open breaks, and nothing new gets through. */
  goOffline(): void;
  /** It is back. */
  comeBack(): void;
  /** Connections and requests that the channel holds open. */
  readonly open: number;
  /** Waits until people have what was sent. @default a channel has waited for that itself */
  arrived?(): Promise<void>;
}

/** A channel under contract. */
export interface ChannelUnderContract {
  /** Its name in the registry. */
  readonly name: string;
  /** The direct chat with Alice, as a chat id. */
  readonly aliceChatId: string;
  /** Its platform has buttons below messages. */
  readonly hasButtons: boolean;
  /** Its platform has groups; otherwise threads are those of the direct chat. @default true */
  readonly hasGroups?: boolean;
  /** A conversation of it can have threads of its own. @default true */
  readonly hasThreads?: boolean;
  /**
   * It is its platform's server: nothing refuses a send, there is nowhere to sign in, and people
   * connect to it. @default false
   */
  readonly isServer?: boolean;
  /** Its platform can tell a bot of all that is said in a group. @default true */
  readonly hearsGroups?: boolean;
  /** A long answer comes in several messages. @default true */
  readonly hasParts?: boolean;
  /** Starts its platform, with Alice, a stranger and a group known. */
  open(clock: ManualClock): Promise<ChannelHarness>;
}
