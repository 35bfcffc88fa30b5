/**
 * The servers where people sign in to model vendors, simulated: OpenAI's, with pages, codes and
 * renewable tokens, and GitHub's, with codes for devices and tokens of Copilot.
 * @module
 */

import { createHash } from "node:crypto";
import type { JsonObject } from "../../actors/kernel/json.ts";

/** What GitHub answers when it is asked whether the code was entered. */
export type DeviceAnswer =
  | "authorization_pending"
  | "slow_down"
  | "expired_token"
  | "access_denied"
  | "granted";

/** How the servers behave. */
export interface SignInServerOptions {
  /** Epoch milliseconds, the clock of the test. */
  readonly now: () => number;
  /** Answers of GitHub, in order; the last one stays. @default ["granted"] */
  readonly deviceAnswers?: readonly DeviceAnswer[];
  /** Where Copilot's requests go. */
  readonly copilotApi?: string;
  /** Life of all tokens that expire. @default 3600 */
  readonly lifeS?: number;
}

/** All servers at one address. */
export class SignInServer implements AsyncDisposable {
  /** Paths of all requests, in order of arrival. */
  readonly requests: string[] = [];
  /** The tokens of OpenAI that are good. */
  readonly access: Set<string> = new Set();
  /** Answers requests for tokens with this status, until it is 200 again. */
  tokenStatus = 200;
  /** Holds back answers to requests for tokens. */
  gate: Promise<unknown> = Promise.resolve();
  readonly #options: SignInServerOptions;
  readonly #http: Deno.HttpServer<Deno.NetAddr>;
  readonly #challenges = new Map<string, string>();
  readonly #refresh = new Set<string>();
  #polls = 0;
  #made = 0;

  constructor(options: SignInServerOptions) {
    this.#options = options;
    this.#http = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, (request) => {
      return this.#answer(request);
    });
  }

  /** Where all of them listen. */
  get url(): string {
    return `http://127.0.0.1:${this.#http.addr.port}`;
  }

  /** How often a path was asked for. */
  count(path: string): number {
    return this.requests.filter((asked) => asked === path).length;
  }

  /** Makes tokens of OpenAI without a sign-in. */
  makeTokens(): { readonly access_token: string; readonly refresh_token: string } {
    const access = this.#jwt();
    const refresh = `refresh-secret-${this.#made}`;
    this.access.add(access);
    this.#refresh.add(refresh);
    return { access_token: access, refresh_token: refresh };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#http.shutdown();
  }

  async #answer(request: Request): Promise<Response> {
    const url = new URL(request.url);
    this.requests.push(url.pathname);
    const form = request.method === "POST" ? new URLSearchParams(await request.text()) : undefined;
    switch (url.pathname) {
      case "/oauth/authorize":
        return this.#page(url.searchParams);
      case "/oauth/token":
        await this.gate;
        return this.tokenStatus === 200
          ? this.#tokens(form ?? new URLSearchParams())
          : Response.json({ error: "server_error" }, { status: this.tokenStatus });
      case "/login/device/code":
        return Response.json({
          device_code: "device-secret",
          user_code: "ABCD-1234",
          verification_uri: `${this.url}/login/device`,
          expires_in: 900,
          interval: 5,
        });
      case "/login/oauth/access_token":
        return this.#device();
      case "/user":
        return Response.json({ login: "octocat" });
      case "/copilot_internal/v2/token":
        await this.gate;
        return this.#copilot(request);
      default:
        return Response.json({ error: "not_found" }, { status: 404 });
    }
  }

  /** The person says yes at once, and the browser goes back with a code. */
  #page(parameters: URLSearchParams): Response {
    const code = `code-secret-${++this.#made}`;
    this.#challenges.set(code, parameters.get("code_challenge") ?? "");
    const back = new URL(parameters.get("redirect_uri") ?? this.url);
    back.searchParams.set("code", code);
    back.searchParams.set("state", parameters.get("state") ?? "");
    return new Response(null, { status: 302, headers: { location: back.href } });
  }

  #tokens(form: URLSearchParams): Response {
    const isGranted = form.get("grant_type") === "refresh_token"
      // A token is taken once; the next one comes with the answer.
      ? this.#refresh.delete(form.get("refresh_token") ?? "")
      : this.#isProven(form);
    if (!isGranted) {
      const description = "The grant is void";
      return Response.json({ error: "invalid_grant", error_description: description }, {
        status: 400,
      });
    }
    return Response.json({ ...this.makeTokens(), expires_in: this.#lifeS });
  }

  #isProven(form: URLSearchParams): boolean {
    const challenge = this.#challenges.get(form.get("code") ?? "");
    const verifier = form.get("code_verifier") ?? "";
    return createHash("sha256").update(verifier).digest("base64url") === challenge;
  }

  #device(): Response {
    const { deviceAnswers: answers = ["granted"] } = this.#options;
    const answer = answers[Math.min(this.#polls++, answers.length - 1)] ?? "granted";
    return Response.json(
      answer === "granted" ? { access_token: "github-secret" } : { error: answer },
    );
  }

  #copilot(request: Request): Response {
    if (request.headers.get("authorization") !== "token github-secret") {
      return Response.json({ message: "Bad credentials" }, { status: 401 });
    }
    if (this.tokenStatus !== 200) return Response.json({}, { status: this.tokenStatus });
    const token = `copilot-secret-${++this.#made}`;
    this.access.add(token);
    const { copilotApi } = this.#options;
    const endpoints: JsonObject = copilotApi === undefined ? {} : { api: copilotApi };
    return Response.json({
      token,
      expires_at: Math.floor(this.#options.now() / 1_000) + this.#lifeS,
      refresh_in: this.#lifeS - 300,
      endpoints,
    });
  }

  get #lifeS(): number {
    return this.#options.lifeS ?? 3_600;
  }

  #jwt(): string {
    const claims = {
      exp: Math.floor(this.#options.now() / 1_000) + this.#lifeS,
      jti: ++this.#made,
      "https://api.openai.com/auth": { chatgpt_account_id: "account-1" },
    };
    const part = (value: object) =>
      new TextEncoder().encode(JSON.stringify(value)).toBase64({
        alphabet: "base64url",
        omitPadding: true,
      });
    return `${part({ alg: "none" })}.${part(claims)}.access-secret`;
  }
}
