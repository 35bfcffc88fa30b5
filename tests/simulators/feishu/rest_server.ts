/**
 * The platform's HTTP side: finds the route, applies planted faults, checks the token, keeps a
 * record of every call.
 * @module
 */

import type { Clock } from "../../../actors/kernel/clock.ts";
import type { JsonObject, JsonValue } from "../../../actors/kernel/json.ts";
import type { Fault, Faults } from "./faults.ts";
import { type FormPart, parseMultipart } from "./multipart.ts";
import type { Permissions } from "./permissions.ts";
import { CODE_WRONG_TYPE, Refusal } from "./refusal.ts";
import type { Link } from "./relay.ts";
import { matchPath, type Route, type RouteAnswer, type RouteName } from "./route.ts";
import type { Tokens } from "./routes_account.ts";

/** A request that reached the platform. */
export interface Call {
  readonly route: RouteName;
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  /** The JSON body; for a form, its text fields; undefined without a body. */
  readonly body: unknown;
  readonly atMs: number;
  /** HTTP status of the answer; undefined while there is none, and when it never came. */
  status: number | undefined;
  /** The platform's code in the answer. */
  code: number | undefined;
}

/** What the server is made of. */
export interface RestServerOptions {
  readonly clock: Clock;
  readonly routes: readonly Route[];
  readonly faults: Faults;
  readonly tokens: Tokens;
  readonly permissions: Permissions;
  /** Keep connections open for further requests. */
  readonly keepsConnections: boolean;
  /** Resolves at the end of the platform: requests that wait are given up, without effect. */
  readonly ended: Promise<void>;
  /** Told after each call and each answer. */
  readonly onChange: () => void;
}

interface Read {
  readonly call: Call;
  readonly route: Route | undefined;
  readonly text: string;
  readonly json: { readonly value: unknown } | undefined;
  readonly form: readonly FormPart[];
}

/** Answers requests and remembers them. */
export class RestServer {
  /** Every call, in the order of arrival. */
  readonly calls: Call[] = [];
  readonly #options: RestServerOptions;
  #logIds = 0;

  constructor(options: RestServerOptions) {
    this.#options = options;
  }

