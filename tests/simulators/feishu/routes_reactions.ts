/**
 * Routes about reactions.
 * @module
 */

import { z } from "zod";
import type { JsonObject } from "../../../actors/kernel/json.ts";
import { parseOrRefuse, Refusal } from "./refusal.ts";
import { data, type Route } from "./route.ts";
import { type ChatRoutesOptions, liveMessage } from "./routes_messages.ts";
import type { StoredReaction } from "./world.ts";

/** Emoji keys that every tenant has, as far as they matter here. */
export const KNOWN_EMOJI: ReadonlySet<string> = new Set(
  ("OK THUMBSUP THANKS MUSCLE FINGERHEART APPLAUSE FISTBUMP JIAYI DONE SMILE BLUSH LAUGH SMIRK " +
    "LOL FACEPALM LOVE WINK PROUD WITTY SMART SCOWL THINKING SOB CRY ERROR NOSEPICK HAUGHTY SLAP " +
    "SPITBLOOD TOASTED GLANCE DULL INNOCENTSMILE JOYFUL WOW TRICK YEAH ENOUGH TEARS HEART EYES " +
    "OnIt OneSecond Typing LGTM CLAP CheckMark CrossMark Get Yes No Sigh SHAKE PRAISE ROSE BEER " +
    "CAKE GIFT Alarm Loudspeaker Trophy Fire BOMB Music Hundred PARTY FIREWORKS StatusFlashOfInspiration")
    .split(" "),
);

const createSchema = z.object({ reaction_type: z.object({ emoji_type: z.string().min(1) }) });

/** What else the reaction routes need. */
export interface ReactionRoutesOptions extends ChatRoutesOptions {
  readonly emoji: ReadonlySet<string>;
  /** Told after each change the bot made. */
  readonly onReaction: (
    change: "created" | "deleted",
    messageId: string,
    reaction: StoredReaction,
  ) => void;
}

/** Add and remove; adding what is there already answers with it. */
export function reactionRoutes(
  { world, appId, emoji, onReaction }: ReactionRoutesOptions,
): Route[] {
  const answer = (reaction: StoredReaction): JsonObject => ({
    reaction_id: reaction.reactionId,
    operator: { operator_id: appId, operator_type: "app" },
    action_time: String(reaction.atMs),
    reaction_type: { emoji_type: reaction.emoji },
  });
  const root = "/open-apis/im/v1/messages/:message_id/reactions";
  return [
    {
      name: "im.messageReaction.create",
      scopes: ["im:message", "im:message.reactions:write_only"],
      method: "POST",
      path: root,
      handle({ params, body }) {
        const { reaction_type } = parseOrRefuse(createSchema, body, 231001);
        const name = reaction_type.emoji_type;
        const message = liveMessage(world, params["message_id"] ?? "", 231003);
        if (!emoji.has(name)) throw new Refusal(231001, "reaction type is invalid.");
        const isSame = (r: StoredReaction) => r.emoji === name && r.by === "bot";
        const known = message.reactions.find(isSame);
        if (known !== undefined) return data(answer(known));
        const reaction = {
          reactionId: world.newId("ZCaCIjUBVVWSrm5L"),
          emoji: name,
          by: "bot",
          atMs: world.clock.now(),
        };
        message.reactions.push(reaction);
        onReaction("created", message.messageId, reaction);
        return data(answer(reaction));
      },
    },
    {
      name: "im.messageReaction.delete",
      scopes: ["im:message", "im:message.reactions:write_only"],
      method: "DELETE",
      path: `${root}/:reaction_id`,
      handle({ params }) {
        const message = liveMessage(world, params["message_id"] ?? "", 231003);
        const index = message.reactions.findIndex((r) => r.reactionId === params["reaction_id"]);
        const reaction = message.reactions[index];
        if (reaction === undefined) throw new Refusal(231011, "The reaction does not exist");
        if (reaction.by !== "bot") throw new Refusal(231007, "The reaction is not the bot's");
        message.reactions.splice(index, 1);
        onReaction("deleted", message.messageId, reaction);
        return data(answer(reaction));
      },
    },
  ];
}
