/**
 * One end of the port between an actor system and a Worker: order, credit, asks. Both ends are alike.
 * @module
 */

import { ReplyPort } from "./ask.ts";
import { offer } from "./cell.ts";
import type { Clock, Timer } from "./clock.ts";
import { asError, AskError, GatewayError } from "./errors.ts";
import { invariant } from "./invariant.ts";
import type { ActorRef, ReplyTo } from "./ref.ts";
import {
  type Cargo,
  decodeError,
  encodeError,
  type Envelope,
  isRecord,
  parseEnvelope,
  type Signal,
} from "./worker_envelope.ts";

/**
 * Messages that may be under way in one direction. Enough to keep a port busy (a round trip takes
 * 40 us), small enough to hold in memory on either side.
 */
export const CREDIT_MAX = 1_024;
/** Acknowledgements per window: few messages, and the window is never empty for long. */
const ACKS_PER_WINDOW = 4;
/** Pause before a full mailbox is tried again. */
const RETRY_MS = 5;
/** Open asks beyond which those that have ended are swept out. */
const SWEEP_MIN = 1_024;

/** A port that carries structured clones, in order, or loses all after the other end is gone. */
export interface LinkPort {
  /** @throws {DOMException} when the envelope cannot be cloned */
  post(envelope: Envelope): void;
  /** Starts to receive; what came earlier has waited. */
  listen(onData: (data: unknown) => void): void;
  close(): void;
}

/** The two ends do not speak the same protocol. */
export class LinkProtocolError extends GatewayError {
  override readonly name = "LinkProtocolError";
  readonly code = "link_protocol";
  readonly recovery = "restart";
}

/** What a link needs. */
export interface WorkerLinkOptions<In> {
  readonly port: LinkPort;
  readonly clock: Clock;
  /** Who gets the messages. While its mailbox is full, they wait here, unacknowledged. */
  readonly target: () => ActorRef<In>;
  /** Turns what came over the port into a message. @throws what is wrong with it */
  readonly parse: (body: unknown) => In;
  /** Something came from the other end, whatever it is. */
  readonly onArrival?: () => void;
  /** There is credit again. */
  readonly onCredit: () => void;
  /** Told of all signals; `stop` comes after the messages sent before it have been delivered. */
  readonly onSignal: (signal: Signal) => void;
  /** The other end broke the protocol; the link is of no use any more. */
  readonly onBroken: (error: Error) => void;
}

/** Something that waits for the target: a message, or a signal that must not overtake any. */
type Inbound<In> =
  | { readonly type: "message"; readonly message: In; readonly ask: number | undefined }
  | { readonly type: "signal"; readonly signal: Signal };

/** Sends `Out` and receives `In` over one port. */
export class WorkerLink<Out, In> {
  readonly #options: WorkerLinkOptions<In>;
  readonly #creditMax: number;
  readonly #openAsks = new Map<number, ReplyTo<unknown>>();
  readonly #inbound: Inbound<In>[] = [];
  #sweepAt = SWEEP_MIN;
  #asks = 0;
  #sent = 0;
  #sentAcknowledged = 0;
  #received = 0;
  #delivered = 0;
  #deliveredAcknowledged = 0;
  #retry: Timer | undefined;
  #isClosed = false;

  /** @param creditMax messages under way in one direction; the same at both ends */
  constructor(options: WorkerLinkOptions<In>, creditMax: number = CREDIT_MAX) {
    invariant(creditMax >= ACKS_PER_WINDOW, "a window is acknowledged in parts");
    this.#options = options;
    this.#creditMax = creditMax;
  }

  /** One more message may be sent. */
  get hasCredit(): boolean {
    return this.unacknowledged < this.#creditMax;
  }

  /** Messages sent of which the other end has not said that they reached its mailbox. */
  get unacknowledged(): number {
    return this.#sent - this.#sentAcknowledged;
  }

  /** Asks sent and, as far as is known, not ended. */
  get openAsks(): number {
    return this.#openAsks.size;
  }

  /** Starts to receive. */
  open(): void {
    this.#options.port.listen((data) => this.#receive(data));
  }

