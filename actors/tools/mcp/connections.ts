/**
 * The connections of one server: made within a time limit, and ended, each of them, whatever
 * happens meanwhile.
 * @module
 */

import { getLogger } from "@logtape/logtape";
import { untilAborted } from "../../kernel/aborting.ts";
import type { Clock } from "../../kernel/clock.ts";
import { Deadline } from "../../kernel/deadline.ts";
import { asError } from "../../kernel/errors.ts";
import { type ConnectMcp, type McpConnection, McpError, type McpListener } from "./connection.ts";
import type { McpListing } from "./wire.ts";

const logger = getLogger(["troupe", "tools", "mcp"]);

/** Starting, answering and listing; a program that is fetched first needs a while. */
export const CONNECT_MS = 60_000;

/** A connection, and what its server offers. */
export interface Connected {
  readonly connection: McpConnection;
  readonly listing: McpListing;
}

/** Makes and ends connections. */
export class Connections implements AsyncDisposable {
  readonly #connect: ConnectMcp;
  readonly #clock: Clock;
  readonly #open = new Set<McpConnection>();

  constructor(connect: ConnectMcp, clock: Clock) {
    this.#connect = connect;
    this.#clock = clock;
  }

  /**
   * Connects and lists.
   *
   * @throws {McpError} or the signal's reason
   */
  async open(listener: McpListener, signal: AbortSignal): Promise<Connected> {
    return await this.#inTime("it did not answer", signal, async (signal) => {
      const connecting = this.#connect(listener, signal)
        .then((connection) => this.#keep(connection, signal));
      const connection = await untilAborted(connecting, signal);
      try {
        return { connection, listing: await untilAborted(connection.list(signal), signal) };
      } catch (error) {
        void this.dispose(connection);
        throw error;
      }
    });
  }

  /**
   * Lists anew.
   *
   * @throws {McpError} or the signal's reason
   */
  async list(connection: McpConnection, signal: AbortSignal): Promise<McpListing> {
    return await this.#inTime(
      "it did not list what it offers",
      signal,
      (signal) => untilAborted(connection.list(signal), signal),
    );
  }

  /** Ends one; what goes wrong is logged. */
  async dispose(connection: McpConnection): Promise<void> {
    try {
      await connection[Symbol.asyncDispose]();
    } catch (error) {
      logger.warn("Cannot end {product} well: {reason}", {
        product: connection.product,
        reason: asError(error).message,
      });
    } finally {
      this.#open.delete(connection);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#open].map((connection) => this.dispose(connection)));
  }

  /** What comes too late is ended at once. */
  async #keep(connection: McpConnection, signal: AbortSignal): Promise<McpConnection> {
    this.#open.add(connection);
    if (signal.aborted) await this.dispose(connection);
    return connection;
  }

  async #inTime<T>(
    failure: string,
    ended: AbortSignal,
    work: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    using deadline = new Deadline(this.#clock, CONNECT_MS, {
      signal: ended,
      makeReason: () => new McpError("mcp_timed_out", `${failure} within ${CONNECT_MS / 1_000} s`),
    });
    return await work(deadline.signal);
  }
}
