/**
 * `data:` URLs, as pictures and files come in JSON.
 * @module
 */

const HEAD = /^data:([\w.+-]+\/[\w.+-]+)?(?:;[\w-]+=[^;,]*)*;base64,/i;

/** What a `data:` URL with base64 holds; null when it is none, or cannot be decoded. */
export function decodeDataUrl(
  url: string,
): { readonly contentType: string; readonly bytes: Uint8Array<ArrayBuffer> } | null {
  const head = HEAD.exec(url.slice(0, 300));
  if (head === null) return null;
  try {
    const bytes = Uint8Array.fromBase64(url.slice(head[0].length));
    return { contentType: head[1]?.toLowerCase() ?? "application/octet-stream", bytes };
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}
