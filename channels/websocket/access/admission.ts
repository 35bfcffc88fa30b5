/**
 * Who gets a socket: judged from the handshake alone, before anything is opened.
 * @module
 */

import type { NewId } from "../../../actors/kernel/random.ts";
import { isSameSecret } from "../../../actors/kernel/same_secret.ts";
import { isAllowed } from "../../allow_list.ts";
import { PROTOCOL, type WebAnswer, type WebRequest } from "../link.ts";
import type { WebsocketSection } from "../manifest.ts";
import { isOriginAllowed } from "./origins.ts";
import type { Tokens } from "./tokens.ts";

/** A client that may come in. */
export interface ClientIdentity {
  readonly clientId: string;
  readonly remote: string;
}

/** What becomes of a handshake. */
export type Admission =
  | { readonly verdict: "admitted"; readonly client: ClientIdentity }
  | { readonly verdict: "refused"; readonly answer: WebAnswer; readonly stranger?: string };

/** What is needed to judge. */
export interface AdmissionOptions {
  readonly section: WebsocketSection;
  readonly tokens: Tokens;
  readonly newId: NewId;
}

const CLIENT_ID_CHARS_MAX = 128;
const ANONYMOUS_CHARS = 12;
/** A token beside the sub-protocol, where browsers can put one and no log finds it. */
const TOKEN_PROTOCOL = "token.";

/** Judges a handshake; a token that is good is spent by it. */
export function admit(request: WebRequest, options: AdmissionOptions): Admission {
  const { section, newId } = options;
  if (request.path !== section.path) return refused(404, "Not Found");
  if (!isOriginAllowed(request, section)) return refused(403, "Origin not allowed");
  const named = (request.query.get("client_id") ?? "").trim().slice(0, CLIENT_ID_CHARS_MAX);
  const clientId = named.isWellFormed() && named !== "" ? named : anonymous(newId());
  if (!isAllowed(clientId, section.allowFrom)) {
    return { ...refused(403, "Client not allowed"), stranger: clientId };
  }
  if (!hasRight(request, clientId, options)) return refused(401, "Token missing or not valid");
  return { verdict: "admitted", client: { clientId, remote: request.remote } };
}

/** A short answer in plain text. */
export function plain(status: number, body: string): WebAnswer {
  return { status, headers: { "content-type": "text/plain; charset=utf-8" }, body };
}

/** The token of a request: in a header, beside the sub-protocol, or in the query; "" for none. */
export function tokenOf(request: WebRequest): string {
  const protocols = (request.header("sec-websocket-protocol") ?? "").split(",")
    .map((protocol) => protocol.trim());
  const beside = protocols.includes(PROTOCOL)
    ? protocols.find((protocol) => protocol.startsWith(TOKEN_PROTOCOL))
    : undefined;
  return bearerOf(request) ?? beside?.slice(TOKEN_PROTOCOL.length) ?? request.query.get("token") ??
    "";
}

/** The secret that a request bears in its header; undefined for none. */
export function bearerOf(request: WebRequest): string | undefined {
  return /^bearer +(.+)$/i.exec(request.header("authorization")?.trim() ?? "")?.[1];
}

function hasRight(
  request: WebRequest,
  clientId: string,
  { section: { token, websocketRequiresToken }, tokens }: AdmissionOptions,
): boolean {
  const given = tokenOf(request);
  if (token !== "" && isSameSecret(given, token)) return true;
  const isIssued = given !== "" && tokens.spend(given, clientId);
  return isIssued || (token === "" && !websocketRequiresToken);
}

function refused(status: number, body: string): Extract<Admission, { verdict: "refused" }> {
  return { verdict: "refused", answer: plain(status, body) };
}

function anonymous(id: string): string {
  return `anon-${id.replace(/[^0-9a-z]/gi, "").slice(0, ANONYMOUS_CHARS)}`;
}
