/**
 * Tells the owners what they should know: once for each matter, as messages that outlive a crash.
 * @module
 */

import { getLogger } from "@logtape/logtape";
import type { Journal, NewOutbound, Outbound } from "../journal/journal.ts";
import type { Actor, ActorContext, ActorDefinition, Outcome } from "../kernel/actor.ts";
import { unreachable } from "../kernel/invariant.ts";
import type { ActorRef } from "../kernel/ref.ts";
import type { OutboxMessage } from "../session/ports.ts";

const logger = getLogger(["troupe", "gateway", "owner_notices"]);

/** Wait before a notice is committed again that the journal did not take. */
const RETRY_MS = 5_000;
/** A matter that comes and goes is told of this often at most. */
const QUIET_MS = 10 * 60_000;
/** Matters that are remembered; the oldest is forgotten first. */
const MATTERS_MAX = 1_000;

/** What an owner should hear of. */
export type AlarmMessage =
  /** Something is wrong; told once until it is cleared. */
  | { readonly type: "alarm_raised"; readonly subject: string; readonly text: string }
  | { readonly type: "alarm_cleared"; readonly subject: string }
  /** Something happened, and is over. */
  | { readonly type: "owners_informed"; readonly text: string };

type Message =
  | AlarmMessage
  | {
    readonly type: "committed";
    readonly text: string;
    readonly outcome: Outcome<void>;
  }
  | { readonly type: "quiet_over"; readonly subject: string };

/** All that the notices' actor understands. */
export type OwnerNoticesMessage = Message;

/** Where an owner is reached. */
export interface OwnerAddress {
  readonly channel: string;
  readonly chatId: string;
}

/** What notices need. */
export interface OwnerNoticesOptions {
  readonly journal: Pick<Journal, "commit">;
  readonly owners: readonly OwnerAddress[];
  readonly outbox: (channel: string) => ActorRef<OutboxMessage> | undefined;
}

/** Whether a message is a notice. */
export function isNotice({ key }: Pick<Outbound, "key">): boolean {
  return key.startsWith("notice:");
}

/**
 * The addresses of owners, as far as their channels are there: where people write to a bot
 * directly, platforms take the person's id for the chat's.
 *
 * @param owners each as `channel:sender`
 */
export function addressesOf(
  owners: readonly string[],
  hasChannel: (channel: string) => boolean,
): OwnerAddress[] {
  return owners.map((owner) => {
    const colon = owner.indexOf(":");
    return { channel: owner.slice(0, colon), chatId: owner.slice(colon + 1) };
  }).filter(({ channel }) => hasChannel(channel));
}

/** Defines the actor that tells the owners. */
export function ownerNoticesActor(
  options: OwnerNoticesOptions,
): ActorDefinition<OwnerNoticesMessage> {
  return {
    name: "owner_notices",
    create: (context) => new OwnerNotices(context, options),
  };
}

/** One thing that is, or was, wrong. */
interface Matter {
  text: string;
  isRaised: boolean;
  /** Null before the first time. */
  toldAtMs: number | null;
  /** A timer tells of it once it was quiet for long enough, if it is still there. */
  isDue: boolean;
}

class OwnerNotices implements Actor<Message> {
  readonly #context: ActorContext<Message>;
  readonly #options: OwnerNoticesOptions;
  readonly #matters = new Map<string, Matter>();

  constructor(context: ActorContext<Message>, options: OwnerNoticesOptions) {
    this.#context = context;
    this.#options = options;
  }

  receive(message: Message): void {
    switch (message.type) {
      case "alarm_raised":
        return this.#raise(message.subject, message.text);
      case "alarm_cleared":
        return this.#clear(message.subject);
      case "owners_informed":
        return this.#tell(message.text);
      case "committed":
        return this.#committed(message.text, message.outcome);
      case "quiet_over":
        return this.#quietOver(message.subject);
      default:
        return unreachable(message);
    }
  }

  #raise(subject: string, text: string): void {
    const matter = this.#matters.get(subject) ??
      { text, isRaised: false, toldAtMs: null, isDue: false };
    this.#matters.set(subject, matter);
    matter.text = text;
    if (matter.isRaised) return;
    matter.isRaised = true;
    this.#forgetOldest();
    this.#tellOf(subject);
  }

  #clear(subject: string): void {
    const matter = this.#matters.get(subject);
    if (matter !== undefined) matter.isRaised = false;
  }

  /** Tells of a matter, or waits until it was quiet for long enough. */
  #tellOf(subject: string): void {
    const matter = this.#matters.get(subject);
    if (matter === undefined || !matter.isRaised) return;
    const nowMs = this.#context.clock.now();
    const quietForMs = nowMs - (matter.toldAtMs ?? -Infinity);
    if (quietForMs < QUIET_MS) {
      if (matter.isDue) return;
      matter.isDue = true;
      this.#context.after(QUIET_MS - quietForMs, { type: "quiet_over", subject });
      return;
    }
    matter.toldAtMs = nowMs;
    this.#tell(matter.text);
  }

  #quietOver(subject: string): void {
    const matter = this.#matters.get(subject);
    if (matter !== undefined) matter.isDue = false;
    this.#tellOf(subject);
  }

  #tell(text: string): void {
    const { owners, journal, outbox } = this.#options;
    logger.warn("For the owners: {text}", { text });
    if (owners.length === 0) return;
    const id = this.#context.newId();
    const outbounds = owners.map((owner, index) => notice(owner, `notice:${id}:${index}`, text));
    this.#context.pipe(
      async () => {
        const rows = await journal.commit({ outbounds });
        // Here, and not once this actor hears of it: by then it may have failed.
        for (const row of rows) outbox(row.channel)?.tell({ type: "row_committed", row });
      },
      (outcome) => ({ type: "committed", text, outcome }),
    );
  }

  #committed(text: string, outcome: Outcome<void>): void {
    if (outcome.state === "ok") return;
    this.#context.after(RETRY_MS, { type: "owners_informed", text });
  }

  #forgetOldest(): void {
    const [oldest] = this.#matters.keys();
    if (this.#matters.size > MATTERS_MAX && oldest !== undefined) this.#matters.delete(oldest);
  }
}

function notice({ channel, chatId }: OwnerAddress, key: string, text: string): NewOutbound {
  return {
    key,
    channel,
    chatId,
    sessionKey: `${channel}:${chatId}`,
    state: "pending",
    content: text,
    preamble: "",
    media: [],
    context: {},
    isPlain: true,
    settles: [],
  };
}
