/**
 * What comes and goes on the socket, in the platforms' spelling.
 * @module
 */

import { z } from "zod";

/** What comes and goes on the socket. */
export interface Frame {
  readonly op: number;
  readonly d?: unknown;
  /** Number of the event; null for anything else. */
  readonly s: number | null;
  /** Name of the event; "" for anything else. */
  readonly t: string;
}

/** {@link Frame} */
export const frameSchema: z.ZodType<Frame> = z.object({
  op: z.number(),
  d: z.unknown().optional(),
  s: z.number().nullish().transform((value) => value ?? null),
  t: z.string().nullish().transform((value) => value ?? ""),
});

/** The first frame. */
export const helloSchema: z.ZodType<{ readonly heartbeat_interval: number }> = z.object({
  heartbeat_interval: z.number().positive(),
});
