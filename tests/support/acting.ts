/**
 * Actors for tests, made from one function.
 * @module
 */

import type { ActorContext, ActorDefinition } from "../../actors/kernel/actor.ts";

/** Everything of a definition but its actor, and what the actor does at its end. */
export interface ActingOptions<M> extends Partial<Omit<ActorDefinition<M>, "create">> {
  readonly stopped?: () => void | Promise<void>;
}

/** The definition of an actor that handles each message with `receive`. */
export function acting<M>(
  receive: (message: M, context: ActorContext<M>) => void,
  { stopped, name = "actor", ...options }: ActingOptions<M> = {},
): ActorDefinition<M> {
  return {
    name,
    ...options,
    create: (context) => ({
      receive: (message) => receive(message, context),
      ...(stopped && { stopped }),
    }),
  };
}
