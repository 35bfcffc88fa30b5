/**
 * The OpenAI-compatible API: requests in, answers of the assistant out.
 * @module
 */

import { getLogger } from "@logtape/logtape";
import { shortHash } from "../../../channels/short_hash.ts";
import type { ApiConfig } from "../../config/schema/servers.ts";
import { onAbort } from "../../kernel/aborting.ts";
import type { Clock } from "../../kernel/clock.ts";
import { asError } from "../../kernel/errors.ts";
import { invariant } from "../../kernel/invariant.ts";
import type { NewId } from "../../kernel/random.ts";
import { clientFrame } from "../../session/client_frame.ts";
import type { Exchange } from "../exchange/exchange.ts";
import type { ExchangeDesk } from "../exchange/exchange_desk.ts";
import { crossOriginHeaders, senderOf } from "./access.ts";
import { withFiles } from "./answer_text.ts";
import { ApiError } from "./api_error.ts";
import { readAskedTurn } from "./bodies.ts";
import type { AskedTurn, Upload } from "./chat_request.ts";
import { completion, type CompletionHead, failureOf } from "./completion.ts";
import { completionStream } from "./completion_stream.ts";
import { KnownAnswers, sessionKeyFor } from "./conversations.ts";

const logger = getLogger(["troupe", "gateway", "api"]);

const SESSION_HEADER = "x-session-id";
const IDEMPOTENCY_HEADER = "idempotency-key";
const ID_CHARS = 24;
/** What headers can carry. */
const PRINTABLE = /^[\x20-\x7e]*$/;

/** What the API is made of. */
export interface ApiOptions {
  readonly config: ApiConfig;
  /** The only one that can be asked for. */
  readonly model: () => string;
  /** All chats are one conversation. */
  readonly isUnified: () => boolean;
  readonly desk: Pick<ExchangeDesk, "open" | "history">;
  /** Keeps a file that came with the message `id`; gives its absolute path. */
  readonly keep: (upload: Upload, place: UploadPlace) => Promise<string>;
  /** Whether messages can be taken in. */
  readonly isWell: () => boolean;
  readonly clock: Clock;
  readonly newId: NewId;
}

/** Which file of which message. */
export interface UploadPlace {
  readonly id: string;
  /** From 0. */
  readonly index: number;
}

/** A request under way. */
interface Call {
  readonly request: Request;
  readonly sender: string;
  readonly id: string;
  readonly exchange: Exchange;
  readonly asked: AskedTurn;
  readonly sessionKey: string;
}

/** Answers requests. */
export class Api {
  readonly #options: ApiOptions;
  readonly #known: KnownAnswers;
  /** Requests under way; each holds a body, a turn and a connection. */
  #open = 0;

  constructor(options: ApiOptions) {
    this.#options = options;
    this.#known = new KnownAnswers((sessionKey) => options.desk.history(sessionKey));
  }

  /** Answers one; never rejects. */
  async answer(request: Request): Promise<Response> {
    const id = this.#options.newId().replaceAll("-", "").slice(0, ID_CHARS);
    const response = await this.#answer(request, id).catch((error: unknown) => refusal(error));
    response.headers.set("x-request-id", id);
    const crossOrigin = crossOriginHeaders(request, this.#options.config);
    for (const [name, value] of Object.entries(crossOrigin)) response.headers.set(name, value);
    return response;
  }

  async #answer(request: Request, id: string): Promise<Response> {
    const { config, isWell } = this.#options;
    const model = this.#options.model();
    const { method } = request;
    const path = new URL(request.url).pathname.replace(/(?<=.)\/+$/, "");
    if (path === "/health") return Response.json({ status: isWell() ? "ok" : "degraded" });
    if (method === "OPTIONS") return new Response(null, { status: 204 });
    const sender = senderOf(request, config);
    if (path === "/v1/models") {
      expectMethod(request, "GET");
      return Response.json({ object: "list", data: [modelBody(model)] });
    }
    if (path.startsWith("/v1/models/")) {
      expectMethod(request, "GET");
      const name = path.slice("/v1/models/".length);
      if (name !== model && name !== encodeURIComponent(model)) {
        const text = `There is no such model here: the model is "${model}"`;
        throw new ApiError("model_not_found", text, { status: 404 });
      }
      return Response.json(modelBody(model));
    }
    if (path !== "/v1/chat/completions") {
      throw new ApiError("not_found", `There is nothing at ${method} ${path}`, { status: 404 });
    }
    expectMethod(request, "POST");
    return await this.#complete(request, { sender, id });
  }

