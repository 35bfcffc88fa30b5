/**
 * Routes about groups: who is in them.
 * @module
 */

import { Refusal } from "./refusal.ts";
import { data, type Route } from "./route.ts";
import type { World } from "./world.ts";

const MEMBER_SCOPES: readonly string[] = [
  "im:chat",
  "im:chat:readonly",
  "im:chat.group_info:readonly",
  "im:chat.members:read",
];

/** All of them. Everybody whom the platform knows is in every group. */
export function chatRoutes(world: World): Route[] {
  return [{
    name: "im.chatMembers.get",
    method: "GET",
    path: "/open-apis/im/v1/chats/:chat_id/members",
    scopes: MEMBER_SCOPES,
    handle({ params, query }) {
      const chat = world.chats.get(params["chat_id"] ?? "");
      if (chat === undefined || !chat.isBotInside) {
        throw new Refusal(232011, "Operator can NOT be out of the chat.");
      }
      const size = Number(query.get("page_size") ?? "20");
      const start = Number(query.get("page_token") ?? "0");
      const people = [...world.people.values()];
      const hasMore = start + size < people.length;
      return data({
        items: people.slice(start, start + size).map(({ openId, name }) => ({
          member_id_type: "open_id",
          member_id: openId,
          name,
          tenant_key: "tenant-1",
        })),
        has_more: hasMore,
        page_token: hasMore ? String(start + size) : "",
        member_total: people.length,
      });
    },
  }];
}
