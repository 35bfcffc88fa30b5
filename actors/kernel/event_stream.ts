/**
 * Events with numbers, so that a receiver sees what it missed: the way they travel may lose some.
 * @module
 */

/** An event on its way. */
export interface NumberedEvent<E> {
  /** One life of one sender; unique. */
  readonly sender: string;
  /** Counts from 1 in each sender. */
  readonly sequence: number;
  readonly event: E;
}

/** Events that were lost on the way from one sender. */
export interface EventGap {
  readonly sender: string;
  readonly missed: number;
}

/** Senders that a receiver remembers; the one it knows longest is forgotten first. */
const SENDERS_MAX = 1_000;

/** Numbers the events of one sender. */
export class EventPublisher<E> {
  readonly #sender: string;
  readonly #post: (event: NumberedEvent<E>) => void;
  #sequence = 0;

  /** @param sender unique among all senders, and over restarts: a new id */
  constructor(sender: string, post: (event: NumberedEvent<E>) => void) {
    this.#sender = sender;
    this.#post = post;
  }

  /** Sends an event to whoever listens; it may get lost. */
  publish(event: E): void {
    this.#post({ sender: this.#sender, sequence: ++this.#sequence, event });
  }
}

/** What a subscriber is told. */
export interface EventSubscriberOptions<E> {
  /** The event in what was received, or undefined when it is none of ours. */
  readonly parse: (event: unknown) => E | undefined;
  readonly onEvent: (event: E, sender: string) => void;
  /** Called before the first event after a gap: time to ask for a snapshot. */
  readonly onGap?: (gap: EventGap) => void;
}

/** Receives the events of all senders and notices gaps. What a sender sent before is no gap. */
export class EventSubscriber<E> {
  readonly #options: EventSubscriberOptions<E>;
  readonly #lastSequence = new Map<string, number>();

  constructor(options: EventSubscriberOptions<E>) {
    this.#options = options;
  }

  /** Takes what came over the channel; what is no numbered event is ignored. */
  receive(data: unknown): void {
    if (!isNumberedEvent(data)) return;
    const { sender, sequence } = data;
    const last = this.#lastSequence.get(sender);
    if (last !== undefined && sequence <= last) return;
    this.#remember(sender, sequence);
    if (last !== undefined && sequence > last + 1) {
      this.#options.onGap?.({ sender, missed: sequence - last - 1 });
    }
    const event = this.#options.parse(data.event);
    if (event !== undefined) this.#options.onEvent(event, sender);
  }

  #remember(sender: string, sequence: number): void {
    this.#lastSequence.set(sender, sequence);
    if (this.#lastSequence.size <= SENDERS_MAX) return;
    for (const oldest of this.#lastSequence.keys()) {
      this.#lastSequence.delete(oldest);
      return;
    }
  }
}

function isNumberedEvent(data: unknown): data is NumberedEvent<unknown> {
  return typeof data === "object" && data !== null && "event" in data &&
    "sender" in data && typeof data.sender === "string" &&
    "sequence" in data && Number.isSafeInteger(data.sequence);
}
