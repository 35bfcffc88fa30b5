/**
 * What comes and goes on the gateway, in the platform's spelling; messages aside.
 * @module
 */

import { z } from "zod";
import { listOf, optionalId, optionalText, type User, userSchema } from "./wire.ts";

/** A person used one of the bot's commands, or pressed a button of its. */
export interface Interaction {
  readonly id: string;
  readonly token: string;
  readonly application_id: string;
  readonly type: number;
  readonly channel_id: string | null;
  readonly guild_id: string | null;
  readonly user: User;
  /** Name of the command, and what follows it. */
  readonly command: string;
  readonly argument: string;
  /** What the button is called; "" for a command. */
  readonly custom_id: string;
  /** The message with the button; null for a command. */
  readonly message: { readonly id: string } | null;
}

/** {@link Interaction}, as `INTERACTION_CREATE` tells of it */
export const interactionSchema: z.ZodType<Interaction> = z.object({
  id: z.string().min(1),
  token: z.string().min(1),
  application_id: z.string().min(1),
  type: z.number(),
  channel_id: optionalId,
  guild_id: optionalId,
  user: userSchema.optional(),
  member: z.object({ user: userSchema }).optional(),
  data: z.object({
    name: optionalText,
    custom_id: optionalText,
    options: listOf(z.object({ value: z.union([z.string(), z.number(), z.boolean()]) })).catch([]),
  }).nullish(),
  message: z.object({ id: z.string().min(1) }).nullish(),
}).transform(({ user, member, data, message, ...rest }, context) => {
  const who = member?.user ?? user;
  if (who === undefined) {
    context.addIssue({ code: "custom", message: "nobody did it" });
    return z.NEVER;
  }
  const argument = (data?.options ?? []).map(({ value }) => String(value)).join(" ");
  const { name: command = "", custom_id = "" } = data ?? {};
  return { ...rest, user: who, command, argument, custom_id, message: message ?? null };
});

/** `READY`: a session began. */
export interface Ready {
  readonly user: User;
  readonly session_id: string;
  readonly resume_gateway_url: string;
  readonly application: { readonly id: string };
}

/** {@link Ready} */
export const readySchema: z.ZodType<Ready> = z.object({
  user: userSchema,
  session_id: z.string().min(1),
  resume_gateway_url: z.string().min(1),
  application: z.object({ id: z.string().min(1) }),
});

/** `GET /gateway/bot` */
export interface GatewayFacts {
  readonly url: string;
  readonly session_start_limit: { readonly remaining: number; readonly reset_after: number };
}

/** {@link GatewayFacts} */
export const gatewaySchema: z.ZodType<GatewayFacts> = z.object({
  url: z.string().min(1),
  session_start_limit: z.object({ remaining: z.number(), reset_after: z.number() }),
});
