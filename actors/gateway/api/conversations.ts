/**
 * Which conversation a request belongs to, and whether what its program shows is what stands there.
 * @module
 */

import { shortHash } from "../../../channels/short_hash.ts";
import type { ChannelSessionMessage } from "../../../channels/channel.ts";
import type { ClientFrame } from "../../session/client_frame.ts";
import { UNIFIED_SESSION } from "../session_key.ts";
import { invalid } from "./api_error.ts";

/** Name of the channel and first part of its session keys. */
export const API_CHANNEL = "api";

const NAME_CHARS_MAX = 200;
/** Conversations whose last answer is known without a look into them. */
const KNOWN_MAX = 1_000;
/** Characters that no name has. */
const UNFIT = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/u;
/** Whoever has the one key, or needs none, has the plain names. */
const PERSON = "user";

/** Who asks, and which conversation they name. */
export interface Asker {
  readonly sender: string;
  /** Null: none. */
  readonly session: string | null;
}

/**
 * The key of a conversation. Each named key of the API has conversations of its own.
 *
 * @throws {ApiError} for a name that cannot be used
 */
export function sessionKeyFor({ sender, session }: Asker, isUnified: boolean): string {
  const name = session?.trim() ?? "";
  if (name.length > NAME_CHARS_MAX || UNFIT.test(name)) {
    throw invalid(`The session's name must be plain text of ${NAME_CHARS_MAX} characters at most`);
  }
  if (name === "" && isUnified) return UNIFIED_SESSION;
  const own = sender === PERSON ? "" : `${sender}/`;
  return `${API_CHANNEL}:${own}${name === "" ? "default" : name}`;
}

/** Knows what programs show of conversations. */
export class KnownAnswers {
  readonly #last = new Map<string, string>();
  readonly #history: (sessionKey: string) => Promise<readonly ChannelSessionMessage[] | null>;

  /** @param history what was said in a conversation */
  constructor(history: (sessionKey: string) => Promise<readonly ChannelSessionMessage[] | null>) {
    this.#history = history;
  }

  /** The last answer of a conversation, as it was given to a program. */
  note(sessionKey: string, answer: string): void {
    this.#last.delete(sessionKey); // the newest stands last
    this.#last.set(sessionKey, fingerprint(answer));
    const [oldest] = this.#last.keys();
    if (this.#last.size > KNOWN_MAX && oldest !== undefined) this.#last.delete(oldest);
  }

  /**
   * What the model must be told of the conversation that a program shows: nothing where it ends as
   * the one that stands here does; all of it where it was changed, or began elsewhere.
   */
  async unknownPart(
    sessionKey: string,
    earlier: ClientFrame["earlier"],
  ): Promise<ClientFrame["earlier"]> {
    const shown = earlier.findLast(({ role }) => role === "assistant");
    if (shown === undefined) return [];
    if (this.#last.get(sessionKey) === fingerprint(shown.text)) return [];
    const last = (await this.#history(sessionKey))?.findLast(({ role }) => role === "assistant");
    return last !== undefined && fingerprint(last.text) === fingerprint(shown.text) ? [] : earlier;
  }
}

function fingerprint(text: string): string {
  return shortHash(text.trim().replace(/\s+/g, " "), 32);
}