  /** Answers one request that came over `link`. */
  async handle(request: Request, link: Link | undefined): Promise<Response> {
    const read = await this.#read(request);
    this.calls.push(read.call);
    this.#options.onChange();
    const answer = await this.#respond(request, read, link);
    if (!this.#options.keepsConnections) answer.headers.set("connection", "close");
    return answer;
  }

  async #respond(request: Request, read: Read, link: Link | undefined): Promise<Response> {
    const { route: name, path } = read.call;
    const fault = this.#options.faults.take(
      name,
      `${path}${new URL(request.url).search}`,
      read.text,
    );
    const early = await this.#faultBefore(fault, link);
    if (early !== undefined) return this.#answered(read.call, early);
    const answer = this.#answer(read, request.headers.get("authorization"));
    if (fault?.kind === "wait" && fault.at === "after") await this.#wait(fault.gate);
    if (fault?.kind === "lost_answer") return this.#lost(link);
    if (fault?.kind === "half_answer") {
      const length = Number(answer.headers.get("content-length"));
      link?.cutInAnswer(Math.floor(length / 2));
      return answer;
    }
    if (fault?.kind === "garbled_answer") {
      return this.#answered(read.call, new Answer(200, "<html>welcome</html>", { headers: {} }));
    }
    return this.#answered(read.call, answer);
  }

  async #read(request: Request): Promise<Read> {
    const url = new URL(request.url);
    const bytes = await request.bytes();
    const text = new TextDecoder().decode(bytes);
    const form = parseMultipart(request.headers.get("content-type") ?? "", bytes);
    const isUrlEncoded = request.headers.get("content-type")?.includes("urlencoded") ?? false;
    const fields = isUrlEncoded ? Object.fromEntries(new URLSearchParams(text)) : undefined;
    const json = form.length > 0 ? { value: {} } : fields ? { value: fields } : parseJson(text);
    let params: Record<string, string> | undefined;
    const route = this.#options.routes.find((candidate) => {
      if (candidate.method !== request.method) return false;
      params = matchPath(candidate.path, url.pathname);
      return params !== undefined;
    });
    const call: Call = {
      route: route?.name ?? "unknown",
      method: request.method,
      path: url.pathname,
      params: params ?? {},
      query: Object.fromEntries(url.searchParams),
      body: form.length > 0 ? textFields(form) : json?.value,
      atMs: this.#options.clock.now(),
      status: undefined,
      code: undefined,
    };
    return { call, route, text, json, form };
  }

  async #faultBefore(
    fault: Fault | undefined,
    link: Link | undefined,
  ): Promise<Answer | undefined> {
    switch (fault?.kind) {
      case "wait":
        return fault.at === "after" ? undefined : await this.#wait(fault.gate);
      case "silence":
        await link?.closed;
        return new Answer(499, "");
      case "reset":
        return this.#lost(link);
      case "status":
        return new Answer(fault.status, fault.body ?? "", { headers: fault.headers ?? {} });
      case "code":
        return this.#json(fault.status ?? 400, {
          code: fault.code,
          msg: fault.message ?? "injected",
          ...(fault.data !== undefined && { data: fault.data }),
        }, fault.headers);
      default:
        return undefined;
    }
  }

  #answer(read: Read, authorization: string | null): Answer {
    const { route, call, json, form } = read;
    if (route === undefined) return new Answer(404, "404 page not found");
    try {
      if (route.needsToken !== false) this.#options.tokens.check(authorization);
      this.#options.permissions.check(route.scopes ?? []);
      if (json === undefined) throw new Refusal(CODE_WRONG_TYPE, "the body is no JSON");
      const { params, query } = call;
      const search = new URLSearchParams(query);
      return this.#success(route.handle({ params, query: search, body: json.value, form }));
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      const { platformCode, message, status, headers, details } = error;
      const logId = this.#newLogId();
      const body = { code: platformCode, msg: message, error: { log_id: logId, ...details } };
      return this.#json(status, body, { ...headers, "x-tt-logid": logId });
    }
  }

  #success(answer: RouteAnswer): Answer {
    if (answer.kind === "bytes") return new Answer(200, answer.bytes, { headers: answer.headers });
    if (answer.kind === "plain") return this.#json(answer.status, answer.body);
    const rest: JsonObject = answer.kind === "top" ? answer.top : { data: answer.data };
    return this.#json(200, { code: 0, msg: "success", ...rest });
  }

  #json(status: number, body: JsonObject, headers: Readonly<Record<string, string>> = {}): Answer {
    return new Answer(status, JSON.stringify(body), {
      headers: {
        "content-type": "application/json; charset=utf-8",
        "x-tt-logid": this.#newLogId(),
        ...headers,
      },
      code: codeOf(body["code"]),
    });
  }

  #answered(call: Call, answer: Answer): Response {
    call.status = answer.status;
    call.code = answer.code;
    this.#options.onChange();
    return answer;
  }

  async #wait(gate: Promise<unknown>): Promise<Answer | undefined> {
    const end = this.#options.ended.then(() => new Answer(499, ""));
    return await Promise.race([gate.then(() => undefined), end]);
  }

  #lost(link: Link | undefined): Answer {
    link?.cut();
    return new Answer(499, "");
  }

  #newLogId(): string {
    return `2026${String(++this.#logIds).padStart(16, "0")}`;
  }
}

/** A response that knows the platform's code in it, and is never compressed on the way. */
class Answer extends Response {
  readonly code: number | undefined;

  constructor(
    status: number,
    body: string | Uint8Array<ArrayBuffer>,
    { headers = {}, code }: {
      readonly headers?: Readonly<Record<string, string>>;
      readonly code?: number | undefined;
    } = {},
  ) {
    const bytes = typeof body === "string" ? new TextEncoder().encode(body) : body;
    super(bytes, {
      status,
      headers: {
        "cache-control": "no-transform",
        "content-length": String(bytes.length),
        ...headers,
      },
    });
    this.code = code;
  }
}

function codeOf(code: JsonValue | undefined): number | undefined {
  return typeof code === "number" ? code : undefined;
}

function parseJson(text: string): { readonly value: unknown } | undefined {
  if (text === "") return { value: {} };
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

function textFields(form: readonly FormPart[]): Record<string, string> {
  const texts = form.filter(({ name }) => name !== "image" && name !== "file");
  return Object.fromEntries(
    texts.map(({ name, bytes }) => [name, new TextDecoder().decode(bytes)]),
  );
}
