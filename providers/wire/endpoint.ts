/**
 * Where requests go, and what each of them carries.
 * @module
 */

/** One upstream as all its requests see it. */
export interface Endpoint {
  /** Absolute URL without a slash at its end. */
  readonly baseUrl: string;
  /** Names in lower case: the vendor's and the user's, which win over all others. */
  readonly headers: Readonly<Record<string, string>>;
  /** How the key is sent; request headers win over it. */
  readonly keyHeaders: Readonly<Record<string, string>>;
  /** Parameters of each URL. */
  readonly query?: Readonly<Record<string, string>> | undefined;
}

/** Headers of a request: the usual, the key's, the request's, then those that always win. */
export function requestHeaders(
  { headers, keyHeaders }: Endpoint,
  own: Readonly<Record<string, string>>,
): Record<string, string> {
  return {
    accept: "text/event-stream, application/json",
    "content-type": "application/json",
    "user-agent": "Troupe",
    ...keyHeaders,
    ...own,
    ...headers,
  };
}

/** The URL of a path below the endpoint, or of a path that is a URL itself. */
export function requestUrl({ baseUrl, query = {} }: Endpoint, path: string): string {
  const url = new URL(path.startsWith("/") ? `${baseUrl}${path}` : path);
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  return url.href;
}

/** The key as most want it; servers that need none get a word that says so. */
export function bearer(apiKey: string): Readonly<Record<string, string>> {
  return { authorization: `Bearer ${apiKey === "" ? "no-key" : apiKey}` };
}

/** Headers with their names in lower case, so that one replaces another. */
export function lowerCaseNames(headers: Readonly<Record<string, string>>): Record<string, string> {
  const entries = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]);
  return Object.fromEntries(entries);
}
