/**
 * Hosts that a command would speak with, as far as its words tell. An early word to the model:
 * what a sandboxed command reaches is decided by the proxy that it must go through.
 * @module
 */

import type { ParsedCommand, Program } from "./parsed_command.ts";
import { programName } from "./wrappers.ts";

/** Programs whose words name hosts, with or without a scheme. */
const NETWORK_PROGRAMS =
  /^(curl|wget|http|https|xh|aria2c|fetch|nc|ncat|netcat|telnet|socat|ftp|lftp|lynx|w3m|links)$/;
/** Programs for which an address is text like any other. */
const TEXT_PROGRAMS =
  /^(echo|printf|:|true|false|test|\[|expr|grep|egrep|fgrep|rg|ag|sed|awk|gawk|mawk|jq|cat|head|tail|ls|cp|mv|tee|export|alias)$/;
const URL_TEXT = /\b(?:https?|wss?|ftps?):\/\/[^\s'"`;|<>()]+/gi;
const BARE_HOST = /^(?:\[[0-9a-f:.%]+\]|[\w.-]+)(?::\d+)?(?:[/?#].*)?$/i;

/** Hosts named in the command, without repetition. */
export function hostsIn({ programs }: ParsedCommand): readonly string[] {
  return [...new Set(programs.flatMap(hostsOf))];
}

function hostsOf({ argv }: Program): readonly string[] {
  const [first, ...rest] = argv;
  if (first === undefined) return [];
  const name = programName(first);
  if (TEXT_PROGRAMS.test(name)) return [];
  const words = rest.map(({ text }) => text);
  const urls = words.flatMap((word) => word.match(URL_TEXT) ?? []);
  const bare = NETWORK_PROGRAMS.test(name) ? words.filter(isBareHost) : [];
  return [...urls, ...bare.map((host) => `http://${host}`)].flatMap((text) => {
    const hostname = URL.parse(text.replace(/^(wss?|ftps?):/i, "http:"))?.hostname ?? "";
    return hostname === "" ? [] : [hostname];
  });
}

/** `localhost:8080`, `10.0.0.1/x`, `2130706433`, but not `-o`, `file.txt` or `POST`. */
function isBareHost(word: string): boolean {
  if (word.startsWith("-") || !BARE_HOST.test(word)) return false;
  const hostname = URL.parse(`http://${word}`)?.hostname ?? "";
  return hostname === "localhost" || hostname.endsWith(".localhost") ||
    hostname.startsWith("[") || /^\d+(\.\d+){3}$/.test(hostname) && !/^\d{1,5}$/.test(word);
}
