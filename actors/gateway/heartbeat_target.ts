/**
 * Whom the heartbeat tells: the configured chat, or the one in which a person last wrote.
 * @module
 */

import { getLogger } from "@logtape/logtape";
import { z } from "zod";
import type { HeartbeatTarget } from "../automation/heartbeat.ts";
import { type Inbound, type Journal, SYSTEM_CHANNEL } from "../journal/journal.ts";
import { asError } from "../kernel/errors.ts";
import type { JsonObject } from "../kernel/json.ts";
import { effectiveSessionKey } from "./session_key.ts";

const logger = getLogger(["troupe", "gateway", "heartbeat_target"]);

/** Under this key the journal notes where a person last wrote. */
const NOTE = "heartbeat:target";
/** It comes and goes. */
const TERMINAL = "cli";

const noteShape = z.object({
  channel: z.string(),
  chatId: z.string(),
  sessionKey: z.string(),
  context: z.record(z.string(), z.json()),
});

/** What a target is found with. */
export interface HeartbeatTargetsOptions {
  readonly journal: Pick<Journal, "note" | "commit">;
  /** `channel:chat`; null: where a person last wrote. */
  readonly configured: string | null;
  /** Whether all chats have one conversation. */
  readonly isUnified: boolean;
  /** Whose words count: where there are owners, theirs. */
  readonly isOwner: (sender: Pick<Inbound, "channel" | "senderId">) => boolean;
}

/** Remembers where people write, over restarts too. */
export class HeartbeatTargets {
  readonly #options: HeartbeatTargetsOptions;
  #last: HeartbeatTarget | undefined;

  constructor(options: HeartbeatTargetsOptions) {
    this.#options = options;
  }

  /** A message was taken in. Never waits: only another chat than before is noted. */
  saw(inbound: Inbound): void {
    const { configured, isOwner } = this.#options;
    const { channel, chatId, sessionKey } = inbound;
    if (configured !== null || channel === SYSTEM_CHANNEL || channel === TERMINAL) return;
    if (!isOwner(inbound)) return;
    const context = threadOf(inbound);
    const isSame = this.#last?.channel === channel && this.#last.chatId === chatId &&
      this.#last.sessionKey === sessionKey &&
      JSON.stringify(this.#last.context) === JSON.stringify(context);
    if (isSame) return;
    const target = this.#last = { channel, chatId, sessionKey, context };
    void this.#note({ ...target });
  }

  /** Null where nobody is to be told. @throws {JournalError} */
  async find(hasChannel: (name: string) => boolean): Promise<HeartbeatTarget | null> {
    const { configured, journal, isUnified } = this.#options;
    const target = configured === null
      ? this.#last ?? noteShape.safeParse(await journal.note(NOTE)).data ?? null
      : placeOf(configured, isUnified);
    return target !== null && hasChannel(target.channel) ? target : null;
  }

  async #note(value: JsonObject): Promise<void> {
    try {
      await this.#options.journal.commit({ notes: [{ key: NOTE, value }] }, "written");
    } catch (error) {
      const reason = asError(error).message;
      logger.debug("Cannot note for the heartbeat where somebody wrote: {reason}", { reason });
    }
  }
}

/** What leads into a thread; in a chat results stand at its end. */
function threadOf({ channel, chatId, sessionKey, context }: Inbound): JsonObject {
  return sessionKey.startsWith(`${channel}:${chatId}:`) ? context : {};
}

function placeOf(key: string, isUnified: boolean): HeartbeatTarget {
  const colon = key.indexOf(":");
  const [channel, chatId] = [key.slice(0, Math.max(0, colon)), key.slice(colon + 1)];
  const sessionKey = effectiveSessionKey({ channel, chatId, override: undefined, isUnified });
  return { channel, chatId, sessionKey, context: {} };
}
