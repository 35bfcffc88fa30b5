/**
 * The developer console: where things are, and how a person creates an app there.
 * @module
 */

import type { ChannelCommand } from "../../channel.ts";

/** Pages of an app on the console. */
export type ConsolePage = "permissions" | "events" | "bot" | "credentials" | "versions";

const PATHS: Readonly<Record<ConsolePage, string>> = {
  permissions: "auth",
  events: "event",
  bot: "bot",
  credentials: "baseinfo",
  versions: "version",
};

/**
 * The address of a console page.
 *
 * @param baseUrl of the platform's API; an unknown one counts as Feishu's
 * @param scopes permissions that the page should offer to switch on
 */
export function consoleUrl(
  baseUrl: string,
  appId: string,
  page: ConsolePage,
  scopes: readonly string[] = [],
): string {
  const url = new URL(`${consoleHost(baseUrl)}/app/${encodeURIComponent(appId)}/${PATHS[page]}`);
  if (scopes.length > 0) {
    url.searchParams.set("q", scopes.join(","));
    url.searchParams.set("op_from", "openapi");
    url.searchParams.set("token_type", "tenant");
  }
  return url.href;
}

/** Where apps are created. */
export function newAppUrl(baseUrl: string): string {
  return `${consoleHost(baseUrl)}/app`;
}

/** What a person does on the console, in order, up to the credentials. */
export function creationGuide(baseUrl: string, scopes: readonly string[]): readonly string[] {
  return [
    `1. Open ${newAppUrl(baseUrl)} and sign in.`,
    '2. "Create custom app": give it the name that people will see, and an icon.',
    '3. In the app, "Add features": add the Bot.',
    '4. "Permissions & scopes", "Batch import": paste the following, then confirm:',
    ...importText(scopes).split("\n").map((line) => `   ${line}`),
    '5. "Version management & release": create a version and publish it. Do so again after each',
    "   change of permissions or events.",
    '6. "Credentials & basic info": copy the App ID and the App Secret; they are asked for now.',
  ];
}

/** What is done once the gateway's connection is up. */
export function eventGuide(baseUrl: string, appId: string): readonly string[] {
  return [
    `The connection is up. Open ${consoleUrl(baseUrl, appId, "events")} now:`,
    '  - "Subscription mode": choose "Receive events through persistent connection" and save.',
    '  - "Add events": im.message.receive_v1; also useful: im.message.recalled_v1,',
    "    im.chat.member.bot.added_v1.",
    '  - "Callbacks", for buttons: persistent connection as well, with card.action.trigger.',
    "  - Publish a version of the app.",
  ];
}

/** How a menu of commands comes to stand below the chat: only a person can make it. */
export function menuGuide(
  baseUrl: string,
  appId: string,
  commands: readonly ChannelCommand[],
): readonly string[] {
  if (commands.length === 0) return [];
  const texts = commands.map(({ name }) => `/${name}`).join(" ");
  return [
    `For a menu of commands in direct chats, open ${consoleUrl(baseUrl, appId, "bot")}:`,
    '  - "Bot custom menu": switch it on and add items that "Send text message", for instance',
    `    ${texts}`,
    "  - Publish a version of the app.",
  ];
}

/** The console's own format for several permissions at once. */
function importText(scopes: readonly string[]): string {
  return JSON.stringify({ scopes: { tenant: scopes, user: [] } }, null, 2);
}

function consoleHost(baseUrl: string): string {
  return baseUrl.includes("larksuite") ? "https://open.larksuite.com" : "https://open.feishu.cn";
}
