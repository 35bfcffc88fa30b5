/**
 * What people write to the bot: encrypted by their phones, and kept until the device has it.
 * @module
 */

import type { BinaryNode, proto } from "@whiskeysockets/baileys";
import { node } from "./nodes.ts";
import type { KeyBundle, Phone, Sealed } from "./phone.ts";

/** What a person says. */
export interface Says {
  readonly from: Phone;
  /** The group; in the direct chat without. */
  readonly group?: string;
  readonly message: proto.IMessage;
  /** The id of the message. @default a new one */
  readonly id?: string;
  /** By which address the server names the sender. @default both */
  readonly named?: "both" | "phone" | "lid";
  /** When it was written, in seconds. @default now */
  readonly atSeconds?: number;
  /** Under another server than people are, or by nobody. */
  readonly as?: Readonly<Record<string, string>>;
}

/** What bringing messages needs. */
export interface InboundOptions {
  readonly botJid: string;
  readonly bundle: () => KeyBundle | null;
  /** Sends to the device that is logged in, if one is. */
  readonly send: (stanza: BinaryNode) => void;
}

/** Messages on their way to the device. */
export class Inbound {
  readonly #options: InboundOptions;
  readonly #said = new Map<string, Says>();
  readonly #waiting = new Map<string, BinaryNode>();
  readonly #deliveries = new Map<string, PromiseWithResolvers<void>>();
  #work: Promise<void> = Promise.resolve();
  #ids = 0;

  constructor(options: InboundOptions) {
    this.#options = options;
  }

  /** Has somebody written? */
  get hasSaid(): boolean {
    return this.#said.size > 0;
  }

  /** Encrypts and sends, as soon as what was said before is on its way. */
  say(says: Says): string {
    const id = says.id ?? `3A${String(++this.#ids).padStart(18, "0")}`;
    this.#said.set(id, says);
    this.#bring(id, says);
    return id;
  }

  repeat(id: string): void {
    const says = this.#said.get(id);
    if (says !== undefined) this.#bring(id, says);
  }

  /** The device has it. */
  delivered(id: string): void {
    this.#waiting.delete(id);
    this.#deliveries.get(id)?.resolve();
  }

  /** Resolves when the device has it. */
  whenDelivered(id: string): Promise<void> {
    const delivery = this.#deliveries.get(id) ?? Promise.withResolvers<void>();
    this.#deliveries.set(id, delivery);
    return delivery.promise;
  }

  /** Brings what waits, as it came while the device was away. @returns how many */
  async bringWaiting(): Promise<number> {
    await this.#work;
    for (const stanza of this.#waiting.values()) {
      this.#options.send({ ...stanza, attrs: { ...stanza.attrs, offline: "0" } });
    }
    return this.#waiting.size;
  }

  async settled(): Promise<void> {
    await this.#work;
  }

  #bring(id: string, says: Says): void {
    this.#work = this.#work.then(async () => {
      const stanza = await this.#stanza(id, says);
      this.#waiting.set(id, stanza);
      this.#options.send(stanza);
    });
  }

  async #stanza(id: string, says: Says): Promise<BinaryNode> {
    const { from, group, message, named = "both", as = {} } = says;
    const bundle = this.#options.bundle();
    if (bundle === null) throw new TypeError("Cannot write to the bot: no device is linked");
    const t = String(says.atSeconds ?? Math.floor(Date.now() / 1_000));
    const attrs = {
      id,
      t,
      notify: from.name,
      type: "text",
      ...addresses(from, group, named),
      ...as,
    };
    if (group === undefined) {
      return node("message", attrs, [enc(await from.seal(this.#options.botJid, bundle, message))]);
    }
    const { sealed, key } = await from.sealForGroup(group, message);
    const forBot = await from.seal(this.#options.botJid, bundle, key);
    return node("message", attrs, [enc(forBot), enc(sealed)]);
  }
}

function addresses(
  { phoneJid, lidJid }: Phone,
  group: string | undefined,
  named: NonNullable<Says["named"]>,
): Readonly<Record<string, string>> {
  const own = named === "phone" ? phoneJid : lidJid;
  const mode = { addressing_mode: named === "phone" ? "pn" : "lid" };
  if (group === undefined) {
    return { from: own, ...mode, ...(named === "both" && { sender_pn: phoneJid }) };
  }
  const participant = { from: group, participant: own, ...mode };
  return { ...participant, ...(named === "both" && { participant_pn: phoneJid }) };
}

function enc({ type, bytes }: Sealed): BinaryNode {
  return node("enc", { v: "2", type }, bytes);
}
