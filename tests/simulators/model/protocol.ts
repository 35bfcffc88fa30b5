/**
 * The protocols that the simulated model speaks.
 * @module
 */

import type { JsonObject } from "../../../actors/kernel/json.ts";
import { MessageRendering } from "./message_rendering.ts";
import { CompletionRendering } from "./rendering.ts";
import { ResponseRendering } from "./response_rendering.ts";
import type { StreamStep } from "./script.ts";

/** Who defined them: OpenAI, Anthropic, OpenAI. */
export type Protocol = "chat_completions" | "messages" | "responses";

/** Puts the steps of one answer into the words of a protocol, in their order. */
export interface Rendering {
  /** The bytes of a step as text; "" for steps that are no bytes. */
  step(step: StreamStep): string;
  /** The whole answer that the steps amount to, for requests that do not stream. */
  whole(steps: readonly StreamStep[]): JsonObject;
}

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
