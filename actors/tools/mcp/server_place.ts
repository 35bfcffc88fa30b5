/**
 * Where a server is, as its entry in the configuration says.
 * @module
 */

import type { McpServerConfig } from "../../config/schema/mcp_server.ts";

/** How a server is reached; `off`: its entry says too little. */
export type ServerKind =
  | { readonly type: "stdio"; readonly program: string }
  | {
    readonly type: "sse" | "streamableHttp";
    readonly url: string;
    /** `host:port`. */
    readonly host: string;
  }
  | { readonly type: "off"; readonly problem: string };

/** The kind that is written, or the one that command or address suggest. */
export function serverKind({ type, command, url }: McpServerConfig): ServerKind {
  const kind = type ?? suggested(command, url);
  if (kind === null) return off("it has neither a command nor a url");
  if (kind === "stdio") {
    return command === "" ? off("it has no command") : { type: kind, program: command };
  }
  if (url === "") return off("it has no url");
  const parsed = URL.parse(url);
  if (parsed === null || !/^https?:$/.test(parsed.protocol)) {
    return off(`its url is no http or https address`);
  }
  if (parsed.username !== "" || parsed.password !== "") {
    return off("its url carries a user name or password: put them into headers");
  }
  const port = parsed.port || (parsed.protocol === "http:" ? "80" : "443");
  return { type: kind, url, host: `${parsed.hostname}:${port}` };
}

/** What the kind is called, and where: nothing of arguments or paths, which may hold secrets. */
export function placeText(kind: ServerKind): string {
  switch (kind.type) {
    case "off":
      return `off: ${kind.problem}`;
    case "stdio":
      return `stdio, ${kind.program}`;
    default:
      return `${kind.type}, ${kind.host}`;
  }
}

function suggested(command: string, url: string): "stdio" | "sse" | "streamableHttp" | null {
  if (command !== "") return "stdio";
  if (url === "") return null;
  return /\/sse\/*$/.test(URL.parse(url)?.pathname ?? url) ? "sse" : "streamableHttp";
}

function off(problem: string): ServerKind {
  return { type: "off", problem };
}
