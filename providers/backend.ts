/**
 * What all backends share: from a choice to an endpoint, from a fault to the last event.
 * @module
 */

import { createHash } from "node:crypto";
import type { ChosenProvider } from "./choice.ts";
import { type Fault, type FaultContext, providerError } from "./failures.ts";
import { wireModelName } from "./model_names.ts";
import type { ChatEvent, ChatRequest } from "./provider.ts";
import { traitsOf } from "./traits.ts";
import { isKind } from "./vendor.ts";
import { bearer, type Endpoint, lowerCaseNames } from "./wire/endpoint.ts";
import type { ProtocolOptions, RequestOptions } from "./wire/protocol.ts";

/** What a backend needs besides its choice. */
export type BackendOptions = Omit<ProtocolOptions, "extraBody">;

/** The model of a request as its vendor knows it. */
export type WireModel = Pick<RequestOptions, "model" | "traits" | "origin">;

/**
 * Where a choice leads.
 *
 * @param keyHeaders how the key is sent; by default as a bearer
 */
export function endpointOf(
  { vendor, baseUrl, apiKey, extraHeaders, extraQuery }: ChosenProvider,
  keyHeaders: Readonly<Record<string, string>> = bearer(apiKey),
): Endpoint {
  return {
    baseUrl,
    keyHeaders,
    headers: lowerCaseNames({ ...vendor.headers, ...extraHeaders }),
    query: extraQuery,
  };
}

/** What errors of a choice are made with; nothing of what it keeps secret stands in them. */
export function faultContextOf(
  { vendor, baseUrl, apiKey, extraHeaders, extraQuery }: ChosenProvider,
  secrets: readonly string[] = [],
): FaultContext {
  const all = [apiKey, ...Object.values(extraHeaders), ...Object.values(extraQuery), ...secrets];
  return {
    displayName: vendor.displayName,
    baseUrl,
    isLocal: isKind(vendor, "local"),
    secrets: all.filter((secret) => secret !== ""),
  };
}

/** What is known of the model that a request names. */
export function wireModelOf(
  { vendor, baseUrl, thinkingSwitch }: ChosenProvider,
  name: string,
): WireModel {
  const model = wireModelName(vendor, name);
  const traits = traitsOf(vendor, model);
  return {
    model,
    traits: thinkingSwitch === null ? traits : { ...traits, thinkingSwitch },
    origin: `${vendor.name}@${URL.parse(baseUrl)?.host ?? ""}/${model}`,
  };
}

/** Keeps a conversation at one server of a router, so that its prompt cache is there. */
export function affinityHeaders({ conversationId }: ChatRequest): Record<string, string> {
  return { "x-session-affinity": affinityOf(conversationId) };
}

/** The same for all calls of a conversation; the id itself may name a person and stays here. */
export function affinityOf(conversationId: string): string {
  return createHash("sha256").update(conversationId).digest("hex").slice(0, 32);
}

/** The events of an answer, the last of which tells of a fault if there was one. */
export async function* withLastEvent(
  answer: AsyncGenerator<ChatEvent, Fault | undefined>,
  context: () => FaultContext,
): AsyncGenerator<ChatEvent> {
  const fault = yield* answer;
  if (fault !== undefined) yield { type: "failed", error: providerError(fault, context()) };
}
