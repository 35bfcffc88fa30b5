/**
 * Who is in a group: asked before every message to it, and seldom changed.
 * @module
 */

import type { GroupMetadata } from "@whiskeysockets/baileys";
import type { Clock } from "../../../actors/kernel/clock.ts";

const KEPT_MS = 5 * 60_000;
const GROUPS_MAX = 200;

/** Groups by their addresses. */
export class GroupCache {
  readonly #clock: Clock;
  readonly #ask: (jid: string) => Promise<GroupMetadata>;
  readonly #groups = new Map<string, { readonly metadata: GroupMetadata; readonly atMs: number }>();

  constructor(clock: Clock, ask: (jid: string) => Promise<GroupMetadata>) {
    this.#clock = clock;
    this.#ask = ask;
  }

  /** The group as it was a short while ago at most. */
  async get(jid: string): Promise<GroupMetadata> {
    const known = this.#groups.get(jid);
    if (known !== undefined && this.#clock.now() - known.atMs < KEPT_MS) return known.metadata;
    const metadata = await this.#ask(jid);
    this.#groups.delete(jid);
    this.#groups.set(jid, { metadata, atMs: this.#clock.now() });
    const [oldest] = this.#groups.keys();
    if (this.#groups.size > GROUPS_MAX && oldest !== undefined) this.#groups.delete(oldest);
    return metadata;
  }

  /** It has changed. */
  forget(jid: string | undefined): void {
    if (jid !== undefined) this.#groups.delete(jid);
  }
}
