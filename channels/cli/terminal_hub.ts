/**
 * The terminal as a channel: any number of terminals, each of which comes and goes as it likes.
 * @module
 */

import { getLogger } from "@logtape/logtape";
import { z } from "zod";
import type { LocalChannel } from "../../actors/gateway/channel_wiring.ts";
import { whenAborted } from "../../actors/kernel/aborting.ts";
import type {
  Channel,
  ChannelContext,
  Delivery,
  DeliveryReceipt,
  HandInResult,
} from "../channel.ts";
import {
  type Said,
  type ShownEvent,
  TERMINAL_CHANNEL,
  type TerminalEvent,
  type TerminalLink,
  type TerminalPlace,
} from "./terminal_events.ts";

const logger = getLogger(["troupe", "cli", "terminal_hub"]);

/** Answers kept for conversations at which nobody looks; they stand in the history too. */
const MISSED_MAX = 50;

/** Where a delivery belongs, as its inbound was handed in. */
const addressSchema = z.object({
  terminal: z.string().nullable().catch(null),
  session: z.string().nullable().catch(null),
});

/** How a terminal takes part. */
export interface AttachOptions {
  readonly place: TerminalPlace;
  readonly onEvent: (event: TerminalEvent) => void;
  /** Shows what came while nobody was there. @default false */
  readonly wantsMissed?: boolean;
  /** A person is there who can be asked something back. @default false */
  readonly isAttended?: boolean;
}

/** Carries messages between terminals and the gateway that this process runs. */
export class TerminalHub {
  /** To be given to the gateway. */
  readonly local: LocalChannel = {
    name: TERMINAL_CHANNEL,
    create: (context) => this.#connect(context),
  };
  readonly #links = new Map<string, Link>();
  /** Who waits for the end of which message. */
  readonly #owners = new Map<string, Link>();
  readonly #missed: { readonly place: string; readonly event: ShownEvent }[] = [];
  readonly #connected: PromiseWithResolvers<void> = Promise.withResolvers<void>();
  #context: ChannelContext | undefined;
  #linksMade = 0;

  /** Adds a terminal; disposing of the link takes it away, and stops nothing that it asked for. */
  attach({ place, onEvent, wantsMissed = false, isAttended = false }: AttachOptions): TerminalLink {
    const id = `t${++this.#linksMade}`;
    const link: Link = { id, key: placeKey(place), onEvent, isAttended };
    this.#links.set(id, link);
    if (wantsMissed) this.#showMissed(link);
    return {
      say: (said) => this.#say(link, place, said),
      [Symbol.dispose]: () => this.#detach(link),
    };
  }

  /** Nobody looks any more, and the gateway ends: what comes stays in its journal for the next. */
  leave(): void {
    this.#context?.report({ state: "connecting", detail: "nobody is at the terminal" });
  }

  #connect(context: ChannelContext): Channel {
    this.#context = context;
    this.#connected.resolve();
    return {
      isStreaming: true,
      run: () => runUntilStopped(context),
      deliver: (delivery) => this.#deliver(delivery),
    };
  }

  async #say(link: Link, place: TerminalPlace, said: Said): Promise<HandInResult> {
    await this.#connected.promise;
    if (this.#context === undefined) return "refused";
    this.#owners.set(said.platformId, link);
    const result = await this.#context.handIn({
      ...said,
      chatId: place.chatId,
      senderId: "user",
      media: [],
      context: { terminal: link.id, session: place.sessionKey, isAttended: link.isAttended },
      ...(place.sessionKey !== null && { sessionKey: place.sessionKey }),
    });
    if (result !== "accepted") this.#owners.delete(said.platformId);
    return result;
  }

  #detach(link: Link): void {
    this.#links.delete(link.id);
    for (const [platformId, owner] of this.#owners) {
      if (owner === link) this.#owners.delete(platformId);
    }
  }

  #deliver(delivery: Delivery): Promise<DeliveryReceipt> {
    const event = shownEvent(delivery);
    const viewers = this.#viewersOf(delivery);
    for (const viewer of viewers) viewer.onEvent(event);
    if (viewers.size === 0) this.#miss(delivery, event);
    for (const { platformId, outcome } of delivery.settles) {
      this.#owners.get(platformId)?.onEvent({ type: "settled", platformId, outcome });
      this.#owners.delete(platformId);
    }
    return Promise.resolve({ messageIds: [] });
  }

  /** Who asked; where that one has left, or nobody asked, all who look at the conversation. */
  #viewersOf({ context, chatId, settles }: Delivery): ReadonlySet<Link> {
    const { terminal, session } = addressSchema.parse(context);
    const askers = settles.flatMap(({ platformId }) => this.#owners.get(platformId) ?? []);
    const sender = this.#links.get(terminal ?? "");
    if (sender !== undefined || askers.length > 0) {
      return new Set(sender === undefined ? askers : [sender, ...askers]);
    }
    const key = placeKey({ chatId, sessionKey: session });
    return new Set([...this.#links.values()].filter((link) => link.key === key));
  }

  #miss({ context, chatId }: Delivery, event: ShownEvent): void {
    if (event.phase !== "final" || (event.text.trim() === "" && event.media.length === 0)) return;
    logger.info("Nobody is at the terminal of {chatId}: kept {key} for whoever comes next", {
      chatId,
      key: event.key,
    });
    const { session } = addressSchema.parse(context);
    this.#missed.push({ place: placeKey({ chatId, sessionKey: session }), event });
    if (this.#missed.length > MISSED_MAX) this.#missed.shift();
  }

  #showMissed({ key, onEvent }: Link): void {
    const { yes = [], no = [] } = Object.groupBy(
      this.#missed.splice(0),
      ({ place }) => place === key ? "yes" : "no",
    );
    this.#missed.push(...no);
    for (const { event } of yes) onEvent(event);
  }
}

interface Link {
  readonly id: string;
  readonly key: string;
  readonly isAttended: boolean;
  readonly onEvent: (event: TerminalEvent) => void;
}

function placeKey({ chatId, sessionKey }: TerminalPlace): string {
  return sessionKey ?? `${TERMINAL_CHANNEL}:${chatId}`;
}

function shownEvent({ key, phase, text, activity, media }: Delivery): ShownEvent {
  return { type: "shown", key, phase, text, activity, media };
}

/** There is nothing to connect to: ready at once, until it is stopped. */
async function runUntilStopped({ signal, report }: ChannelContext): Promise<void> {
  report({ state: "ready", detail: "terminals of this machine" });
  await whenAborted(signal);
}
