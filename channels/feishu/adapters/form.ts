/**
 * URL-encoded forms, as the platform's account service takes them.
 * @module
 */

/** Sends a form and gives the decoded answer; null when none came that can be read. */
export type PostForm = (
  url: string,
  fields: Readonly<Record<string, string>>,
  signal: AbortSignal,
) => Promise<unknown>;

const TIMEOUT_MS = 15_000;

/** Sends a form over the network. What is refused is answered too, as JSON with status 400. */
export async function postForm(
  url: string,
  fields: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<unknown> {
  const timeout = new AbortController();
  const timer = setTimeout(() => timeout.abort(), TIMEOUT_MS);
  try {
    const response = await fetch(url, {
      method: "POST",
      body: new URLSearchParams(fields),
      signal: AbortSignal.any([signal, timeout.signal]),
    });
    return JSON.parse(await response.text());
  } catch (error) {
    signal.throwIfAborted();
    const isExpected = error instanceof TypeError || error instanceof SyntaxError ||
      timeout.signal.aborted;
    if (isExpected) return null;
    throw error;
  } finally {
    clearTimeout(timer);
  }
}
