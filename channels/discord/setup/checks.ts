/**
 * Looks at a bot from outside: what it may read, where it is, whether it gets in.
 * @module
 */

import { passed, type SetupCheck } from "../../setup.ts";
import type { SessionEnd } from "../../event_gateway/session.ts";
import type { Application } from "../wire_account.ts";

/** Where applications are made and changed. */
export const PORTAL = "https://discord.com/developers/applications";

/** May read what messages say: fully, or as a bot in few servers. */
const CONTENT_FLAGS = (1 << 18) | (1 << 19);
const DISALLOWED_INTENTS_CODE = 4014;
/**
 * See channels, send messages, also in threads, show links and files, read what was said, react: as
 * bits.
 */
const PERMISSIONS = (1n << 6n) | (1n << 10n) | (1n << 11n) | (1n << 14n) | (1n << 15n) |
  (1n << 16n) | (1n << 38n);

/** Puts a bot into a server, with its rights. */
export function inviteUrl(applicationId: string): string {
  const query = new URLSearchParams({
    client_id: applicationId,
    scope: "bot applications.commands",
    permissions: String(PERMISSIONS),
  });
  return `https://discord.com/oauth2/authorize?${query}`;
}

/** Whether the bot is told what messages say. */
export function contentCheck({ id, flags }: Application): SetupCheck {
  const name = "message content";
  if ((flags & CONTENT_FLAGS) !== 0) return passed(name, "the bot may read messages");
  return {
    name,
    state: "missing",
    isNeeded: true,
    detail: "the bot is not told what messages say",
    remedy: "switch on Message Content Intent",
    url: botPage(id),
  };
}

/** Whether the bot is in a server; direct messages need one in common. */
export function serverCheck({ id }: Application, names: readonly string[]): SetupCheck {
  const name = "servers";
  if (names.length > 0) return passed(name, names.join(", "));
  return {
    name,
    state: "missing",
    isNeeded: false,
    detail: "the bot is in none, so nobody can write to it",
    remedy: "add it to a server that you are in",
    url: inviteUrl(id),
  };
}

/** Whether the gateway lets the bot in. @param end null: it did */
export function sessionCheck({ id }: Application, end: SessionEnd | null): SetupCheck {
  const name = "gateway";
  if (end === null) return passed(name, "connected");
  const isIntents = end.state === "refused" && end.code === DISALLOWED_INTENTS_CODE;
  const detail = end.state === "refused"
    ? `refused (code ${end.code})`
    : end.state === "lost"
    ? end.detail
    : "closed";
  return {
    name,
    state: "missing",
    isNeeded: true,
    detail,
    remedy: isIntents ? "switch on Message Content Intent" : "try again in a minute",
    url: isIntents ? botPage(id) : null,
  };
}

function botPage(applicationId: string): string {
  return `${PORTAL}/${applicationId}/bot`;
}
