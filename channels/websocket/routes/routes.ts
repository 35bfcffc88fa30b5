/**
 * The HTTP surface beside the sockets: tokens, conversations, files.
 * @module
 */

import { isSameSecret } from "../../../actors/kernel/same_secret.ts";
import { bearerOf, plain, tokenOf } from "../access/admission.ts";
import { isLocal } from "../access/origins.ts";
import type { Tokens } from "../access/tokens.ts";
import type { ServedFile } from "../adapters/served_file.ts";
import type { ChannelSessions, SessionEnd } from "../../channel.ts";
import type { WebAnswer, WebRequest } from "../link.ts";
import type { WebsocketSection } from "../manifest.ts";
import { MEDIA_PATH, type MediaLinks, OTHER_TYPE, typeOf } from "../send/media_links.ts";
import { answerAcross } from "./cross_origin.ts";

const BOOTSTRAP_PATH = "/webui/bootstrap";
const SESSIONS_PATH = "/api/sessions";
const SESSION = /^\/api\/sessions\/([^/]+)(?:\/(messages|delete))?$/;
const SESSION_KEY = /^[A-Za-z0-9_:.-]{1,128}$/;
const CLIENT_ID_CHARS_MAX = 128;

/** What the routes work with. */
export interface RoutesOptions {
  readonly section: WebsocketSection;
  readonly tokens: Tokens;
  readonly sessions: ChannelSessions | undefined;
  readonly links: Pick<MediaLinks, "pathOf">;
  /** Opens a file that may be served; null for others. */
  readonly openFile: (path: string) => Promise<ServedFile | null>;
}

/** Answers everything that is no handshake. */
export class Routes {
  readonly #options: RoutesOptions;

  constructor(options: RoutesOptions) {
    this.#options = options;
  }

  /** Answers a request. */
  async answer(request: WebRequest): Promise<WebAnswer> {
    const { section } = this.#options;
    return await answerAcross(request, section, async () => await this.#route(request));
  }

  #route(request: WebRequest): WebAnswer | Promise<WebAnswer> {
    const { path } = request;
    const { tokenIssuePath } = this.#options.section;
    if (tokenIssuePath !== "" && path === tokenIssuePath) return this.#issue(request);
    if (path === BOOTSTRAP_PATH) return this.#bootstrap(request);
    if (path === SESSIONS_PATH || path.startsWith(`${SESSIONS_PATH}/`)) {
      return this.#sessions(request);
    }
    if (path.startsWith(MEDIA_PATH)) return this.#media(request);
    return plain(404, "Not Found");
  }

  #issue(request: WebRequest): WebAnswer {
    if (!isOneOf(request, ["GET", "POST"])) return plain(405, "Method Not Allowed");
    const { section: { tokenIssueSecret } } = this.#options;
    const given = bearerOf(request) ?? request.header("x-nanobot-auth") ?? "";
    if (tokenIssueSecret !== "" && !isSameSecret(given, tokenIssueSecret)) {
      return plain(401, "Unauthorized");
    }
    const clientId = request.query.get("client_id")?.trim().slice(0, CLIENT_ID_CHARS_MAX) || null;
    return this.#granted({ clientId, opensApi: false }, {});
  }

  /** For a page of this machine's own; behind a proxy every client would look like one. */
  #bootstrap(request: WebRequest): WebAnswer {
    if (!isOneOf(request, ["GET", "POST"])) return plain(405, "Method Not Allowed");
    const { section } = this.#options;
    if (!isLocal(request, section)) return plain(403, "Only for clients on this machine");
    return this.#granted({ clientId: null, opensApi: true }, { ws_path: section.path });
  }

  #granted(
    grant: Parameters<Tokens["issue"]>[0],
    more: Readonly<Record<string, string>>,
  ): WebAnswer {
    const { tokens, section: { tokenTtlS } } = this.#options;
    const token = tokens.issue(grant);
    if (token === null) return json(429, { error: "too many tokens are outstanding" });
    return json(200, { token, expires_in: tokenTtlS, ...more });
  }

  async #sessions(request: WebRequest): Promise<WebAnswer> {
    if (!this.#opensApi(request)) return json(401, { error: "token missing or not valid" });
    const { sessions } = this.#options;
    if (sessions === undefined) return json(503, { error: "no conversations can be looked at" });
    const [, encoded, what] = SESSION.exec(request.path) ?? [];
    if (encoded === undefined) {
      if (request.path !== SESSIONS_PATH) return json(404, { error: "no such address" });
      return json(200, { sessions: (await sessions.list()).map(sessionOut) });
    }
    const key = decoded(encoded);
    if (!SESSION_KEY.test(key)) return json(400, { error: "invalid session key" });
    if (request.method === "DELETE" && what === undefined) return erased(await sessions.erase(key));
    // As older clients delete; no page of others can call it, as a token is needed.
    if (what === "delete") return erased(await sessions.erase(key));
    const messages = await sessions.read(key);
    if (messages === null) return json(404, { error: "no such session" });
    return json(200, { key, messages: messages.map(messageOut) });
  }

  async #media(request: WebRequest): Promise<WebAnswer> {
    if (!isOneOf(request, ["GET", "HEAD"])) return plain(405, "Method Not Allowed");
    const [id = "", encodedName = ""] = request.path.slice(MEDIA_PATH.length).split("/");
    const path = this.#options.links.pathOf(id);
    const file = path === null ? null : await this.#options.openFile(path);
    if (file === null) return plain(404, "Not Found");
    const name = decoded(encodedName);
    const type = typeOf(name);
    const disposition = type === OTHER_TYPE ? "attachment" : "inline";
    return {
      status: 200,
      headers: {
        "content-type": type,
        "content-length": String(file.bytes),
        "content-disposition": `${disposition}; filename*=UTF-8''${encodedNameOf(name)}`,
        "content-security-policy": "default-src 'none'; sandbox",
        "cache-control": "private, max-age=3600",
        "referrer-policy": "no-referrer",
      },
      body: file.body,
    };
  }

  #opensApi(request: WebRequest): boolean {
    const { tokens, section: { token } } = this.#options;
    const given = tokenOf(request);
    return (token !== "" && isSameSecret(given, token)) || tokens.opensApi(given);
  }
}

function isOneOf({ method }: WebRequest, methods: readonly string[]): boolean {
  return methods.includes(method);
}

function json(status: number, body: unknown): WebAnswer {
  const headers = { "content-type": "application/json", "cache-control": "no-store" };
  return { status, headers, body: JSON.stringify(body) };
}

function erased(state: SessionEnd): WebAnswer {
  if (state === "missing") return json(404, { error: "no such session" });
  if (state === "busy") return json(409, { deleted: false, error: "somebody waits for an answer" });
  return json(200, { deleted: true });
}

type Listed = Awaited<ReturnType<ChannelSessions["list"]>>[number];
type Said = NonNullable<Awaited<ReturnType<ChannelSessions["read"]>>>[number];

function sessionOut({ key, updatedAtMs }: Listed): unknown {
  return { key, updated_at: timeOut(updatedAtMs) };
}

function messageOut({ role, text, atMs }: Said): unknown {
  return { role, content: text, timestamp: timeOut(atMs) };
}

function timeOut(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return "";
  }
}

/** As RFC 5987 wants it. */
function encodedNameOf(name: string): string {
  return encodeURIComponent(name).replace(
    /['()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
