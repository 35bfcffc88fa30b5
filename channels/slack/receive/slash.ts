/**
 * Slack's own slash commands as the gateway's. Slack keeps some names for itself (`/status`), so an
 * app has one command behind which the others are written, and may have more.
 * @module
 */

import type { JsonObject } from "../../../actors/kernel/json.ts";
import { isAllowed } from "../../allow_list.ts";
import type { ChannelInbound, HandInResult } from "../../channel.ts";
import type { SlackSection } from "../manifest.ts";
import type { SlashCommand } from "../wire.ts";

/** What slash commands go by. */
export interface SlashRules extends Pick<SlackSection, "allowFrom" | "dm" | "groupAllowFrom"> {
  readonly groupPolicy: SlackSection["groupPolicy"];
  /** Names of the commands there are, without a slash. */
  readonly commands: readonly string[];
  readonly handIn: (inbound: ChannelInbound) => Promise<HandInResult>;
}

/** Takes a slash command; gives the answer that its sender alone sees at once, if any. */
export async function takeSlash(slash: SlashCommand, rules: SlashRules): Promise<JsonObject> {
  if (!isWelcome(slash, rules)) {
    return whisper(
      `You may not use this assistant. Its owner can add ${slash.user_id} to ` +
        "channels.slack.allowFrom.",
    );
  }
  const isDirect = slash.channel_id.startsWith("D");
  const result = await rules.handIn({
    platformId: `slash:${slash.trigger_id}`,
    chatId: slash.channel_id,
    senderId: slash.user_id,
    content: commandOf(slash, rules.commands),
    media: [],
    context: {
      channel: slash.channel_id,
      channel_type: isDirect ? "im" : "channel",
      ...(!isDirect && { whisper_to: slash.user_id }),
    },
  });
  // Slack does not repeat a command, so a word must do.
  return result === "refused"
    ? whisper("This cannot be taken just now. Please try again in a moment.")
    : {};
}

/** `/troupe stop`, `/troupe-stop` and `/stop` are all `/stop`. */
export function commandOf(
  { command, text }: Pick<SlashCommand, "command" | "text">,
  commands: readonly string[],
): string {
  const name = command.replace(/^\//, "").toLowerCase();
  const argument = text.trim();
  const known = commands.toSorted((one, other) => other.length - one.length)
    .find((candidate) => name === candidate || name.endsWith(`-${candidate}`));
  if (known !== undefined) return `/${known} ${argument}`.trim();
  return argument === "" ? "/help" : `/${argument.replace(/^\//, "")}`;
}

/** May this person call on the assistant here? */
export function isWelcome(
  { user_id: user, channel_id: channel }: Pick<SlashCommand, "user_id" | "channel_id">,
  { allowFrom, dm, groupPolicy, groupAllowFrom }: Omit<SlashRules, "commands" | "handIn">,
): boolean {
  if (!isAllowed(user, allowFrom)) return false;
  if (channel.startsWith("D")) {
    return dm.enabled && (dm.policy === "open" || isAllowed(user, dm.allowFrom));
  }
  return groupPolicy !== "allowlist" || groupAllowFrom.includes(channel);
}

function whisper(text: string): JsonObject {
  return { response_type: "ephemeral", text };
}
