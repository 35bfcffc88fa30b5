/**
 * HTTP for the Bot API: who keeps connections, and answers that are none.
 * @module
 */

/** Clients for one way out. */
export interface HttpClients {
  /** Keeps connections: the engine repeats a call whose kept connection broke. */
  readonly kept: Deno.HttpClient;
  /** A fresh connection for each call, so that none is repeated. */
  readonly once: Deno.HttpClient;
}

/** @param proxy a URL; null goes straight */
export function clientsFor(proxy: string | null): HttpClients {
  const way = proxy === null ? {} : { proxy: { url: proxy } };
  return {
    kept: Deno.createHttpClient(way),
    once: Deno.createHttpClient({ ...way, poolMaxIdlePerHost: 0, http2: false }),
  };
}

/**
 * `fetch` that gives what is no answer of the Bot API (the page of a proxy, say) the shape of one,
 * so that its status is not lost.
 */
export function answeringFetch(client: Deno.HttpClient): typeof fetch {
  return async (input, init) => {
    const response = await fetch(input, { ...init, client, redirect: "error" });
    const isJson = (response.headers.get("content-type") ?? "").includes("json");
    if (response.ok || isJson) return response;
    await response.body?.cancel();
    const { status, statusText } = response;
    const description = statusText || "no answer of the Bot API";
    return Response.json({ ok: false, error_code: status, description });
  };
}
