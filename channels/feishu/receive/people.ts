/**
 * Names of people. Events tell only ids; names come from mentions, and from the members of a
 * group where the app may read them.
 * @module
 */

import { getLogger } from "@logtape/logtape";
import type { Clock } from "../../../actors/kernel/clock.ts";
import { hasCode, NO_PERMISSION_CODE } from "../errors.ts";
import type { Lookups } from "../lookups.ts";

const logger = getLogger(["troupe", "feishu", "people"]);

/** Names kept; the one that was not used for the longest time goes first. */
const NAMES_MAX = 5_000;
/** A group's members are read again at most this often, for a name that is not among them. */
const MEMBERS_STALE_MS = 10 * 60_000;
/** Pages of 100 members; a larger group has people without a name. */
const PAGES_MAX = 10;

/** What names are found with. */
export interface PeopleOptions {
  readonly lookups: Lookups;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** Who is who, by open id. */
export class People {
  readonly #options: PeopleOptions;
  readonly #names = new Map<string, string>();
  /** By group: when its members were asked for, and the answer. */
  readonly #asked = new Map<string, { readonly atMs: number; readonly done: Promise<void> }>();
  /** Groups whose members are being read. */
  readonly #reading = new Set<string>();
  #isForbidden = false;

  constructor(options: PeopleOptions) {
    this.#options = options;
  }

  /** Notes a name that was seen somewhere. */
  learn(openId: string, name: string): void {
    if (openId === "" || name === "") return;
    this.#names.delete(openId);
    this.#names.set(openId, name);
    const [oldest] = this.#names.keys();
    if (this.#names.size > NAMES_MAX && oldest !== undefined) this.#names.delete(oldest);
  }

  /** The name as far as it is known without asking; "" when it is not. */
  knownName(openId: string): string {
    const name = this.#names.get(openId) ?? "";
    this.learn(openId, name); // used just now
    return name;
  }

  /** Whether asking could tell more. */
  isWorthAsking(openId: string, groupId: string): boolean {
    if (this.#isForbidden || this.#names.has(openId) || !groupId.startsWith("oc_")) return false;
    if (this.#reading.has(groupId)) return true;
    const asked = this.#asked.get(groupId);
    return asked === undefined || this.#options.clock.now() - asked.atMs > MEMBERS_STALE_MS;
  }

  /** The name of somebody in a group; "" when it cannot be found. Never rejects. */
  async nameOf(openId: string, groupId: string): Promise<string> {
    if (this.isWorthAsking(openId, groupId) && !this.#reading.has(groupId)) {
      const atMs = this.#options.clock.now();
      this.#asked.set(groupId, { atMs, done: this.#readMembers(groupId) });
      const [oldest] = this.#asked.keys();
      if (this.#asked.size > NAMES_MAX && oldest !== undefined) this.#asked.delete(oldest);
    }
    if (!this.#names.has(openId)) await this.#asked.get(groupId)?.done;
    return this.knownName(openId);
  }

  async #readMembers(groupId: string): Promise<void> {
    const { lookups, signal } = this.#options;
    this.#reading.add(groupId);
    try {
      let pageToken = "";
      for (let page = 0; page < PAGES_MAX; page++) {
        const { items, has_more, page_token } = await lookups.members(groupId, pageToken, signal);
        for (const { member_id, name } of items) this.learn(member_id, name);
        if (!has_more || page_token === "") return;
        pageToken = page_token;
      }
    } catch (error) {
      this.#noteFailure(error);
    } finally {
      this.#reading.delete(groupId);
    }
  }

  #noteFailure(error: unknown): void {
    if (hasCode(error, new Set([NO_PERMISSION_CODE]))) {
      this.#isForbidden = true;
      logger.info(
        "People in groups are known by their ids only: the app lacks the permission " +
          "im:chat.members:read",
      );
      return;
    }
    const reason = error instanceof Error ? error.message : String(error);
    logger.debug("Cannot read the members of a group: {reason}", { reason });
  }
}
