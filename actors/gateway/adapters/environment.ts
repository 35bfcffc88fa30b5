/**
 * The environment of this process, cleaned before anything is started that could read it.
 * @module
 */

/** Hosts that are never reached through a proxy. */
const LOOPBACK = ["localhost", "127.0.0.1", "::1"];

/** Removes secrets: Workers see the parent's environment as it is now. */
export function removeFromEnvironment(names: readonly string[]): void {
  for (const name of names) Deno.env.delete(name);
}

/** Lets local model servers be reached directly; before the first HTTP client is made. */
export function bypassProxyForLoopback(): void {
  const hasProxy = [
    "HTTP_PROXY",
    "http_proxy",
    "HTTPS_PROXY",
    "https_proxy",
    "ALL_PROXY",
    "all_proxy",
  ]
    .some((name) => (Deno.env.get(name) ?? "") !== "");
  if (!hasProxy) return;
  const named = (Deno.env.get("NO_PROXY") ?? Deno.env.get("no_proxy") ?? "").split(",");
  const all = new Set([...named.map((name) => name.trim()), ...LOOPBACK].filter(Boolean));
  Deno.env.set("NO_PROXY", [...all].join(","));
}

/** Whether this process could hand on a right to the whole environment. */
export function mayReadWholeEnvironment(): boolean {
  return Deno.permissions.querySync({ name: "env" }).state === "granted";
}
