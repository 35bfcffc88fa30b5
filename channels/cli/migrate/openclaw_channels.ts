/**
 * OpenClaw's channels as ours: credentials, and who may write.
 * @module
 */

import { own } from "../../../actors/config/tree.ts";
import { isList, isObject, type JsonObject, type JsonValue } from "../../../actors/kernel/json.ts";
import { senderOf } from "./openclaw_names.ts";
import type { PlanDraft } from "./plan.ts";
import { secretOf, type Takings } from "./takings.ts";

/** Our keys of a channel's credentials, theirs, and the variables that stand in for them. */
const CREDENTIALS: Readonly<Record<string, readonly (readonly [string, string, string?])[]>> = {
  telegram: [["token", "botToken", "TELEGRAM_BOT_TOKEN"], ["proxy", "proxy"]],
  discord: [["token", "token", "DISCORD_BOT_TOKEN"]],
  slack: [["botToken", "botToken", "SLACK_BOT_TOKEN"], ["appToken", "appToken", "SLACK_APP_TOKEN"]],
  whatsapp: [],
  feishu: [
    ...[["appId", "appId"], ["appSecret", "appSecret"], ["domain", "domain"]] as const,
    ...[["encryptKey", "encryptKey"], ["verificationToken", "verificationToken"]] as const,
  ],
};

/** What channels are read with. */
export interface ChannelReading {
  readonly env: Readonly<Record<string, string>>;
  /** Who was let in by pairing, by channel. */
  readonly paired: Readonly<Record<string, readonly string[]>>;
  readonly draft: PlanDraft;
}

/** The channels that are here as well. */
export function channelSettings(takings: Takings, reading: ChannelReading): JsonObject {
  const known = takings.keys("channels").filter((name) => name !== "defaults");
  const sections = known.flatMap((name) => {
    const keys = CREDENTIALS[name];
    if (keys !== undefined && isObject(takings.take("channels", name))) {
      return [[name, sectionOf(name, keys, takings, reading)] as const];
    }
    const why = "there is no such channel here, or it needs channels login";
    reading.draft.leave("config", `channels.${name}`, ["foreign", why]);
    return [];
  });
  takings.take("channels");
  return sections.length === 0 ? {} : { channels: Object.fromEntries(sections) };
}

function sectionOf(
  name: string,
  keys: readonly (readonly [string, string, string?])[],
  takings: Takings,
  { env, paired, draft }: ChannelReading,
): JsonObject {
  const { section, others } = withAccount(takings.take("channels", name));
  const credentials = keys.flatMap(([ours, theirs, variable = ""]) => {
    const value = secretOf(own(section, theirs)) ?? (env[variable] || undefined);
    return value === undefined ? [] : [[ours, value] as const];
  });
  const listed = [own(section, "allowFrom"), own(own(section, "dm"), "allowFrom")].flatMap(textsIn);
  const senders = new Set([...listed, ...paired[name] ?? []].map(senderOf));
  for (const other of others) {
    draft.leave("config", `channels.${name}.accounts.${other}`, ["foreign", "one bot is carried"]);
  }
  if (textsIn(own(section, "groupAllowFrom")).length > 0) {
    const why = "one list says here who may write, in groups too; add whom you want to allowFrom";
    draft.leave("config", `channels.${name}.groupAllowFrom`, ["foreign", why]);
  }
  if (name === "whatsapp") {
    draft.notes.push("WhatsApp's link stays behind: link the number with channels login whatsapp");
  }
  const isOpen = own(own(own(section, "groups"), "*"), "requireMention") === false;
  return {
    enabled: own(section, "enabled") !== false,
    ...Object.fromEntries(credentials),
    ...(senders.size > 0 && { allowFrom: [...senders] }),
    ...(name !== "slack" && name !== "discord" && {
      groupPolicy: isOpen ? "open" : "mention",
    }),
  };
}

/** A section with what its chosen account has of its own, and the names of the other accounts. */
function withAccount(
  section: JsonValue | undefined,
): { readonly section: JsonObject; readonly others: readonly string[] } {
  const common = isObject(section) ? section : {};
  const accounts = own(common, "accounts");
  const names = isObject(accounts) ? Object.keys(accounts) : [];
  const wished = own(common, "defaultAccount");
  const chosen = [wished, "default", "main", names[0]]
    .find((name) => typeof name === "string" && names.includes(name));
  if (typeof chosen !== "string") return { section: common, others: [] };
  const account = own(accounts, chosen);
  return {
    section: { ...common, ...isObject(account) ? account : {} },
    others: names.filter((name) => name !== chosen),
  };
}

function textsIn(list: JsonValue | undefined): readonly string[] {
  const items = isList(list) ? list : [];
  return items.flatMap((item) =>
    typeof item === "string" || typeof item === "number" ? [String(item)] : []
  );
}
