/**
 * Which conversation a message belongs to.
 * @module
 */

/** The one session of all channels when they are unified. */
export const UNIFIED_SESSION = "unified:default";

/** What decides about the session of a message. */
export interface SessionKeyFacts {
  readonly channel: string;
  readonly chatId: string;
  /** Given by the channel for a thread or topic; always wins. */
  readonly override: string | undefined;
  readonly isUnified: boolean;
}

/** The key: the override, the unified one, or `channel:chatId`. Reply addresses do not depend on it. */
export function effectiveSessionKey(facts: SessionKeyFacts): string {
  if (facts.override !== undefined) return facts.override;
  return facts.isUnified ? UNIFIED_SESSION : `${facts.channel}:${facts.chatId}`;
}
