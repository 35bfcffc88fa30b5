/**
 * The control door: through it, commands on this machine reach the running gateway.
 * @module
 */

import { getLogger } from "@logtape/logtape";
import type { Clock } from "../kernel/clock.ts";
import { asError, GatewayError } from "../kernel/errors.ts";
import { isSameSecret } from "../kernel/same_secret.ts";
import {
  type Answer,
  complaint,
  CONTROL_VERSION,
  type ControlConnection,
  type ControlListener,
  openingSchema,
  REQUEST_BYTES_MAX,
} from "./control.ts";
import { ControlError } from "./control_errors.ts";
import type { ControlHandler } from "./control_handler.ts";
import { LineCutter, parseLine } from "./control_lines.ts";
import { Outlet } from "./control_outlet.ts";

const logger = getLogger(["troupe", "gateway", "control"]);

/** Clients at once; each costs a socket and little else. */
const CLIENTS_MAX = 256;
/** A client says what it wants within this, or is cut off. */
const OPENING_TIMEOUT_MS = 5_000;
/** Last words to clients when the gateway stops. */
const FAREWELL_MS = 1_000;

/** What a door is made of. */
export interface ControlDoorOptions {
  readonly listener: ControlListener;
  readonly handlers: readonly ControlHandler[];
  readonly clock: Clock;
  /** Of the program, for clients of another one. */
  readonly version: string;
}

/** An open door; disposing of it says goodbye to all clients. */
export class ControlDoor implements AsyncDisposable {
  readonly #options: ControlDoorOptions;
  readonly #table: ReadonlyMap<string, ControlHandler>;
  readonly #served = new Map<ServedConnection, Promise<void>>();
  readonly #accepting: Promise<void>;

  /** Serves whatever comes in from now on. */
  constructor(options: ControlDoorOptions) {
    this.#options = options;
    this.#table = new Map(options.handlers.map((handler) => [handler.name, handler]));
    this.#accepting = this.#accept();
  }

  /** Where it is, for people. */
  get place(): string {
    return this.#options.listener.place;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#options.listener[Symbol.asyncDispose]();
    await this.#accepting;
    for (const served of this.#served.keys()) served.dismiss();
    await Promise.all(this.#served.values());
  }

  async #accept(): Promise<void> {
    for await (const connection of this.#options.listener.connections) {
      const { listener, clock, version } = this.#options;
      const isFull = this.#served.size >= CLIENTS_MAX;
      const served = new ServedConnection(connection, {
        find: (name) => this.#table.get(name),
        token: listener.token,
        clock,
        version,
        refusal: isFull ? "too many clients are connected, try again later" : null,
      });
      this.#served.set(served, served.run().finally(() => this.#served.delete(served)));
    }
  }
}

interface ServingOptions {
  readonly find: (name: string) => ControlHandler | undefined;
  readonly token: string | null;
  readonly clock: Clock;
  readonly version: string;
  /** Why nothing is answered, if so. */
  readonly refusal: string | null;
}

/** One client and its one request. */
class ServedConnection {
  readonly #connection: ControlConnection;
  readonly #options: ServingOptions;
  readonly #ending = new AbortController();
  readonly #outlet: Outlet;

  constructor(connection: ControlConnection, options: ServingOptions) {
    this.#connection = connection;
    this.#options = options;
    this.#outlet = new Outlet(connection, options.clock, (reason) => {
      logger.debug("Cut a client of the control door off: {reason}", { reason });
      this.#ending.abort();
    });
  }

  /** Serves to the end; never rejects. */
  async run(): Promise<void> {
    try {
      this.#outlet.push({ result: await this.#serve() ?? null });
    } catch (error) {
      this.#outlet.push({ error: wordsFor(asError(error)) });
    }
    await this.#outlet.flushed();
    this.#connection.close();
    this.#ending.abort();
  }

  /** The gateway stops: a last word, then the end, whoever is listening. */
  dismiss(): void {
    const message = "Cannot go on: the gateway is stopping";
    this.#outlet.push({ error: { code: "control_lost", message } });
    const limit = this.#options.clock.setTimer(FAREWELL_MS, () => this.#connection.close());
    void this.#outlet.flushed().then(() => {
      limit.cancel();
      this.#connection.close();
      this.#ending.abort();
    });
  }

  async #serve(): Promise<unknown> {
    const values = this.#values();
    const { handler, params } = await this.#opening(values);
    const work = handler.answer(params, {
      emit: (event, mergeKey) => this.#outlet.push({ event }, mergeKey),
      inputs: values,
      signal: this.#ending.signal,
    });
    return await this.#inTime(work, handler.timeoutMs);
  }

  /** The request. Nothing keeps the connection of who does not say what it wants. */
  async #opening(values: AsyncIterator<unknown>) {
    const { clock, find, token, version, refusal } = this.#options;
    const limit = clock.setTimer(OPENING_TIMEOUT_MS, () => this.#connection.close());
    const first = await values.next().finally(() => limit.cancel());
    if (first.done) throw new ControlError("control_lost", "Cannot answer: nothing was asked");
    if (refusal !== null) throw new ControlError("control_refused", `Cannot answer: ${refusal}`);
    const opening = openingSchema.safeParse(first.value);
    if (!opening.success) {
      const text = `Cannot read a request: ${complaint(opening.error)}`;
      throw new ControlError("control_garbled", text);
    }
    const { v, request, params } = opening.data;
    if (token !== null && !isSameSecret(opening.data.token ?? "", token)) {
      throw new ControlError("control_refused", "Cannot answer: the token is wrong");
    }
    const handler = v === CONTROL_VERSION ? find(request) : undefined;
    if (handler === undefined) {
      const text = `Cannot answer "${request}": the gateway runs version ${version}, ` +
        `which does not know it; use the same version for both`;
      throw new ControlError("control_unknown", text);
    }
    return { handler, params };
  }

  async *#values(): AsyncGenerator<unknown, void, void> {
    const cutter = new LineCutter(REQUEST_BYTES_MAX);
    for await (const chunk of this.#connection.bytes) {
      for (const line of cutter.push(chunk)) yield parseLine(line);
    }
  }

  /** Whoever works on the answer may go on; nobody waits for it longer than this. */
  async #inTime<T>(work: Promise<T>, timeoutMs: number | null): Promise<T> {
    const { promise: over, reject } = Promise.withResolvers<never>();
    const { signal } = this.#ending;
    const lose = () => reject(new ControlError("control_lost", "Cannot answer: nobody listens"));
    signal.addEventListener("abort", lose, { once: true });
    const limit = timeoutMs === null ? undefined : this.#options.clock.setTimer(timeoutMs, () => {
      reject(new ControlError("control_timeout", `Cannot answer within ${timeoutMs} ms`));
      this.#ending.abort();
    });
    try {
      return await Promise.race([work, over]);
    } finally {
      limit?.cancel();
      signal.removeEventListener("abort", lose);
    }
  }
}

function wordsFor(error: Error): Extract<Answer, { error: unknown }>["error"] {
  if (error instanceof ControlError) return { code: error.code, message: error.message };
  if (!(error instanceof GatewayError)) logger.error("Cannot answer a request: {error}", { error });
  return { code: "control_refused", message: error.message };
}
