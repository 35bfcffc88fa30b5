/**
 * What a button of ours carries to the platform and back: what its press says, and where.
 * @module
 */

import { z } from "zod";

/** The value of a button. */
export interface ChoiceValue {
  /** Marks it as ours, and its shape. */
  readonly troupe: "choice";
  readonly says: string;
  /** As deliveries name the chat: the person of a direct one. */
  readonly chat_id: string;
  /** The delivery's context. */
  readonly context: Readonly<Record<string, string>>;
}

/** The door for values that come back. */
export const choiceValueSchema: z.ZodType<ChoiceValue> = z.object({
  troupe: z.literal("choice"),
  says: z.string().min(1),
  chat_id: z.string().min(1),
  context: z.record(z.string(), z.string()),
});
