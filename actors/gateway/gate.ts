/**
 * The gate: at most N turns at once, first come, first served. A permit is a lease that returns
 * by itself when its holder dies.
 * @module
 */

import type { Actor, ActorContext, ActorDefinition } from "../kernel/actor.ts";
import { unreachable } from "../kernel/invariant.ts";
import type { ActorRef, ReplyTo } from "../kernel/ref.ts";
import type { GateMessage, PermitNews } from "../session/ports.ts";

/** How busy the gate is. */
export interface GateReport {
  readonly permitsMax: number;
  readonly held: number;
  readonly waiting: number;
}

type Request = Extract<GateMessage, { readonly type: "request_permit" }>;

type Message =
  | GateMessage
  | { readonly type: "report_permits"; readonly replyTo: ReplyTo<GateReport> }
  /** So many turns at once from now on; those that run may be more. */
  | { readonly type: "limit_permits"; readonly permitsMax: number }
  /** Give no permit any more; answer once all have come back. */
  | { readonly type: "close_gate"; readonly replyTo: ReplyTo<"empty"> }
  | { readonly type: "holder_stopped"; readonly holder: ActorRef<PermitNews> };

/** All that the gate understands. */
export type GateActorMessage = Message;

/** Leases and requests; they outlive a restart of the gate, so that the limit holds over it. */
class Ledger {
  /** 0 or less: no limit. */
  permitsMax: number;
  isClosed = false;
  readonly held = new Map<string, Request>();
  readonly waiting = new Map<string, Request>();

  constructor(permitsMax: number) {
    this.permitsMax = permitsMax;
  }

  get heldInBackground(): number {
    return this.held.values().reduce((sum, request) => sum + (isBackground(request) ? 1 : 0), 0);
  }

  drop(requestId: string): void {
    this.held.delete(requestId);
    this.waiting.delete(requestId);
  }

  dropHolder(holder: ActorRef<PermitNews>): void {
    for (const requests of [this.held, this.waiting]) {
      for (const [requestId, request] of requests) {
        if (request.holder === holder) requests.delete(requestId);
      }
    }
  }
}

function isBackground(request: Request): boolean {
  return request.isBackground === true;
}

/**
 * Defines the gate.
 *
 * @param permitsMax turns at once; 0 or less: no limit
 * @param name tells it from another gate
 */
export function gateActor(
  permitsMax: number,
  name: string = "gate",
): ActorDefinition<GateActorMessage> {
  const ledger = new Ledger(permitsMax);
  return {
    name,
    mailboxMax: 100_000, // one or two small messages per waking session
    create: (context) => new Gate(context, ledger),
  };
}

class Gate implements Actor<Message> {
  readonly #context: ActorContext<Message>;
  readonly #ledger: Ledger;
  readonly #watched = new WeakSet<ActorRef<PermitNews>>();
  #onEmpty: ReplyTo<"empty"> | undefined;

  constructor(context: ActorContext<Message>, ledger: Ledger) {
    this.#context = context;
    this.#ledger = ledger;
    for (const { holder } of [...ledger.held.values(), ...ledger.waiting.values()]) {
      this.#watch(holder);
    }
  }

  receive(message: Message): void {
    switch (message.type) {
      case "request_permit":
        return this.#request(message);
      case "release_permit":
        return this.#release(message.requestId);
      case "holder_stopped":
        return this.#holderStopped(message.holder);
      case "report_permits":
        return message.replyTo.reply({
          permitsMax: this.#ledger.permitsMax,
          held: this.#ledger.held.size,
          waiting: this.#ledger.waiting.size,
        });
      case "limit_permits":
        this.#ledger.permitsMax = message.permitsMax;
        return this.#grantNext();
      case "close_gate":
        return this.#close(message.replyTo);
      default:
        return unreachable(message);
    }
  }

  #close(replyTo: ReplyTo<"empty">): void {
    this.#ledger.isClosed = true;
    this.#onEmpty = replyTo;
    this.#grantNext();
  }

  #request(request: Request): void {
    const { requestId, holder } = request;
    this.#watch(holder);
    this.#ledger.waiting.set(requestId, request);
    this.#grantNext();
    if (this.#ledger.waiting.has(requestId)) holder.tell({ type: "permit_delayed", requestId });
  }

  #release(requestId: string): void {
    this.#ledger.drop(requestId);
    this.#grantNext();
  }

  #holderStopped(holder: ActorRef<PermitNews>): void {
    this.#ledger.dropHolder(holder);
    this.#grantNext();
  }

  #grantNext(): void {
    const { held, waiting, isClosed, permitsMax } = this.#ledger;
    if (isClosed) {
      if (held.size === 0) this.#onEmpty?.reply("empty");
      return;
    }
    for (const [requestId, request] of waiting) {
      if (permitsMax > 0 && held.size >= permitsMax) return;
      if (isBackground(request) && !this.#hasRoomInBackground) continue;
      waiting.delete(requestId);
      // A holder that cannot take it has stopped or is about to: its place goes to the next.
      const told = request.holder.tell({ type: "permit_granted", requestId });
      if (told === "taken") held.set(requestId, request);
    }
  }

  /** Where there are several permits, one is always left to those whom somebody waits for. */
  get #hasRoomInBackground(): boolean {
    const { permitsMax, heldInBackground } = this.#ledger;
    return permitsMax <= 0 || heldInBackground < Math.max(1, permitsMax - 1);
  }

  #watch(holder: ActorRef<PermitNews>): void {
    if (this.#watched.has(holder)) return;
    this.#watched.add(holder);
    this.#context.watch(holder, () => ({ type: "holder_stopped", holder }));
  }
}
