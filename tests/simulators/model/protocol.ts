/**
 * The protocols that the simulated model speaks.
 * @module
 */

import { MessageRendering } from "./message_rendering.ts";
import { CompletionRendering } from "./rendering.ts";
import type { Rendering } from "./answer_words.ts";
import { ResponseRendering } from "./response_rendering.ts";

/** Who defined them: OpenAI, Anthropic, OpenAI. */
export type Protocol = "chat_completions" | "messages" | "responses";

/** The protocol that is spoken at a path. */
export function protocolAt(path: string): Protocol | undefined {
  if (path.endsWith("/chat/completions")) return "chat_completions";
  if (path.endsWith("/messages")) return "messages";
  return path.endsWith("/responses") ? "responses" : undefined;
}

/** For one answer of `model`. */
export function newRendering(protocol: Protocol, model: string): Rendering {
  switch (protocol) {
    case "chat_completions":
      return new CompletionRendering(model);
    case "messages":
      return new MessageRendering(model);
    case "responses":
      return new ResponseRendering();
  }
}
