/**
 * Names of people. Events tell only ids.
 * @module
 */

import { getLogger } from "@logtape/logtape";
import type { Clock } from "../../../actors/kernel/clock.ts";
import { Limiter } from "../../media/limiter.ts";
import type { SlackApi } from "../api.ts";
import { SlackRefusedError } from "../errors.ts";

const logger = getLogger(["troupe", "slack", "people"]);

/** Names kept; the one that was asked for longest ago goes first. */
const NAMES_MAX = 5_000;
/** Somebody who could not be found is asked for again at most this often. */
const FORGOTTEN_MS = 10 * 60_000;
const AT_ONCE_MAX = 4;

/** What names are found with. */
export interface PeopleOptions {
  readonly api: Pick<SlackApi, "user">;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** Who is who, by user id. */
export class People {
  readonly #options: PeopleOptions;
  readonly #limiter = new Limiter(AT_ONCE_MAX);
  readonly #names = new Map<string, string>();
  readonly #asking = new Map<string, Promise<void>>();
  /** When somebody was asked for and not found. */
  readonly #missing = new Map<string, number>();
  #isForbidden = false;

  constructor(options: PeopleOptions) {
    this.#options = options;
  }

  /** The name as far as it is known without asking; "" when it is not. */
  knownName(userId: string): string {
    return this.#names.get(userId) ?? "";
  }

  /** Whether asking could tell more. */
  isWorthAsking(userId: string): boolean {
    if (this.#isForbidden || this.#names.has(userId)) return false;
    const missedAtMs = this.#missing.get(userId);
    return missedAtMs === undefined || this.#options.clock.now() - missedAtMs > FORGOTTEN_MS;
  }

  /** Finds the names of these people, as far as that is possible. Never rejects. */
  async learn(userIds: readonly string[]): Promise<void> {
    const unknown = userIds.filter((userId) => this.isWorthAsking(userId));
    await Promise.all(unknown.map((userId) => this.#ask(userId)));
  }

  #ask(userId: string): Promise<void> {
    const known = this.#asking.get(userId);
    if (known !== undefined) return known;
    const asking = this.#limiter.run(() => this.#askOnce(userId))
      .finally(() => this.#asking.delete(userId));
    this.#asking.set(userId, asking);
    return asking;
  }

  async #askOnce(userId: string): Promise<void> {
    const { api, clock, signal } = this.#options;
    try {
      const { name, profile } = await api.user(userId, signal);
      keepNewest(
        this.#names.set(userId, profile.display_name || profile.real_name || name || userId),
      );
      this.#missing.delete(userId);
    } catch (error) {
      keepNewest(this.#missing.set(userId, clock.now()));
      if (!(error instanceof SlackRefusedError) || error.neededScope === undefined) return;
      this.#isForbidden = true;
      logger.info("People are known by their ids only: the app lacks the scope {scope}", {
        scope: error.neededScope,
      });
    }
  }
}

function keepNewest(kept: Map<string, unknown>): void {
  const [oldest] = kept.keys();
  if (kept.size > NAMES_MAX && oldest !== undefined) kept.delete(oldest);
}
