/**
 * Ids of clients' messages for the journal, and back.
 * @module
 */

/** The id of a client's message: the client's own id of it counts for that client alone. */
export function platformIdOf(clientId: string, clientMessageId: string): string {
  return `${encodeURIComponent(clientId)}:${clientMessageId}`;
}

/** The id of a choice that a client makes: one for each message that offers some. */
export function choiceIdOf(clientId: string, messageId: string): string {
  return `choice:${encodeURIComponent(clientId)}:${messageId}`;
}

/** Whose message an id is, and what its client calls it; null for a choice. */
export function clientMessageOf(
  platformId: string,
): { readonly clientId: string; readonly clientMessageId: string } | null {
  const at = platformId.indexOf(":");
  if (at < 0 || /^choice:.*:/.test(platformId)) return null;
  const clientMessageId = platformId.slice(at + 1);
  return { clientId: decodeURIComponent(platformId.slice(0, at)), clientMessageId };
}
