/**
 * The permissions that a bot needs, and how to find out whether the app has them.
 * @module
 */

import type { FeishuRequest } from "../link.ts";
import type { FeishuSettings } from "../manifest.ts";

/** One permission. */
export interface NeededPermission {
  /** The one to switch on. */
  readonly scope: string;
  /** Others that would do as well. */
  readonly instead: readonly string[];
  /** What does not work without it. */
  readonly purpose: string;
  /** Without it the bot still answers. */
  readonly isOptional: boolean;
  /** A call that has no effect and is refused without the permission; null where there is none. */
  readonly probe: FeishuRequest | null;
}

/** Ids that nothing has: what is asked for is refused by all means, for one reason or the other. */
const NO_MESSAGE = "om_0000000000000000000000000000000000";
const MESSAGE_PATH = `/open-apis/im/v1/messages/${NO_MESSAGE}`;

/** All that a bot with these settings needs, the most important first. */
export function neededPermissions(
  settings: Pick<
    FeishuSettings,
    "groupPolicy" | "streaming" | "reactEmoji" | "doneEmoji"
  >,
): readonly NeededPermission[] {
  const hasReactions = settings.reactEmoji !== null || settings.doneEmoji !== null;
  return [
    ...MESSAGES,
    settings.groupPolicy === "open" ? ALL_GROUP_MESSAGES : GROUP_MENTIONS,
    FILES,
    ...(settings.streaming ? [CARDS] : []),
    ...(hasReactions ? [REACTIONS] : []),
    NAMES,
  ];
}

const MESSAGES: readonly NeededPermission[] = [
  {
    scope: "im:message:send_as_bot",
    instead: ["im:message"],
    purpose: "sending answers",
    isOptional: false,
    probe: {
      method: "POST",
      path: "/open-apis/im/v1/messages",
      query: { receive_id_type: "open_id" },
      body: { receive_id: "ou_0", msg_type: "text", content: "{}" },
    },
  },
  {
    scope: "im:message.p2p_msg:readonly",
    instead: ["im:message.p2p_msg", "im:message"],
    purpose: "receiving direct messages",
    isOptional: false,
    probe: null,
  },
  {
    scope: "im:message:readonly",
    instead: ["im:message"],
    purpose: "quoted and forwarded messages, and their files",
    isOptional: true,
    probe: { method: "GET", path: MESSAGE_PATH },
  },
];

const GROUP_MENTIONS: NeededPermission = {
  scope: "im:message.group_at_msg:readonly",
  instead: ["im:message.group_at_msg", "im:message.group_msg", "im:message"],
  purpose: "receiving mentions in groups",
  isOptional: true,
  probe: null,
};

const ALL_GROUP_MESSAGES: NeededPermission = {
  scope: "im:message.group_msg",
  instead: [],
  purpose: 'receiving every message of groups (groupPolicy is "open")',
  isOptional: false,
  probe: null,
};

const FILES: NeededPermission = {
  scope: "im:resource",
  instead: ["im:resource:upload"],
  purpose: "sending pictures and files",
  isOptional: true,
  probe: { method: "POST", path: "/open-apis/im/v1/images", body: {} },
};

const CARDS: NeededPermission = {
  scope: "cardkit:card:write",
  instead: [],
  purpose: "answers that grow; without it they come whole",
  isOptional: true,
  probe: {
    method: "POST",
    path: "/open-apis/cardkit/v1/cards",
    body: { type: "card_json", data: "" },
  },
};

const REACTIONS: NeededPermission = {
  scope: "im:message.reactions:write_only",
  instead: ["im:message"],
  purpose: "reactions",
  isOptional: true,
  probe: {
    method: "POST",
    path: `${MESSAGE_PATH}/reactions`,
    body: { reaction_type: { emoji_type: "OK" } },
  },
};

const NAMES: NeededPermission = {
  scope: "im:chat.members:read",
  instead: ["im:chat:readonly", "im:chat", "im:chat.group_info:readonly"],
  purpose: "names of people in groups; without it they are known by ids",
  isOptional: true,
  probe: {
    method: "GET",
    path: "/open-apis/im/v1/chats/oc_00000000000000000000000000000000/members",
  },
};
