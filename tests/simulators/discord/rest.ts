/**
 * The HTTP side of the platform.
 * @module
 */

import type { Clock } from "../../../actors/kernel/clock.ts";
import type { JsonValue } from "../../../actors/kernel/json.ts";
import { parseMultipart } from "../feishu/multipart.ts";
import type { Link } from "../feishu/relay.ts";
import type { Fault, Faults } from "./faults.ts";
import { type Rates, tooMany } from "./rates.ts";
import { Refusal } from "./refusal.ts";
import type { Route } from "./routes.ts";

/** A call that came in. */
export interface RestCall {
  readonly route: string;
  readonly method: string;
  readonly path: string;
  readonly body: unknown;
  readonly atMs: number;
  /** Undefined while it is not answered. */
  status: number | undefined;
}

/** What the HTTP side needs. */
export interface RestOptions {
  readonly clock: Clock;
  readonly token: () => string;
  readonly routes: readonly Route[];
  readonly rates: Rates;
  readonly faults: Faults;
  /** Settles at the end of the platform. */
  readonly ended: Promise<void>;
  readonly onChange: () => void;
}

const PREFIX = "/api/v10";
/** Documented: others are turned away. */
const USER_AGENT = /^DiscordBot \(.+, .+\)/;

/** Answers calls. */
export class Rest {
  /** In order of arrival. */
  readonly calls: RestCall[] = [];
  /** Calls that are being answered. */
  pending = 0;
  readonly #options: RestOptions;

  constructor(options: RestOptions) {
    this.#options = options;
  }

  /** Answers one call that came over `link`. */
  async handle(request: Request, link: Link | undefined): Promise<Response> {
    this.pending++;
    try {
      return await this.#answer(request, link);
    } finally {
      this.pending--;
      this.#options.onChange();
    }
  }

  async #answer(request: Request, link: Link | undefined): Promise<Response> {
    const { clock, faults, ended } = this.#options;
    const url = new URL(request.url);
    const { method } = request;
    const path = url.pathname.slice(PREFIX.length);
    const bytes = await request.bytes().catch(() => null);
    if (bytes === null) return answer(400, null, {}); // the client is gone
    const form = parseMultipart(request.headers.get("content-type") ?? "", bytes);
    const body = form.length > 0 ? undefined : parsed(new TextDecoder().decode(bytes));
    const found = this.#find(method, path);
    const route = found?.route.name ?? "unknown";
    const call: RestCall = { route, method, path, body, atMs: clock.now(), status: undefined };
    this.calls.push(call);
    const fault = faults.take(route);
    if (fault?.kind === "wait") await Promise.race([fault.gate, ended]);
    const response = this.#respond(request, fault, () => {
      this.#check(request, found?.route);
      if (found === undefined) throw new Refusal(404, 0, "404: Not Found");
      const { params } = found;
      return found.route.handle({ params, query: url.searchParams, body, form });
    }, () => this.#options.rates.count(route, /^\/channels\/\d+/.exec(path)?.[0] ?? ""));
    call.status = response.status;
    if (fault?.kind === "lost_answer") link?.cut();
    if (fault?.kind === "half_answer") link?.cutInAnswer(5);
    return fault?.kind === "garbled_answer"
      ? answer(200, "<html>welcome</html>", { "content-type": "text/html" })
      : response;
  }

  #respond(
    request: Request,
    fault: Fault | undefined,
    work: () => JsonValue | undefined,
    count: () => Readonly<Record<string, string>>,
  ): Response {
    let headers: Readonly<Record<string, string>> = {};
    try {
      switch (fault?.kind) {
        case "status":
          return answer(fault.status, "<html>proxy</html>", { "content-type": "text/html" });
        case "code":
          throw new Refusal(fault.status, fault.code, "injected");
        case "rate":
          throw tooMany(fault.retryAfterMs, fault.isForAll ?? false);
        default:
          headers = request.url.includes("/interactions/") ? {} : count();
          return json(work(), headers);
      }
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      return answer(error.status, JSON.stringify(error.body), {
        ...headers,
        ...error.headers,
        "content-type": "application/json",
      });
    }
  }

  #check({ headers }: Request, route: Route | undefined): void {
    if (!USER_AGENT.test(headers.get("user-agent") ?? "")) {
      throw new Refusal(403, 40333, "internal network error");
    }
    if (route?.needsToken === false) return;
    if (headers.get("authorization") !== `Bot ${this.#options.token()}`) {
      throw new Refusal(401, 0, "401: Unauthorized");
    }
  }

  #find(method: string, path: string) {
    for (const route of this.#options.routes) {
      if (route.method !== method) continue;
      const params = matched(route.path, path);
      if (params !== undefined) return { route, params };
    }
    return undefined;
  }
}

function matched(pattern: string, path: string): Record<string, string> | undefined {
  const wanted = pattern.split("/");
  const given = path.split("/");
  if (wanted.length !== given.length) return undefined;
  const params: Record<string, string> = {};
  for (const [at, part] of wanted.entries()) {
    const value = given[at] ?? "";
    if (part.startsWith(":")) params[part.slice(1)] = value;
    else if (part !== value) return undefined;
  }
  return params;
}

function json(body: JsonValue | undefined, headers: Readonly<Record<string, string>>): Response {
  if (body === undefined) return answer(204, null, headers);
  return answer(200, JSON.stringify(body), { ...headers, "content-type": "application/json" });
}

function answer(
  status: number,
  body: string | null,
  headers: Readonly<Record<string, string>>,
): Response {
  return new Response(body, {
    status,
    // A call on a fresh connection is never sent a second time by itself.
    headers: { ...headers, connection: "close", "cache-control": "no-transform" },
  });
}

function parsed(text: string): unknown {
  return text === "" ? undefined : JSON.parse(text);
}
