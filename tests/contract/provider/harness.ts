/**
 * What the parts of the provider contract are written with.
 * @module
 */

import type { ChatEvent, ChatRequest, Provider } from "../../../providers/provider.ts";
import {
  type ModelReply,
  ModelServer,
  type RecordedRequest,
} from "../../simulators/model_server.ts";
import { askAll, chatRequest } from "../../support/chat.ts";
import { ManualClock } from "../../support/manual_clock.ts";

/** A backend that is connected to the simulated model at `baseUrl`. */
export interface ConnectedBackend extends AsyncDisposable {
  readonly provider: Provider;
  /** What must never stand in an error: keys, tokens, headers of the user's. */
  readonly secrets: readonly string[];
}

/** Connects a backend; the model listens at `server`. */
export type ConnectBackend = (server: ModelServer, clock: ManualClock) => Promise<ConnectedBackend>;

/** Silence after which the backends under test give up. */
export { STALL_MS } from "../../support/providers.ts";

/** A signal that never aborts. */
export const NEVER: AbortSignal = new AbortController().signal;

/** What a test is given. */
export class World {
  readonly server: ModelServer;
  readonly clock: ManualClock;
  readonly provider: Provider;
  readonly secrets: readonly string[];

  constructor(server: ModelServer, clock: ManualClock, backend: ConnectedBackend) {
    this.server = server;
    this.clock = clock;
    this.provider = backend.provider;
    this.secrets = backend.secrets;
  }

  /** All events of one call that is answered with `reply`. */
  answer(reply: ModelReply, changes: Partial<ChatRequest> = {}): Promise<ChatEvent[]> {
    this.server.push(reply);
    return askAll(this.provider, changes);
  }

  /** Asks and fills `seen` while events come. */
  async read(seen: ChatEvent[], signal: AbortSignal = NEVER): Promise<void> {
    for await (const event of this.provider.chat(chatRequest(), signal)) seen.push(event);
  }

  /** The newest request as JSON text. */
  get sent(): string {
    return JSON.stringify(this.server.requests.at(-1)?.body);
  }

  /** The newest request. */
  get lastRequest(): RecordedRequest | undefined {
    return this.server.requests.at(-1);
  }
}

/** Registers tests for one backend. */
export class Contract {
  readonly #name: string;
  readonly #connect: ConnectBackend;

  constructor(name: string, connect: ConnectBackend) {
    this.#name = name;
    this.#connect = connect;
  }

  /** Registers a test on a fresh backend and a model without a script. */
  test(behaviour: string, body: (world: World) => Promise<void>): void {
    Deno.test(`${this.#name} ${behaviour}`, async () => {
      await using server = await ModelServer.start();
      const clock = new ManualClock();
      await using backend = await this.#connect(server, clock);
      await body(new World(server, clock, backend));
    });
  }
}
