/**
 * What the platform says of a bot and its commands, in the platform's spelling; and what it says
 * instead of doing something.
 * @module
 */

import { z } from "zod";
import { listOf, optionalText, type User, userSchema } from "./wire.ts";

/** The commands that a bot has told the platform. */
export const commandsSchema: z.ZodType<readonly RegisteredCommand[]> = z.array(z.object({
  name: z.string(),
  description: optionalText,
  type: z.number().catch(1),
  options: listOf(z.object({ name: z.string(), description: optionalText, type: z.number() })),
}));

/** A command that the platform offers. */
export interface RegisteredCommand {
  readonly name: string;
  readonly description: string;
  readonly type: number;
  readonly options: readonly {
    readonly name: string;
    readonly description: string;
    readonly type: number;
  }[];
}

/** `GET /applications/@me` */
export interface Application {
  readonly id: string;
  readonly name: string;
  readonly flags: number;
  readonly owner: User | null;
}

/** {@link Application} */
export const applicationSchema: z.ZodType<Application> = z.object({
  id: z.string().min(1),
  name: optionalText,
  flags: z.number().catch(0),
  owner: userSchema.nullish().transform((value) => value ?? null),
});

/** `GET /users/@me/guilds` */
export const guildsSchema: z.ZodType<readonly { readonly name: string }[]> = z.array(
  z.object({ name: optionalText }),
);

/** What the platform says instead of doing something. */
export const errorAnswerSchema: z.ZodType<ErrorAnswer> = z.object({
  code: z.number().catch(0),
  message: optionalText,
  retry_after: z.number().optional(),
  global: z.boolean().optional(),
});

/** {@link errorAnswerSchema} */
export interface ErrorAnswer {
  readonly code: number;
  readonly message: string;
  /** Seconds. */
  readonly retry_after?: number | undefined;
  readonly global?: boolean | undefined;
}
