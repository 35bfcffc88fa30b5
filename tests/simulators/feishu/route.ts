/**
 * What a REST route is: the name the SDK gives it, its path, and what it does to the world.
 * @module
 */

import type { JsonObject, JsonValue } from "../../../actors/kernel/json.ts";
import type { FormPart } from "./multipart.ts";

/** Every request the platform understands, by the SDK's name where it has one. */
export type RouteName =
  | "auth.tenantAccessToken"
  | "ws.endpoint"
  | "ws.connect"
  | "bot.info"
  | "im.message.create"
  | "im.message.reply"
  | "im.message.get"
  | "im.message.list"
  | "im.message.update"
  | "im.message.patch"
  | "im.message.delete"
  | "im.messageResource.get"
  | "im.chatMembers.get"
  | "application.scope.list"
  | "application.get"
  | "accounts.registration"
  | "im.image.create"
  | "im.file.create"
  | "im.messageReaction.create"
  | "im.messageReaction.delete"
  | "cardkit.card.create"
  | "cardkit.card.update"
  | "cardkit.card.settings"
  | "cardkit.card.batchUpdate"
  | "cardkit.cardElement.content"
  | "cardkit.cardElement.create"
  | "cardkit.cardElement.update"
  | "cardkit.cardElement.patch"
  | "cardkit.cardElement.delete"
  | "unknown";

/** A request, read but not checked. */
export interface RouteRequest {
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  /** The JSON body, or the fields of a URL-encoded form; an empty object without one. */
  readonly body: unknown;
  /** The parts of a multipart body. */
  readonly form: readonly FormPart[];
}

/** `data` goes below `data`, `top` beside `code`; bytes are answered as they are. */
export type RouteAnswer =
  | { readonly kind: "data"; readonly data: JsonValue }
  | { readonly kind: "top"; readonly top: JsonObject }
  /** JSON without the usual frame. */
  | { readonly kind: "plain"; readonly status: number; readonly body: JsonObject }
  | {
    readonly kind: "bytes";
    readonly bytes: Uint8Array<ArrayBuffer>;
    readonly headers: Readonly<Record<string, string>>;
  };

/** One line of the routing table. */
export interface Route {
  readonly name: RouteName;
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Segments; those that begin with `:` are parameters. */
  readonly path: string;
  /** @default true */
  readonly needsToken?: boolean;
  /** The app needs one of them. @default none is needed */
  readonly scopes?: readonly string[];
  /** @throws {Refusal} */
  handle(request: RouteRequest): RouteAnswer;
}

/** The parameters when `path` fits the route's path, else undefined. */
export function matchPath(pattern: string, path: string): Record<string, string> | undefined {
  const wanted = pattern.split("/");
  const given = path.split("/");
  if (wanted.length !== given.length) return undefined;
  const params: Record<string, string> = {};
  for (const [index, segment] of wanted.entries()) {
    const value = given[index] ?? "";
    if (segment.startsWith(":")) params[segment.slice(1)] = decodeURIComponent(value);
    else if (segment !== value) return undefined;
  }
  return params;
}

/** The common answer. */
export function data(value: JsonValue = {}): RouteAnswer {
  return { kind: "data", data: value };
}
