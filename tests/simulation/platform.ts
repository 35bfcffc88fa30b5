/**
 * A simulated platform: people's messages come at least once and in any order, and what is sent
 * may fail, arrive late, or arrive without anybody hearing of it.
 * @module
 */

import {
  DeliveryError,
  type DeliveryReceipt,
  type LookUp,
  type Settled,
} from "../../channels/channel.ts";
import { type Clock, sleep } from "../../actors/kernel/clock.ts";
import type { Chance } from "./chance.ts";
import type { EventLog } from "./event_log.ts";
import type { Faults } from "./faults.ts";
import type { PlannedChannel } from "./plan.ts";

/** Beyond the gateway's own limit, as that has a margin. */
const KEY_MARGIN_MS = 10_000;
/** No delivery of the gateway takes longer than this. */
const SILENCE_MS = 400_000;

/** What a person wrote. */
export interface PersonMessage {
  readonly platformId: string;
  readonly chatId: string;
  readonly senderId: string;
  readonly text: string;
  readonly media: readonly string[];
  /** Its text must be asked for. */
  readonly isDraft: boolean;
}

/** A message of the gateway, as people in the chat see it. */
export interface ShownMessage {
  readonly messageId: string;
  readonly key: string;
  readonly chatId: string;
  text: string;
  sequence: number;
  /** Says that it may be a repetition. */
  readonly hasNotice: boolean;
  /** Its place among all final versions on the platform; undefined while it grows. */
  finalAt: number | undefined;
}

/** A reaction to a person's message. */
export interface ShownSettlement extends Settled {
  readonly key: string;
}

/** What a channel asks the platform to show. */
export interface ShowRequest {
  readonly key: string;
  readonly chatId: string;
  readonly text: string;
  readonly hasNotice: boolean;
  readonly isFinal: boolean;
  /** An older version of a message never replaces a newer one. */
  readonly sequence: number;
  readonly settles: readonly Settled[];
}

/** The connection of a channel. */
export interface Link {
  close(): void;
}

/** Who gets a platform's messages. */
export interface Receiver {
  /** Takes a message; `acknowledge` says that it need not come again. */
  receive(message: PersonMessage, acknowledge: () => void): void;
  /** A person took a message back. */
  takenBack(platformId: string): void;
  /** The connection is gone. */
  lost(): void;
}

/** What a platform takes from its world. */
export interface PlatformOptions {
  readonly plan: PlannedChannel;
  readonly clock: Clock;
  readonly chance: Chance;
  readonly faults: Faults;
  readonly log: EventLog;
}

/** How a request goes: when it has its effect (if at all), and what its sender hears when. */
interface Fate {
  readonly effectAfterMs: number | undefined;
  readonly answerAfterMs: number;
  readonly failure?: Error;
}

/** One platform; it outlives the gateway. */
export class SimulatedPlatform {
  readonly plan: PlannedChannel;
  readonly shown: ShownMessage[] = [];
  readonly settled: ShownSettlement[] = [];
  readonly posted: PersonMessage[] = [];
  readonly takenBack: Set<string> = new Set();
  /** Sentences about what must not be shown, noticed while it was. */
  readonly breaches: string[] = [];
  readonly #options: PlatformOptions;
  readonly #acknowledged = new Set<string>();
  readonly #keys = new Map<string, { readonly message: ShownMessage; readonly sinceMs: number }>();
  /** Requests by key that may still have their effect. */
  readonly #underWay = new Map<string, number>();
  #receiver: Receiver | undefined;
  #finals = 0;

  constructor(options: PlatformOptions) {
    this.plan = options.plan;
    this.#options = options;
  }

  /** A person writes. */
  post(message: PersonMessage): void {
    this.posted.push(message);
    this.#log(`${message.platformId} in ${message.chatId}: ${JSON.stringify(message.text)}`);
    this.#deliverAfter(message, this.#options.chance.between(1, 400));
  }