  /**
   * Sends a message; only with credit. One with a `replyTo` goes as an ask: its reply port stays
   * here, and the other end makes one that answers over the link.
   *
   * @throws {Error} when the message cannot be cloned; an ask has failed then
   */
  send(message: Out): void {
    invariant(this.hasCredit, "the link has credit");
    if (this.#isClosed) return;
    const sequence = this.#sent + 1;
    const asking = splitAsk(message);
    if (asking === undefined) {
      this.#options.port.post({ kind: "tell", sequence, body: message });
    } else this.#sendAsk(sequence, asking);
    this.#sent = sequence;
  }

  /** Sends a signal; needs no credit. */
  signal(signal: Signal): void {
    if (!this.#isClosed) this.#options.port.post(signal);
  }

  /** Ends the link: what is asked over it fails with `error`, what is under way is lost. */
  close(error: AskError): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#retry?.cancel();
    this.#inbound.length = 0;
    this.#options.port.close();
    for (const replyTo of this.#openAsks.values()) replyTo.refuse(error);
    this.#openAsks.clear();
  }

  #sendAsk(sequence: number, { body, replyTo }: Asking): void {
    const ask = ++this.#asks;
    try {
      this.#options.port.post({ kind: "ask", sequence, ask, body });
    } catch (thrown) {
      replyTo.refuse(asError(thrown));
      throw thrown;
    }
    this.#openAsks.set(ask, replyTo);
    if (this.#openAsks.size > this.#sweepAt) this.#sweepAsks();
  }

  /** Forgets asks that timed out or were given up on this side. */
  #sweepAsks(): void {
    for (const [ask, replyTo] of this.#openAsks) {
      if (replyTo instanceof ReplyPort && replyTo.isSettled) this.#openAsks.delete(ask);
    }
    this.#sweepAt = Math.max(SWEEP_MIN, this.#openAsks.size * 2);
  }

  #receive(data: unknown): void {
    if (this.#isClosed) return;
    this.#options.onArrival?.();
    const envelope = parseEnvelope(data);
    if (envelope === undefined) return this.#break("an envelope of unknown form");
    switch (envelope.kind) {
      case "tell":
      case "ask":
        return this.#takeCargo(envelope);
      case "ack":
        return this.#takeAcknowledgement(envelope.upTo);
      case "answer":
        return this.#takeAsk(envelope.ask)?.reply(envelope.value);
      case "refusal":
        return this.#takeAsk(envelope.ask)?.refuse(decodeError(envelope.error));
      case "stop":
        this.#inbound.push({ type: "signal", signal: envelope });
        return this.#deliver();
      default:
        return this.#options.onSignal(envelope);
    }
  }

  #takeCargo(cargo: Cargo): void {
    if (cargo.sequence !== this.#received + 1) return this.#break("a gap in the sequence");
    if (this.#received - this.#deliveredAcknowledged >= this.#creditMax) {
      return this.#break("more messages than the credit allows");
    }
    const ask = cargo.kind === "ask" ? cargo.ask : undefined;
    let message: In;
    try {
      message = this.#options.parse(ask === undefined ? cargo.body : this.#withReplyTo(cargo, ask));
    } catch (thrown) {
      return this.#break("a message of unknown form", asError(thrown));
    }
    this.#received++;
    this.#inbound.push({ type: "message", message, ask });
    if (this.#inbound.length === 1) this.#deliver();
  }

  #withReplyTo({ body }: Cargo, ask: number): unknown {
    const replyTo: ReplyTo<unknown> = {
      reply: (value) => this.#answer({ kind: "answer", ask, value }),
      refuse: (error) => this.#answer({ kind: "refusal", ask, error: encodeError(error) }),
    };
    return { ...(isRecord(body) ? body : {}), replyTo };
  }

  /** An answer that cannot be cloned must not fail the handler that gave it. */
  #answer(envelope: Envelope & { readonly ask: number }): void {
    if (this.#isClosed) return;
    try {
      this.#options.port.post(envelope);
    } catch (thrown) {
      const error = encodeError(asError(thrown));
      this.#options.port.post({ kind: "refusal", ask: envelope.ask, error });
    }
  }

  #takeAcknowledgement(upTo: number): void {
    if (upTo <= this.#sentAcknowledged || upTo > this.#sent) {
      return this.#break("an acknowledgement of what was not sent");
    }
    this.#sentAcknowledged = upTo;
    this.#options.onCredit();
  }

  #takeAsk(ask: number): ReplyTo<unknown> | undefined {
    const replyTo = this.#openAsks.get(ask);
    this.#openAsks.delete(ask);
    return replyTo;
  }

  /** Hands over what waits, oldest first, until the target is full. */
  #deliver(): void {
    if (this.#retry !== undefined) return;
    let taken = 0;
    for (const inbound of this.#inbound) {
      if (!this.#handOver(inbound)) {
        this.#retry = this.#options.clock.setTimer(RETRY_MS, () => {
          this.#retry = undefined;
          this.#deliver();
        });
        break;
      }
      taken++;
      if (this.#isClosed) return;
    }
    this.#inbound.splice(0, taken);
  }

  #handOver(inbound: Inbound<In>): boolean {
    if (inbound.type === "signal") {
      this.#options.onSignal(inbound.signal);
      return true;
    }
    const target = this.#options.target();
    const result = offer(target, inbound.message);
    if (result === "full") return false;
    if (result === "closed") this.#bounce(inbound.message, inbound.ask);
    this.#delivered++;
    this.#acknowledge();
    return true;
  }

  /** The target is gone: its dead letters count the message, an ask fails. */
  #bounce(message: In, ask: number | undefined): void {
    const target = this.#options.target();
    target.tell(message);
    if (ask === undefined) return;
    const error = new AskError("ask_closed", `Cannot ask "${target.name}": it has stopped`);
    this.#answer({ kind: "refusal", ask, error: encodeError(error) });
  }

  #acknowledge(): void {
    const waiting = this.#delivered - this.#deliveredAcknowledged;
    if (waiting < Math.floor(this.#creditMax / ACKS_PER_WINDOW)) return;
    this.#deliveredAcknowledged = this.#delivered;
    this.#options.port.post({ kind: "ack", upTo: this.#delivered });
  }

  #break(what: string, cause?: Error): void {
    this.#options.onBroken(
      new LinkProtocolError(`Cannot read from the port: it carried ${what}`, { cause }),
    );
  }
}

/** An ask taken apart: the part that travels, and the port that stays. */
interface Asking {
  readonly body: Readonly<Record<string, unknown>>;
  readonly replyTo: ReplyTo<unknown>;
}

function splitAsk(message: unknown): Asking | undefined {
  if (!isRecord(message)) return undefined;
  const { replyTo, ...body } = message;
  return isReplyTo(replyTo) ? { body, replyTo } : undefined;
}

function isReplyTo(value: unknown): value is ReplyTo<unknown> {
  return isRecord(value) && typeof value["reply"] === "function" &&
    typeof value["refuse"] === "function";
}
