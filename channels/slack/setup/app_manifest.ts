/**
 * What the app must be at Slack: its scopes, the events that it hears, its slash command. Slack makes
 * an app from it in one step.
 * @module
 */

import type { JsonObject } from "../../../actors/kernel/json.ts";
import type { ChannelCommand } from "../../channel.ts";

/** A scope of the bot token. */
export interface NeededScope {
  readonly scope: string;
  readonly purpose: string;
  /** The channel does without, and something is missing then. */
  readonly isOptional: boolean;
}

/** All scopes, in the order in which people see them. */
export const SCOPES: readonly NeededScope[] = [
  needed("chat:write", "answer"),
  needed("im:history", "hear direct messages"),
  needed("app_mentions:read", "hear mentions"),
  optional("channels:history", "hear threads, see what was missed, look up what is in doubt"),
  optional("groups:history", "the same in private channels"),
  optional("mpim:history", "the same in group chats"),
  optional("im:read", "see direct messages of newcomers that were missed"),
  optional("mpim:read", "the same in group chats"),
  optional("im:write", "write to people by their names"),
  optional("channels:read", "write to channels by their names"),
  optional("groups:read", "write to private channels by their names"),
  optional("users:read", "know people by their names"),
  optional("reactions:write", "show that a message was received, and when it is done"),
  optional("files:read", "receive files"),
  optional("files:write", "send files"),
  optional("commands", "the slash command"),
];

/** The events that the app hears. */
export const EVENTS: readonly string[] = [
  "app_mention",
  "message.im",
  "message.channels",
  "message.groups",
  "message.mpim",
];

/** The slash command behind which all others are written: `/troupe stop`. */
export const SLASH_COMMAND = "/troupe";
/** Slack shows no longer hints. */
const HINT_CHARS_MAX = 1_000;

/** The app as Slack's console takes it. */
export function appManifest(commands: readonly ChannelCommand[]): JsonObject {
  const hint = commands.map(({ name, argument }) =>
    argument === null ? name : `${name} <${argument}>`
  ).join(" | ").slice(0, HINT_CHARS_MAX);
  return {
    display_information: { name: "Troupe", description: "A personal assistant" },
    features: {
      app_home: { messages_tab_enabled: true, messages_tab_read_only_enabled: false },
      bot_user: { display_name: "Troupe", always_online: true },
      slash_commands: [{
        command: SLASH_COMMAND,
        description: "Command the assistant",
        usage_hint: hint || "help",
        should_escape: false,
      }],
    },
    oauth_config: { scopes: { bot: SCOPES.map(({ scope }) => scope) } },
    settings: {
      event_subscriptions: { bot_events: [...EVENTS] },
      interactivity: { is_enabled: true },
      org_deploy_enabled: false,
      socket_mode_enabled: true,
      token_rotation_enabled: false,
    },
  };
}

/** Where Slack makes the app from `manifest`. */
export function newAppUrl(manifest: JsonObject): string {
  const url = new URL("https://api.slack.com/apps");
  url.searchParams.set("new_app", "1");
  url.searchParams.set("manifest_json", JSON.stringify(manifest));
  return url.href;
}

function needed(scope: string, purpose: string): NeededScope {
  return { scope, purpose, isOptional: false };
}

function optional(scope: string, purpose: string): NeededScope {
  return { scope, purpose, isOptional: true };
}
