/**
 * Waits for a browser that comes back from a sign-in page.
 * @module
 */

/** Where a browser comes back to. */
export interface LoopbackOptions {
  /** 0 takes any. */
  readonly port: number;
  readonly path: string;
  /** Whether these parameters answer what was asked; others are turned away. */
  readonly isAnswer: (parameters: URLSearchParams) => boolean;
}

const DONE_PAGE = "You are signed in. You can close this page and go back to the terminal.\n";
const WRONG_PAGE = "This page belongs to no sign-in that is going on.\n";

/** A server on this machine that takes one answer. */
export class Loopback implements AsyncDisposable {
  readonly #server: Deno.HttpServer<Deno.NetAddr>;
  readonly #answer = Promise.withResolvers<URLSearchParams>();

  /** @throws what the system says when the port is taken */
  constructor({ port, path, isAnswer }: LoopbackOptions) {
    const options = { hostname: "127.0.0.1", port, onListen: () => {} };
    this.#server = Deno.serve(options, (request) => {
      const { pathname, searchParams } = new URL(request.url);
      if (pathname !== path || !isAnswer(searchParams)) {
        return new Response(WRONG_PAGE, { status: 404 });
      }
      this.#answer.resolve(searchParams);
      return new Response(DONE_PAGE, { headers: { connection: "close" } });
    });
  }

  /** Where it listens. */
  get port(): number {
    return this.#server.addr.port;
  }

  /** The parameters that the browser brought. */
  get answer(): Promise<URLSearchParams> {
    return this.#answer.promise;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.shutdown();
  }
}
