/**
 * What a program asks of an HTTP proxy: the head of its first request, read and rewritten.
 * @module
 */

/** Where a program wants to go through the proxy. */
export type ProxyRequest =
  /** HTTPS, and whatever else wants a plain tunnel. */
  | { readonly type: "tunnel"; readonly host: string; readonly port: number }
  /** Plain HTTP: `head` is what the server gets instead of what the program wrote. */
  | {
    readonly type: "forward";
    readonly host: string;
    readonly port: number;
    readonly head: string;
  }
  | { readonly type: "invalid"; readonly reason: string };

/** Ports below 1024 that are not for mail, shells and the like. */
const LOW_PORTS: ReadonlySet<number> = new Set([80, 443]);

/** Headers between the program and the proxy, and those that would keep the connection. */
const DROPPED = /^(proxy-[\w-]+|connection|keep-alive|host|upgrade)$/i;

/** Reads a head, without the empty line that ends it. */
export function readProxyRequest(head: string): ProxyRequest {
  const [line = "", ...headers] = head.split("\r\n");
  const [method = "", target = "", version = "", ...rest] = line.split(" ");
  if (!/^HTTP\/1\.[01]$/.test(version) || rest.length > 0 || !/^[A-Z]{1,20}$/.test(method)) {
    return { type: "invalid", reason: "this is no HTTP request" };
  }
  // Bare line ends and folded lines are read differently by different servers.
  if (
    /[\r\n\0]/.test(line) || headers.some((text) => !/^[\w!#$%&'*+.^`|~-]+:[^\r\n\0]*$/.test(text))
  ) {
    return { type: "invalid", reason: "the headers cannot be read" };
  }
  const url = URL.parse(method === "CONNECT" ? `http://${target}` : target);
  if (url === null || url.protocol !== "http:" || url.username !== "" || url.password !== "") {
    return { type: "invalid", reason: "only http and https go through here" };
  }
  const port = url.port === "" ? 80 : Number(url.port);
  const isExplicit = /:\d{1,5}$/.test(target);
  if (method === "CONNECT" && !isExplicit) {
    return { type: "invalid", reason: "the port is missing" };
  }
  if (port < 1024 && !LOW_PORTS.has(port)) {
    return { type: "invalid", reason: `port ${port} is not for the web` };
  }
  if (method === "CONNECT") return { type: "tunnel", host: url.hostname, port };
  const kept = headers.filter((text) => !DROPPED.test(text.slice(0, text.indexOf(":"))));
  const lines = [
    `${method} ${url.pathname}${url.search} HTTP/1.1`,
    `Host: ${url.host}`,
    ...kept,
    // One request a connection: the next one is checked again.
    "Connection: close",
  ];
  return { type: "forward", host: url.hostname, port, head: `${lines.join("\r\n")}\r\n\r\n` };
}
