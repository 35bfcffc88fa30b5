/**
 * The official SDK behind the channel's own seam. Nothing else knows it; it is loaded at first use.
 * @module
 */

import type * as Lark from "@larksuiteoapi/node-sdk";
import type { Clock } from "../../../actors/kernel/clock.ts";
import { FeishuUnreachableError, hasCode, TOKEN_CODES } from "../errors.ts";
import type {
  ConnectionEnd,
  ConnectionHandlers,
  FeishuLink,
  FeishuRequest,
  TakeFile,
} from "../link.ts";
import { fetchSender, httpInstanceOf, type SendHttp } from "./http.ts";
import { LongConnection } from "./long_connection.ts";
import { sdkLogger } from "./sdk_logger.ts";
import { TokenCache } from "./token_cache.ts";

/** What a link needs to know. */
export interface SdkLinkOptions {
  readonly appId: string;
  readonly appSecret: string;
  /** Without a slash at its end. */
  readonly baseUrl: string;
  readonly encryptKey: string;
  readonly verificationToken: string;
  /** Tells when a token ends. */
  readonly clock: Pick<Clock, "now">;
  /** Ends every call and connection. */
  readonly signal: AbortSignal;
  /** No call may take longer. @default as long as each asks for, usually 15 seconds */
  readonly timeoutMsMax?: number;
}

/** Loads the SDK and makes a link to the platform with it; nothing is sent yet. */
export async function openSdkLink(options: SdkLinkOptions): Promise<FeishuLink> {
  const sdk = await import("@larksuiteoapi/node-sdk");
  return new SdkLink(sdk, options);
}

class SdkLink implements FeishuLink {
  readonly #sdk: typeof Lark;
  readonly #options: SdkLinkOptions;
  readonly #client: Lark.Client;
  readonly #logger: Lark.Logger;
  readonly #send: SendHttp;
  readonly #tokens: TokenCache;

  constructor(sdk: typeof Lark, options: SdkLinkOptions) {
    const { appId, appSecret, baseUrl, encryptKey, verificationToken, signal } = options;
    this.#sdk = sdk;
    this.#options = options;
    this.#tokens = new TokenCache(options.clock);
    this.#logger = sdkLogger([appSecret, encryptKey, verificationToken]);
    this.#send = fetchSender(signal, options.timeoutMsMax);
    this.#client = new sdk.Client({
      appId,
      appSecret,
      domain: baseUrl,
      logger: this.#logger,
      loggerLevel: sdk.LoggerLevel.warn,
      cache: this.#tokens,
      httpInstance: httpInstanceOf(this.#send),
    });
  }

  async request(
    request: FeishuRequest,
    signal: AbortSignal,
    takeFile?: TakeFile<unknown>,
  ): Promise<unknown> {
    return await this.#tokens.withToken(() => this.#requestOnce(request, signal, takeFile), {
      signal,
      isRefusal: (error) => hasCode(error, TOKEN_CODES),
    });
  }

  async download<T>(
    request: FeishuRequest,
    take: TakeFile<T>,
    signal: AbortSignal,
  ): Promise<T> {
    const { promise, resolve } = Promise.withResolvers<T>();
    let isTaken = false;
    await this.request(request, signal, async (file) => {
      const taken = await take(file);
      isTaken = true;
      resolve(taken);
    });
    if (isTaken) return await promise;
    const action = `call ${request.method} ${request.path}`;
    throw new FeishuUnreachableError(action, "the answer is no file");
  }

  connect(handlers: ConnectionHandlers, signal: AbortSignal): Promise<ConnectionEnd> {
    const connection = new LongConnection({
      ...this.#options,
      sdk: this.#sdk,
      logger: this.#logger,
      send: this.#send,
    }, handlers);
    return connection.run(signal);
  }

  async #requestOnce(
    request: FeishuRequest,
    signal: AbortSignal,
    takeFile: TakeFile<unknown> | undefined,
  ): Promise<unknown> {
    signal.throwIfAborted();
    const { method, path, query, body, form, timeoutMs } = request;
    // The SDK hands unknown keys on to its HTTP client, which is ours.
    const config = {
      method,
      url: path,
      signal,
      ...(query !== undefined && { params: query }),
      ...(body !== undefined && { data: body }),
      ...(form !== undefined && { form }),
      ...(timeoutMs !== undefined && { timeout: timeoutMs }),
      ...(takeFile !== undefined && { takeFile }),
    };
    return await this.#client.request<unknown>(config);
  }
}
