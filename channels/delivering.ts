/**
 * How a channel delivers, whatever its platform: what it shows, what it settles, and what a failure
 * means to the outbox.
 * @module
 */

import { LinkedSignal } from "../actors/kernel/linked_signal.ts";
import {
  type Delivery,
  DeliveryError,
  type DeliveryFailure,
  type DeliveryReceipt,
  type LookUp,
  type Settled,
} from "./channel.ts";

/** What a platform's part of delivering does; each may throw whatever the platform fails with. */
export interface DeliveringOptions {
  /** Aborts when the channel must stop. */
  readonly signal: AbortSignal;
  /** Shows answers while they grow. */
  readonly isStreaming: boolean;
  /** Shows a delivery that grows. @returns the ids of its messages */
  readonly grow: (delivery: Delivery, signal: AbortSignal) => Promise<readonly string[]>;
  /** Shows a final delivery. @returns the ids of its messages */
  readonly finish: (delivery: Delivery, signal: AbortSignal) => Promise<readonly string[]>;
  /** Shows at the messages that were answered how that ended. */
  readonly settle: (settles: readonly Settled[], signal: AbortSignal) => Promise<void>;
  /** A final delivery is given up for good. @default nothing is to be done */
  readonly forget?: (delivery: Delivery) => void;
  /** The failure as the outbox understands it. */
  readonly errorOf: (error: unknown) => DeliveryError;
}

/** Delivers for one channel. */
export class Delivering {
  readonly #options: DeliveringOptions;

  constructor(options: DeliveringOptions) {
    this.#options = options;
  }

  /** As {@link Channel.deliver}. @throws {DeliveryError} */
  async deliver(delivery: Delivery, signal: AbortSignal): Promise<DeliveryReceipt> {
    const { isStreaming, grow, finish, settle, errorOf } = this.#options;
    using linked = new LinkedSignal(signal, this.#options.signal);
    try {
      if (delivery.phase === "growing") {
        return { messageIds: isStreaming ? await grow(delivery, linked.signal) : [] };
      }
      const messageIds = await finish(delivery, linked.signal);
      await settle(delivery.settles, linked.signal);
      return { messageIds };
    } catch (error) {
      const failure = errorOf(error);
      if (failure.code === "delivery_permanent") await this.#giveUp(delivery, linked.signal);
      throw failure;
    }
  }

  /** As {@link Channel.lookUp}, by `look`: what has arrived is settled. @throws {DeliveryError} */
  async lookUp(
    delivery: Delivery,
    signal: AbortSignal,
    look: (signal: AbortSignal) => Promise<LookUp>,
  ): Promise<LookUp> {
    const { settle, errorOf } = this.#options;
    using linked = new LinkedSignal(signal, this.#options.signal);
    try {
      const found = await look(linked.signal);
      if (found === "arrived") await settle(delivery.settles, linked.signal);
      return found;
    } catch (error) {
      throw errorOf(error);
    }
  }

  /** The sender sees that nothing goes on any more, though the answer could not be shown. */
  async #giveUp(delivery: Delivery, signal: AbortSignal): Promise<void> {
    if (delivery.phase !== "final") return;
    const { forget, settle } = this.#options;
    forget?.(delivery);
    const failed = delivery.settles.map((settled): Settled => ({ ...settled, outcome: "failed" }));
    await settle(failed, signal);
  }
}

/** What a platform's failure means to the outbox. */
export interface FailureMeaning {
  readonly code: DeliveryFailure;
  /** The wait the platform asked for. @default none */
  readonly retryAfterMs?: number | undefined;
}

/** What V8 says of it: at the next try it would be the same, and keep all that waits behind it. */
const STACK_OVERFLOW = /call stack/;

/** A platform's failure as the outbox understands it; one that is understood stays as it is. */
export function asDeliveryError(
  error: unknown,
  meaningOf: (error: unknown) => FailureMeaning,
): DeliveryError {
  if (error instanceof DeliveryError) return error;
  if (error instanceof RangeError && STACK_OVERFLOW.test(error.message)) {
    const message = "Cannot lay the message out: it is nested too deeply";
    return new DeliveryError("delivery_permanent", message, { cause: error });
  }
  const message = error instanceof Error ? error.message : String(error);
  const { code, retryAfterMs } = meaningOf(error);
  return new DeliveryError(code, message, { cause: error, retryAfterMs });
}
