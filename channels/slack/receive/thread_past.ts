/**
 * What was said in a thread before the bot came into it.
 * @module
 */

import { getLogger } from "@logtape/logtape";
import type { Clock } from "../../../actors/kernel/clock.ts";
import { withRetries } from "../../retries.ts";
import type { SlackApi } from "../api.ts";
import { waitOf } from "../errors.ts";
import type { SlackMessage } from "../wire.ts";
import type { ChannelMemory } from "./memory.ts";
import type { ReceivedMessage } from "./message.ts";
import type { People } from "./people.ts";
import { readableText } from "./text.ts";

const logger = getLogger(["troupe", "slack", "thread_past"]);

/** Messages that are read, the newest, beside the thread's first one. */
const MESSAGES_MAX = 20;
const WORDS_MAX = 400;
/** Pages of 200 messages; what is behind them in a longer thread is not read. */
const PAGES_MAX = 3;

/** What reading a thread needs. */
export interface ThreadPastOptions {
  readonly api: Pick<SlackApi, "history">;
  readonly people: People;
  readonly memory: Pick<ChannelMemory, "takesPart">;
  readonly botUserId: string;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** Reads threads. */
export class ThreadPast {
  readonly #options: ThreadPastOptions;

  constructor(options: ThreadPastOptions) {
    this.#options = options;
  }

  /** Whether a message calls the bot into a thread that it does not know. */
  isWorthReading({ message, isDirect }: ReceivedMessage): boolean {
    const { channel, ts, thread_ts: threadTs } = message;
    if (isDirect || threadTs === "" || threadTs === ts) return false;
    return !this.#options.memory.takesPart(channel, threadTs);
  }

  /** What was said there before `received`, in brackets; "" when there was nothing, or it is hidden. */
  async textFor({ message }: ReceivedMessage): Promise<string> {
    const { people, botUserId, signal } = this.#options;
    try {
      const before = (await this.#read(message)).filter(({ ts }) => ts < message.ts);
      const [first, ...rest] = before;
      if (first === undefined) return "";
      const shown = [first, ...rest.slice(-MESSAGES_MAX)];
      await people.learn(shown.map(({ user }) => user).filter((user) => user !== ""));
      const lines = shown.map((said) => {
        const name = said.user === botUserId ? "you" : people.knownName(said.user) || said.user;
        return `${name || "an app"}: ${wordsOf(said, people)}`;
      });
      return `[The thread so far:\n${lines.join("\n")}]`;
    } catch (error) {
      signal.throwIfAborted();
      const reason = error instanceof Error ? error.message : String(error);
      logger.debug("Cannot read a thread: {reason}", { reason });
      return "";
    }
  }

  async #read({ channel, thread_ts: threadTs }: SlackMessage): Promise<readonly SlackMessage[]> {
    const { api, clock, signal } = this.#options;
    const messages: SlackMessage[] = [];
    let cursor = "";
    for (let pages = 0; pages < PAGES_MAX; pages++) {
      const page = await withRetries(
        () => api.history({ channel, threadTs, oldest: "", cursor }, signal),
        { clock, signal, waitOf },
      );
      messages.push(...page.items);
      cursor = page.nextCursor;
      if (cursor === "") break;
    }
    return messages;
  }
}

function wordsOf({ text, files }: SlackMessage, people: People): string {
  const words = readableText(text, (userId) => people.knownName(userId)).replace(/\s+/g, " ");
  const names = files.map(({ name }) => `[file: ${name}]`).join(" ");
  const characters = [...`${words} ${names}`.trim()];
  return characters.length <= WORDS_MAX
    ? characters.join("")
    : `${characters.slice(0, WORDS_MAX).join("")}...`;
}