  /** A person takes a message back; the channel may not hear of it. */
  takeBack(platformId: string): void {
    this.#log(`${platformId} is taken back`);
    this.takenBack.add(platformId);
    this.#receiver?.takenBack(platformId);
  }

  /** What a person wrote, for those who were only told that they did. */
  messageOf(platformId: string): PersonMessage | undefined {
    return this.posted.find((message) => message.platformId === platformId);
  }

  /** Connects a channel; undefined while the platform cannot be reached. */
  connect(receiver: Receiver): Link | undefined {
    const { faults, plan } = this.#options;
    if (faults.fails(`platform ${plan.name}`)) return undefined;
    this.#receiver = receiver;
    this.#log("connected");
    return {
      close: () => {
        if (this.#receiver === receiver) this.#receiver = undefined;
      },
    };
  }

  /** The connection breaks. */
  breakLink(): void {
    const receiver = this.#receiver;
    if (receiver === undefined) return;
    this.#receiver = undefined;
    this.#log("connection lost");
    receiver.lost();
  }

  /**
   * Shows a message, or a newer version of it.
   *
   * @throws {DeliveryError} the signal's reason when it aborts; the request goes on then
   */
  async show(request: ShowRequest, clock: Clock, signal: AbortSignal): Promise<DeliveryReceipt> {
    const fate = this.#fate();
    const effect: { receipt?: DeliveryReceipt } = {};
    if (fate.effectAfterMs !== undefined) {
      this.#count(request.key, 1);
      this.#options.clock.setTimer(fate.effectAfterMs, () => {
        this.#count(request.key, -1);
        effect.receipt = this.#take(request);
      });
    }
    await sleep(clock, fate.answerAfterMs, signal);
    if (fate.failure !== undefined) throw fate.failure;
    return effect.receipt ?? { messageIds: [] };
  }

  /**
   * Tells whether the final version of a message is there; if so, settles what it settles.
   *
   * @throws {DeliveryError} the signal's reason when it aborts
   */
  async lookUp(request: ShowRequest, clock: Clock, signal: AbortSignal): Promise<LookUp> {
    const { chance, faults, plan } = this.#options;
    await sleep(clock, chance.between(1, 200), signal);
    if (faults.fails(`platform ${plan.name}`) || faults.happens(0.1)) {
      throw new DeliveryError("delivery_transient", "Cannot look up: out of order");
    }
    const { key, settles } = request;
    const found = this.#find(key);
    this.#log(`looks up ${key}: ${found}`);
    if (found === "arrived") {
      for (const settled of settles) {
        this.settled.push({ ...settled, key });
      }
    }
    return found;
  }

  /** What is still under way may arrive later. */
  #find(key: string): LookUp {
    const isThere = this.shown.some((message) =>
      message.key === key && message.finalAt !== undefined
    );
    if (isThere) return "arrived";
    return (this.#underWay.get(key) ?? 0) > 0 ? "cannot_tell" : "absent";
  }

  #count(key: string, change: number): void {
    this.#underWay.set(key, (this.#underWay.get(key) ?? 0) + change);
  }

  #take(request: ShowRequest): DeliveryReceipt {
    const { key, text, isFinal, settles } = request;
    const message = text.trim() === "" ? undefined : this.#put(request);
    if (isFinal) { for (const settled of settles) this.settled.push({ ...settled, key }); }
    const what = message === undefined ? "shows nothing" : `shows ${message.messageId}`;
    const shownText = JSON.stringify(text.slice(0, 60));
    this.#log(`${what} for ${key} ${isFinal ? "final" : "growing"} ${shownText}`);
    return { messageIds: message === undefined ? [] : [message.messageId] };
  }

  #put(request: ShowRequest): ShownMessage {
    const { key, text, isFinal, sequence } = request;
    const message = this.#known(request) ?? this.#make(request);
    if (sequence < message.sequence) return message;
    message.sequence = sequence;
    if (!isFinal && message.finalAt !== undefined) {
      this.breaches.push(`${key} grows after its end`);
      return message;
    }
    message.text = text;
    if (isFinal) message.finalAt ??= ++this.#finals;
    return message;
  }

  /** One that grows is known by more than its key, and for ever. */
  #known({ key, sequence }: ShowRequest): ShownMessage | undefined {
    const { clock, plan } = this.#options;
    const known = this.#keys.get(key);
    if (plan.idempotencyMs === 0 || known === undefined) return undefined;
    if (sequence > 0) return known.message;
    const ageMs = clock.now() - known.sinceMs;
    return ageMs <= plan.idempotencyMs + KEY_MARGIN_MS ? known.message : undefined;
  }

  #make({ key, chatId, hasNotice }: ShowRequest): ShownMessage {
    const messageId = `${this.plan.name}-out${this.shown.length + 1}`;
    const fresh = { text: "", sequence: -1, finalAt: undefined };
    const message: ShownMessage = { messageId, key, chatId, hasNotice, ...fresh };
    this.shown.push(message);
    this.#keys.set(key, { message, sinceMs: this.#options.clock.now() });
    return message;
  }

  #fate(): Fate {
    const { chance, faults, plan } = this.#options;
    const effectAfterMs = chance.between(1, 150);
    const answerAfterMs = effectAfterMs + chance.between(1, 150);
    if (faults.fails(`platform ${plan.name}`)) {
      const failure = new DeliveryError("delivery_transient", "Cannot send: out of order");
      return { effectAfterMs: undefined, answerAfterMs, failure };
    }
    if (!faults.happens(0.25)) return { effectAfterMs, answerAfterMs };
    return this.#badFate(effectAfterMs, answerAfterMs);
  }

  #badFate(effectAfterMs: number, answerAfterMs: number): Fate {
    const { chance } = this.#options;
    const none = undefined;
    const unknown = new DeliveryError("delivery_unknown", "Cannot tell: the connection broke");
    const retryAfterMs = chance.pick([undefined, 500, 7_000]);
    const busy = new DeliveryError("delivery_transient", "Cannot send: busy", { retryAfterMs });
    const refused = new DeliveryError("delivery_permanent", "Cannot send: refused");
    return chance.weighted<Fate>([
      [{ effectAfterMs: none, answerAfterMs, failure: busy }, 6],
      [{ effectAfterMs: none, answerAfterMs, failure: new Error("Cannot send: broken") }, 2],
      [{ effectAfterMs: none, answerAfterMs, failure: refused }, 1],
      [{ effectAfterMs: none, answerAfterMs, failure: unknown }, 3],
      [{ effectAfterMs, answerAfterMs, failure: unknown }, 4],
      [{ effectAfterMs: chance.between(200, 9_000), answerAfterMs, failure: unknown }, 2],
      [{ effectAfterMs: chance.pick([none, 100]), answerAfterMs: SILENCE_MS, failure: unknown }, 1],
    ]);
  }

  #deliverAfter(message: PersonMessage, delayMs: number): void {
    this.#options.clock.setTimer(delayMs, () => this.#deliver(message));
  }

  /** At least once: again and again until it is acknowledged, and now and then once more. */
  #deliver(message: PersonMessage): void {
    const { chance, faults } = this.#options;
    const receiver = this.#receiver;
    receiver?.receive(message, () => {
      if (this.#acknowledged.has(message.platformId) || faults.happens(0.1)) return;
      this.#acknowledged.add(message.platformId);
      if (faults.happens(0.1)) this.#deliverAfter(message, chance.between(10, 60_000));
    });
    if (this.#acknowledged.has(message.platformId)) return;
    this.#options.clock.setTimer(chance.between(2_000, 20_000), () => {
      if (!this.#acknowledged.has(message.platformId)) this.#deliver(message);
    });
  }

  #log(what: string): void {
    this.#options.log.add(this.plan.name, what);
  }
}
