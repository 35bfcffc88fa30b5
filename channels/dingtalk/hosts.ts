/**
 * Whether an address is the platform's.
 * @module
 */

/** Encrypted, in transit as well; the others serve a platform of one's own. */
const SECURE: ReadonlySet<string> = new Set(["https:", "wss:"]);
const PORTS: Readonly<Record<string, string>> = {
  "https:": "443",
  "wss:": "443",
  "http:": "80",
  "ws:": "80",
};

/**
 * Is `url` at one of `hosts`? Port 443 must be spoken to in secret.
 *
 * @param hosts `host:port`, or `*.host:port` for all below it
 */
export function isOwnAddress(url: string, hosts: readonly string[]): boolean {
  const parsed = URL.parse(url);
  if (parsed === null || parsed.username !== "" || parsed.password !== "") return false;
  const { protocol, hostname } = parsed;
  const port = parsed.port || (PORTS[protocol] ?? "");
  if (port === "" || (port === "443" && !SECURE.has(protocol))) return false;
  return hosts.some((host) => {
    const [name = "", hostPort] = host.split(/:(?=\d+$)/);
    if (hostPort !== port) return false;
    return name.startsWith("*.") ? hostname.endsWith(name.slice(1)) : hostname === name;
  });
}
