/**
 * The conversations of one channel, as its clients may look through them: no others, and of them what
 * was said.
 * @module
 */

import type {
  ChannelSession,
  ChannelSessionMessage,
  ChannelSessions,
} from "../../channels/channel.ts";
import { type Breathe, neverBreathe } from "../kernel/breathing.ts";
import type { ActorRef } from "../kernel/ref.ts";
import type { DatedFile } from "../session/idle_compaction.ts";
import type { SessionFiles } from "../session/ports.ts";
import type { SessionErased } from "../session/session_erasure.ts";
import { setAsideIn } from "../session/conversation.ts";
import { readSessionText, SET_ASIDE, type StoredMessage } from "../session/session_file.ts";
import { sessionFileName, sessionKeyOf } from "../session/session_name.ts";
import type { RouterMessage } from "./router.ts";

/** Conversations in a list, and messages of one: the latest. */
const SESSIONS_MAX = 200;
const MESSAGES_MAX = 1_000;
/** A conversation that rests is put to sleep first. */
const ERASE_MS = 8_000;

/** Where conversations are found. */
export interface ChannelSessionsOptions {
  readonly files: Pick<SessionFiles, "read">;
  readonly list: () => AsyncIterable<DatedFile>;
  readonly router: ActorRef<RouterMessage>;
  /** Lets others work while a long conversation is read. @default it is read at once */
  readonly breathe?: Breathe | undefined;
}

/** Those of the channel with this name. */
export function channelSessions(channel: string, options: ChannelSessionsOptions): ChannelSessions {
  const { files, list, router, breathe = neverBreathe } = options;
  const isOwn = (key: string): boolean => key.startsWith(`${channel}:`);
  return {
    async list() {
      const found: ChannelSession[] = [];
      for await (const { name, modifiedAtMs: updatedAtMs } of list()) {
        const key = sessionKeyOf(name);
        if (key !== null && isOwn(key)) found.push({ key, updatedAtMs });
      }
      return found.toSorted((a, b) => b.updatedAtMs - a.updatedAtMs).slice(0, SESSIONS_MAX);
    },
    async read(key) {
      const text = isOwn(key) ? await files.read(sessionFileName(key)) : null;
      if (text === null) return null;
      const { messages } = await readSessionText(text, breathe);
      const gone = setAsideIn(messages);
      return messages.filter(({ lineId }) => lineId === null || !gone.has(lineId))
        .flatMap(said).slice(-MESSAGES_MAX);
    },
    async erase(key) {
      if (!isOwn(key)) return "missing";
      return await router.ask<SessionErased>(
        (replyTo) => ({ type: "erase_session", sessionKey: key, replyTo }),
        { timeoutMs: ERASE_MS },
      );
    },
  };
}

/** What a person said or was told; calls of tools and their results are left out. */
function said({ message, timestampMs: atMs, extras }: StoredMessage): ChannelSessionMessage[] {
  const { role, content } = message;
  if (role !== "user" && role !== "assistant") return [];
  if (extras[SET_ASIDE] !== undefined || extras["injected_event"] !== undefined) return [];
  const words = typeof content === "string"
    ? content
    : (content ?? []).flatMap((block) => block.type === "text" ? [block.text] : []).join("\n");
  return words.trim() === "" ? [] : [{ role, text: words, atMs }];
}
