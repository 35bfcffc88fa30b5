/**
 * An MCP server over HTTP on this machine: streamable at `/mcp`, with server-sent events at `/sse`,
 * lying where it is told to, and with a sign-in of its own where that is wanted.
 * @module
 */

import { z } from "zod";
import { answersOf } from "../fixtures/mcp/lies.ts";

const encoder = new TextEncoder();
const JSON_TYPE = { "content-type": "application/json" };

/** How the server is. */
export interface McpHttpOptions {
  /** @default "none" */
  readonly lie?: string;
  /** Nobody is let in without a token of its sign-in. @default false */
  readonly wantsSignIn?: boolean;
  /** Only with this header. */
  readonly header?: readonly [name: string, value: string];
  /** @default any that is free */
  readonly port?: number;
}

/** A running server. */
export class McpHttpServer implements AsyncDisposable {
  readonly #options: McpHttpOptions;
  readonly #server: Deno.HttpServer<Deno.NetAddr>;
  readonly #sessions = new Set<string>();
  readonly #streams = new Map<string, ReadableStreamDefaultController<Uint8Array>>();
  readonly #codes = new Map<string, string>();
  /** Tokens that are good now. */
  readonly tokens: Set<string> = new Set();
  /** Methods and paths, as they came. */
  readonly requests: string[] = [];
  #issued = 0;

  constructor(options: McpHttpOptions = {}) {
    this.#options = options;
    const { port = 0 } = options;
    this.#server = Deno.serve({ hostname: "127.0.0.1", port, onListen: () => {} }, (request) => {
      const { pathname } = new URL(request.url);
      this.requests.push(`${request.method} ${pathname}`);
      return this.#answer(request, pathname);
    });
  }

  get origin(): string {
    return `http://127.0.0.1:${this.#server.addr.port}`;
  }

  get port(): number {
    return this.#server.addr.port;
  }

  /** As after a restart: sessions are not known any more, streams end. */
  forget(): void {
    this.#sessions.clear();
    for (const controller of this.#streams.values()) controller.close();
    this.#streams.clear();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.forget();
    await this.#server.shutdown();
  }

  async #answer(request: Request, path: string): Promise<Response> {
    if (path.startsWith("/.well-known/")) return this.#metadata(path);
    switch (path) {
      case "/register":
        return Response.json({ ...await request.json(), client_id: "client-1" }, { status: 201 });
      case "/authorize":
        return this.#authorize(new URL(request.url).searchParams);
      case "/token":
        return this.#token(new URLSearchParams(await request.text()));
      case "/away":
        return Response.redirect("http://10.1.2.3/mcp");
    }
    const refusal = this.#refusal(request);
    if (refusal !== undefined) return refusal;
    if (path === "/mcp") return await this.#streamable(request);
    if (path === "/sse") return this.#openStream();
    if (path === "/messages") return await this.#posted(request);
    return new Response("<html>not here</html>", { status: 404 });
  }

  #refusal(request: Request): Response | undefined {
    const { wantsSignIn = false, header } = this.#options;
    if (header !== undefined && request.headers.get(header[0]) !== header[1]) {
      return new Response("no", { status: 403 });
    }
    const token = request.headers.get("authorization")?.replace("Bearer ", "") ?? "";
    if (!wantsSignIn || this.tokens.has(token)) return undefined;
    const where = `${this.origin}/.well-known/oauth-protected-resource`;
    const headers = { "www-authenticate": `Bearer resource_metadata="${where}"` };
    return new Response("sign in", { status: 401, headers });
  }

  async #streamable(request: Request): Promise<Response> {
    if (request.method === "DELETE") return new Response(null, { status: 200 });
    if (request.method !== "POST") return new Response(null, { status: 405 });
    const message = z.looseObject({ method: z.string().optional() }).parse(await request.json());
    const isFirst = message.method === "initialize";
    const session = isFirst ? crypto.randomUUID() : request.headers.get("mcp-session-id") ?? "";
    if (isFirst) this.#sessions.add(session);
    if (!this.#sessions.has(session)) return new Response("no session", { status: 404 });
    const { lie = "none" } = this.#options;
    if (lie === "server_error" && !isFirst) return new Response("<h1>Oops</h1>", { status: 500 });
    if (lie === "html") {
      return new Response("<h1>Hi</h1>", { headers: { "content-type": "text/html" } });
    }
    if (lie === "bad_gzip" && message.method === "tools/call") {
      return new Response("no gzip", { headers: { ...JSON_TYPE, "content-encoding": "gzip" } });
    }
    const answers = await Array.fromAsync(answersOf(lie, message));
    const headers = { "mcp-session-id": session };
    const [only, ...more] = answers;
    if (only === undefined) return new Response(null, { status: 202, headers });
    if (more.length === 0) return Response.json(only, { headers });
    const text = answers.map((answer) => `data: ${JSON.stringify(answer)}\n\n`).join("");
    return new Response(text, { headers: { ...headers, "content-type": "text/event-stream" } });
  }

  #openStream(): Response {
    const id = crypto.randomUUID();
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        this.#streams.set(id, controller);
        controller.enqueue(encoder.encode(`event: endpoint\ndata: /messages?id=${id}\n\n`));
      },
      cancel: () => void this.#streams.delete(id),
    });
    return new Response(body, { headers: { "content-type": "text/event-stream" } });
  }

  async #posted(request: Request): Promise<Response> {
    const controller = this.#streams.get(new URL(request.url).searchParams.get("id") ?? "");
    if (controller === undefined) return new Response("no stream", { status: 404 });
    for await (const answer of answersOf(this.#options.lie ?? "none", await request.json())) {
      controller.enqueue(encoder.encode(`data: ${JSON.stringify(answer)}\n\n`));
    }
    return new Response(null, { status: 202 });
  }

  #metadata(path: string): Response {
    const { origin } = this;
    if (path.includes("protected-resource")) {
      return Response.json({ resource: `${origin}/mcp`, authorization_servers: [origin] });
    }
    return Response.json({
      issuer: origin,
      authorization_endpoint: `${origin}/authorize`,
      token_endpoint: `${origin}/token`,
      registration_endpoint: `${origin}/register`,
      response_types_supported: ["code"],
      grant_types_supported: ["authorization_code", "refresh_token"],
      code_challenge_methods_supported: ["S256"],
      token_endpoint_auth_methods_supported: ["none"],
    });
  }

  #authorize(asked: URLSearchParams): Response {
    const code = crypto.randomUUID();
    this.#codes.set(code, asked.get("code_challenge") ?? "");
    const back = new URL(asked.get("redirect_uri") ?? "");
    back.searchParams.set("code", code);
    back.searchParams.set("state", asked.get("state") ?? "");
    return Response.redirect(back);
  }

  #token(asked: URLSearchParams): Response {
    const isRenewal = asked.get("grant_type") === "refresh_token";
    const isGood = isRenewal
      ? asked.get("refresh_token") === `renew-${this.#issued}`
      : this.#codes.delete(asked.get("code") ?? "");
    if (!isGood) return Response.json({ error: "invalid_grant" }, { status: 400 });
    this.#issued++;
    const token = `token-${this.#issued}`;
    this.tokens.add(token);
    return Response.json({
      access_token: token,
      token_type: "Bearer",
      expires_in: 3_600,
      refresh_token: `renew-${this.#issued}`,
    });
  }
}