  async #complete(
    request: Request,
    { sender, id }: Pick<Call, "sender" | "id">,
  ): Promise<Response> {
    const leave = this.#enter();
    let isLeftOpen = false;
    try {
      const call = await this.#begin(request, { sender, id });
      isLeftOpen = call.asked.isStream;
      const response = isLeftOpen ? await this.#stream(call, leave) : await this.#whole(call);
      const name = call.sessionKey.slice(call.sessionKey.indexOf(":") + 1);
      if (PRINTABLE.test(name)) response.headers.set(SESSION_HEADER, name);
      return response;
    } finally {
      if (!isLeftOpen) leave();
    }
  }

  /** One more request is under way, until the function is called. */
  #enter(): () => void {
    const { maxConcurrentRequests } = this.#options.config;
    if (this.#open >= maxConcurrentRequests) {
      const text = `Too many requests at once: ${maxConcurrentRequests} is most ` +
        "(api.maxConcurrentRequests)";
      throw new ApiError("rate_limit_exceeded", text, {
        ...{ status: 429, type: "rate_limit_error", mayRepeat: true },
        headers: { "retry-after": "1" },
      });
    }
    this.#open++;
    let isIn = true;
    return () => {
      if (isIn) this.#open--;
      isIn = false;
    };
  }

  async #begin(request: Request, { sender, id }: Pick<Call, "sender" | "id">): Promise<Call> {
    const { model, isUnified, desk, keep, newId, clock } = this.#options;
    const asked = await readAskedTurn(request, { model: model(), clock });
    const session = request.headers.get(SESSION_HEADER) ?? asked.session;
    const sessionKey = sessionKeyFor({ sender, session }, isUnified());
    const { instructions, earlier } = asked.frame;
    const unknown = await this.#known.unknownPart(sessionKey, earlier);
    const repeated = request.headers.get(IDEMPOTENCY_HEADER)?.trim() ?? "";
    const messageId = repeated === "" ? undefined : `${sender}:${shortHash(repeated, 40)}`;
    const media = await Promise.all(
      asked.uploads.map((upload, index) => keep(upload, { id, index })),
    );
    if (request.signal.aborted) throw new ApiError("client_gone", "Nobody waits", { status: 499 });
    const exchange = desk.open({
      content: asked.content,
      sessionKey,
      senderId: sender,
      media,
      id: messageId,
      context: clientFrame({ instructions, earlier: unknown }),
    }, newId);
    return { request, sender, id, exchange, asked, sessionKey };
  }

  async #whole({ request, id, exchange, sessionKey }: Call): Promise<Response> {
    using limit = this.#limit(exchange);
    using _gone = onAbort(request.signal, () => exchange.stop());
    const said: string[] = [];
    for await (const event of exchange) {
      if (event.type === "failed") throw limit.cutOff() ?? failureOf(event);
      if (event.type === "message" || event.type === "finished") {
        said.push(withFiles(event.text, event.media));
      }
      if (event.type !== "finished") continue;
      this.#known.note(sessionKey, event.text);
      const content = said.filter((text) => text !== "").join("\n\n");
      return Response.json(completion(this.#head(id), content, event));
    }
    invariant(false, "an exchange has an end");
  }

  /** What is refused is refused by its status; after that the stream itself tells. */
  async #stream(
    { request, id, exchange, asked, sessionKey }: Call,
    leave: () => void,
  ): Promise<Response> {
    using beginning = new DisposableStack();
    beginning.defer(leave);
    const limit = beginning.use(this.#limit(exchange));
    beginning.use(onAbort(request.signal, () => exchange.stop()));
    const events = exchange[Symbol.asyncIterator]();
    const { value: first } = await events.next();
    if (first?.type === "failed") throw failureOf(first);
    const held = beginning.move();
    void exchange.end.then((end) => {
      if (end.type === "finished") this.#known.note(sessionKey, end.text);
    });
    const body = completionStream({
      ...{ head: this.#head(id), events, exchange, wantsUsage: asked.wantsUsage },
      clock: this.#options.clock,
      cutOff: () => limit.cutOff(),
      onEnd: () => held.dispose(),
    });
    return new Response(body, {
      headers: {
        "content-type": "text/event-stream; charset=utf-8",
        "cache-control": "no-cache, no-transform",
        "x-accel-buffering": "no", // a proxy must pass on what comes as it comes
      },
    });
  }

  /** Stops an exchange that takes too long. */
  #limit(exchange: Exchange): Disposable & { readonly cutOff: () => ApiError | undefined } {
    const { clock, config: { timeout } } = this.#options;
    let error: ApiError | undefined;
    const timer = clock.setTimer(timeout * 1_000, () => {
      const text =
        `There was no answer within ${timeout} s (api.timeout), and the work was stopped`;
      error = new ApiError("timeout", text, { status: 504, type: "server_error" });
      exchange.stop();
    });
    return { cutOff: () => error, [Symbol.dispose]: () => timer.cancel() };
  }

  #head(id: string): CompletionHead {
    const { clock, model } = this.#options;
    const created = Math.floor(clock.now() / 1_000);
    return { id: `chatcmpl-${id}`, created, model: model() };
  }
}

function modelBody(id: string): Record<string, unknown> {
  return { id, object: "model", created: 0, owned_by: "troupe" };
}

function expectMethod({ method, url }: Request, expected: "GET" | "POST"): void {
  if (method === expected || (method === "HEAD" && expected === "GET")) return;
  const text = `${new URL(url).pathname} takes ${expected} only`;
  throw new ApiError("method_not_allowed", text, { status: 405, headers: { allow: expected } });
}

/** Nothing of what broke inside is told outside. */
function refusal(thrown: unknown): Response {
  if (thrown instanceof ApiError) return thrown.response();
  const error = asError(thrown);
  logger.error("Cannot answer a request: {reason}", { reason: error.message, error });
  const text = "Something went wrong inside; the log says more";
  return new ApiError("internal", text, { status: 500, type: "server_error" }).response();
}
