/**
 * Asks Telegram for updates, for as long as the channel runs. What is asked for next confirms what
 * came before, so nothing is confirmed that the gateway has not taken.
 * @module
 */

import { getLogger } from "@logtape/logtape";
import { type Clock, sleep } from "../../actors/kernel/clock.ts";
import type { Random } from "../../actors/kernel/random.ts";
import type { ConnectionState } from "../channel.ts";
import { networkWait } from "../network_wait.ts";
import {
  isConflict,
  isCredentialsRefusal,
  TelegramCredentialsError,
  TelegramRefusedError,
  toldWaitOf,
} from "./errors.ts";
import type { TelegramLink } from "./link.ts";
import { endsInAlbum } from "./receive/receiver.ts";
import type { TelegramUpdate } from "./wire.ts";

const logger = getLogger(["troupe", "telegram", "polling"]);

/** Telegram answers as soon as there is something, and after this long in any case. */
const POLL_SECONDS = 30;
/** The pictures of an album come one by one; after this long without a further one it is whole. */
const ALBUM_QUIET_MS = 600;
/** Looks for more of an album; Telegram's have ten items. */
const ALBUM_LOOKS_MAX = 10;
const READY_DETAIL = "Connected by long polling; no public address needed";

/** What polling needs. */
export interface PollingOptions {
  readonly link: TelegramLink;
  readonly clock: Clock;
  readonly random: Random;
  readonly report: (state: ConnectionState) => void;
  /** Takes updates; gives the number of the first that was not taken, or null. */
  readonly receive: (updates: readonly TelegramUpdate[]) => Promise<number | null>;
}

/**
 * Polls until `signal` aborts.
 *
 * @throws {TelegramCredentialsError} when trying again is senseless
 */
export async function keepPolling(options: PollingOptions, signal: AbortSignal): Promise<void> {
  const polling = new Polling(options, signal);
  for (let failures = 0; !signal.aborted;) {
    try {
      const isTaken = await polling.once();
      failures = isTaken ? 0 : failures + 1;
      if (!isTaken) await sleep(options.clock, networkWait(failures - 1, options.random), signal);
    } catch (error) {
      if (signal.aborted) return;
      await recover(error, failures++, options, signal);
      polling.lost();
    }
  }
}

/** One reader of a bot's updates. */
class Polling {
  readonly #options: PollingOptions;
  readonly #signal: AbortSignal;
  #offset: number | undefined;
  #isReady = false;

  constructor(options: PollingOptions, signal: AbortSignal) {
    this.#options = options;
    this.#signal = signal;
  }

  /** The next answer must show that there is a connection again, and so not wait for news. */
  lost(): void {
    this.#isReady = false;
  }

  /** @returns whether the gateway took all that there was */
  async once(): Promise<boolean> {
    const updates = await this.#next();
    if (!this.#isReady) this.#options.report({ state: "ready", detail: READY_DETAIL });
    this.#isReady = true;
    const last = updates.at(-1);
    if (last === undefined) return true;
    const untaken = await this.#options.receive(updates);
    this.#offset = untaken ?? last.update_id + 1;
    return untaken === null;
  }

  async #next(): Promise<readonly TelegramUpdate[]> {
    const { clock } = this.#options;
    let updates = await this.#ask(this.#isReady ? POLL_SECONDS : 0);
    for (let looks = 0; looks < ALBUM_LOOKS_MAX && endsInAlbum(updates); looks++) {
      await sleep(clock, ALBUM_QUIET_MS, this.#signal);
      const more = await this.#ask(0);
      if (more.length <= updates.length) break;
      updates = more;
    }
    return updates;
  }

  #ask(timeoutSeconds: number): Promise<readonly TelegramUpdate[]> {
    return this.#options.link.getUpdates({ offset: this.#offset, timeoutSeconds }, this.#signal);
  }
}

/**
 * Waits for what has to pass, and mends what can be mended.
 *
 * @throws {TelegramCredentialsError}
 */
async function recover(
  error: unknown,
  failures: number,
  { link, clock, random, report }: PollingOptions,
  signal: AbortSignal,
): Promise<void> {
  if (isCredentialsRefusal(error)) throw credentialsError(error);
  const detail = detailOf(error);
  const waitMs = Math.max(networkWait(failures, random), toldWaitOf(error));
  logger.warn("Cannot read messages ({detail}); trying again in {waitMs} ms", { detail, waitMs });
  const seconds = Math.ceil(waitMs / 1_000);
  report({ state: "reconnecting", detail: `${detail}; attempt ${failures + 1} in ${seconds} s` });
  if (isWebhookConflict(error)) {
    await link.deleteWebhook(signal).catch((reason) => {
      logger.warn("Cannot take the webhook away: {reason}", { reason });
    });
  }
  await sleep(clock, waitMs, signal).catch(() => {});
}

/** Why the token is no good, for a person. */
export function credentialsError(cause: unknown): TelegramCredentialsError {
  const code = cause instanceof TelegramRefusedError ? ` (code ${cause.platformCode})` : "";
  return new TelegramCredentialsError(
    `the token is wrong or was revoked${code}; get it from @BotFather and put it into ` +
      "channels.telegram.token",
    { cause },
  );
}

function isWebhookConflict(error: unknown): boolean {
  return isConflict(error) && /webhook/i.test(error.description);
}

function detailOf(error: unknown): string {
  if (isWebhookConflict(error)) return "the bot had a webhook";
  if (isConflict(error)) return "another program reads this bot's messages";
  return error instanceof Error ? error.message : String(error);
}
