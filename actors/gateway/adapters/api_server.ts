/**
 * The API's server.
 * @module
 */

import { baseUrl, type HttpListener, listenHttp, type ListenPlace } from "./http_listener.ts";

/** Answers that are under way when the gateway stops have this long; their turns have ended. */
const CLOSE_MS = 2_000;

/** Serves requests until it is disposed of. */
export class ApiServer implements AsyncDisposable {
  readonly #listener: HttpListener;

  /** @throws {StartError} when the port is taken, or the host is no address of this machine */
  constructor(
    place: Omit<ListenPlace, "section">,
    answer: (request: Request) => Promise<Response>,
  ) {
    this.#listener = listenHttp({ ...place, section: "api" }, answer);
  }

  /** What clients call the base URL. */
  get url(): string {
    return `${baseUrl(this.#listener)}/v1`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // Whoever never reads their answer holds nobody up.
    const { promise: late, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, CLOSE_MS);
    await Promise.race([this.#listener.shutdown(), late]);
    clearTimeout(timer);
  }
}
