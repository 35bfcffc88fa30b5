/**
 * The library, loaded at first use, without what it would tell the world by itself.
 * @module
 */

import os from "node:os";
import { getLogger } from "@logtape/logtape";
import type { SocketConfig } from "@whiskeysockets/baileys";

const logger = getLogger(["troupe", "whatsapp", "library"]);

type ILogger = SocketConfig["logger"];

/** The module. */
export type Library = typeof import("@whiskeysockets/baileys");

/** What Signal's library writes to the console; some of it shows keys. */
const CHATTER =
  /^(?:Closing session|Opening session|Session already|Removing old closed session|Migrating session|V1 session storage|Closing open session|Failed to decrypt message|Session error|Decrypted message with closed|Unhandled bucket type|WARNING: Expected pubkey)/;

let loading: Promise<Library> | undefined;

/** Loads the library, once. */
export function loadLibrary(): Promise<Library> {
  return loading ??= load();
}

/** Its log is asked for this machine's name at once: the channel has no right to it, and no need. */
async function load(): Promise<Library> {
  Object.assign(os, { hostname: () => "localhost", release: () => "" });
  hushConsole();
  return await import("@whiskeysockets/baileys");
}

function hushConsole(): void {
  const { console } = globalThis;
  const hushed = (["info", "warn", "error"] as const).map((name) => {
    const spoken = console[name];
    return [name, (...words: readonly unknown[]): void => {
      const [first] = words;
      if (typeof first !== "string" || !CHATTER.test(first)) spoken.apply(console, [...words]);
    }] as const;
  });
  Object.assign(console, Object.fromEntries(hushed));
}

/**
 * What the library says, in its own words. What it says it about is left out: messages and keys
 * stand in it.
 */
export function libraryLogger(): SocketConfig["logger"] {
  const say = (details: unknown, words?: string): void => {
    const text = words ?? (typeof details === "string" ? details : "");
    if (text !== "") logger.debug("{text}{reason}", { text, reason: reasonIn(details) });
  };
  const own: ILogger = {
    level: "warn",
    child: () => own,
    trace: () => {},
    debug: () => {},
    info: () => {},
    warn: say,
    error: say,
  };
  return own;
}

/** The words of an error among the details. */
function reasonIn(details: unknown): string {
  if (typeof details !== "object" || details === null) return "";
  for (const key of ["err", "error"]) {
    const found: unknown = Reflect.get(details, key);
    if (found instanceof Error) return `: ${found.message}`;
  }
  return "";
}
