/**
 * What a program passes on around a person's words: instructions of its own, and the conversation as
 * it shows it where that is not the one that stands in the history. Shown to the model with the
 * message, and not stored.
 * @module
 */

import { z } from "zod";
import type { Inbound } from "../journal/journal.ts";
import { asJson, type JsonObject } from "../kernel/json.ts";

/** Words around a message. */
export interface ClientFrame {
  /** What a program calls its system prompt; "" for none. */
  readonly instructions: string;
  /** What was said before, oldest first; empty where the history has it. */
  readonly earlier: readonly { readonly role: "user" | "assistant"; readonly text: string }[];
}

const KEY = "clientFrame";

const frameSchema: z.ZodType<ClientFrame> = z.object({
  instructions: z.string(),
  earlier: z.array(z.object({ role: z.enum(["user", "assistant"]), text: z.string() })),
});

/** The context of a message in this frame. */
export function clientFrame(frame: ClientFrame): JsonObject {
  const isEmpty = frame.instructions === "" && frame.earlier.length === 0;
  return isEmpty ? {} : { [KEY]: asJson({ ...frame }) };
}

/** The frame of a message, in words for the model; "" without one. */
export function frameText({ context }: Pick<Inbound, "context">): string {
  const { data: frame } = frameSchema.safeParse(context[KEY]);
  if (frame === undefined) return "";
  const { instructions, earlier } = frame;
  const said = earlier.map(({ role, text }) => `${role}: ${text}`);
  return [
    ...(instructions === ""
      ? []
      : [`[Instructions of the program that passes this message on]\n${instructions}`]),
    ...(said.length === 0
      ? []
      : [`[The conversation so far, as that program shows it]\n${said.join("\n")}`]),
    "[The message]",
  ].join("\n\n");
}
