/**
 * WhatsApp on a local port: Noise, binary nodes and Signal as the unmodified library speaks them,
 * and the server for files. Overstepping a limit fails the test.
 * @module
 */

import type { BinaryNode, proto } from "@whiskeysockets/baileys";
import type { AuthenticationCreds } from "@whiskeysockets/baileys";
import { Buffer } from "node:buffer";
import { setTimeout as delay } from "node:timers/promises";
import { Relay } from "./feishu/relay.ts";
import { answerTo, type Directory, type Group } from "./whatsapp/answers.ts";
import { Chats } from "./whatsapp/chats.ts";
import { Inbound, type Says } from "./whatsapp/inbound.ts";
import { MediaServer } from "./whatsapp/media.ts";
import { ServerIdentity } from "./whatsapp/noise.ts";
import { bytesIn, childOf, childrenOf, node, SERVER } from "./whatsapp/nodes.ts";
import { bundleOf, PrimaryPhone } from "./whatsapp/pairing.ts";
import { type KeyBundle, Phone } from "./whatsapp/phone.ts";
import { ClientSession } from "./whatsapp/session.ts";

/** What becomes of the next message that the device sends. */
export type Fault =
  | { readonly kind: "refusal"; readonly code: number }
  | { readonly kind: "lost_answer" | "half_answer" | "garbled_answer" };

/** Calls that nothing shows of. */
const PASSIVE_RECEIPTS: ReadonlySet<string> = new Set(["", "inactive"]);
const BOT = { phone: "15550009999", lid: "900000000009999", device: 7, name: "Troupe" };
/** Signing is slow: server and account keep their keys from test to test. */
const IDENTITY = new ServerIdentity();
const PRIMARY = new PrimaryPhone();
/** A timer of the library's that lives on for so long after a message. */
const LIBRARY_TIMER_MS = 110;
const PAIRING_REF = "2@pairing-reference";

/** One account with one linked device, and the people who write to it. */
export class WhatsAppPlatform implements AsyncDisposable {
  readonly identity: ServerIdentity = IDENTITY;
  readonly media: MediaServer = new MediaServer();
  readonly chats: Chats = new Chats();
  readonly bot: Directory["bot"] & { readonly name: string };
  /** What was done against the rules; a test may look, and empty it. */
  readonly breaches: string[] = this.chats.breaches;
  /** Nodes of the device that were no answers, by tag and kind. */
  readonly touches: string[] = [];
  /** Logins are refused with this reason; null lets them in. */
  refusal: string | null = null;
  /** One-time keys that the server has; few make a device upload more. */
  preKeys = 100;
  /** How often the device logged in. */
  logins = 0;
  /** How often a device asked to be linked, and was. */
  readonly pairings = { begun: 0, finished: 0 };
  readonly #primary = PRIMARY;
  readonly #phones: Phone[] = [];
  readonly #groups: Group[] = [];
  readonly #sessions = new Set<ClientSession>();
  readonly #faults: Fault[] = [];
  readonly #inbound: Inbound;
  readonly #server: Deno.HttpServer<Deno.NetAddr>;
  readonly #relay: Relay;
  #bundle: KeyBundle | null = null;
  #linkHello: BinaryNode | null = null;
  #typedCode = "";
  #ready: ClientSession | null = null;
  #busy = 0;

  constructor() {
    const { phone, lid, device, name } = BOT;
    this.bot = {
      jid: `${phone}:${device}@${SERVER}`,
      lidJid: `${lid}:${device}@lid`,
      device,
      name,
    };
    this.#inbound = new Inbound({
      botJid: this.bot.lidJid,
      bundle: () => this.#bundle,
      send: (stanza) => this.#ready?.send(stanza),
    });
    this.#server = Deno.serve(
      { hostname: "127.0.0.1", port: 0, onListen: () => {} },
      (request, info) => this.#answer(request, info.remoteAddr.port),
    );
    this.#relay = new Relay(this.#server.addr.port);
  }

  /** Address of the socket. */
  get url(): string {
    return `ws://127.0.0.1:${this.#relay.port}/ws/chat`;
  }

  /** Connections and requests that are open. */
  get open(): number {
    return this.#sessions.size + this.#busy;
  }

  /** The bot's number, digits only. */
  get botPhone(): string {
    return BOT.phone;
  }

  /** The bot's number in the new kind of address. */
  get botLid(): string {
    return BOT.lid;
  }

  addPerson(phone: string, options: { readonly lid: string; readonly name: string }): Phone {
    const person = new Phone(phone, options);
    this.#phones.push(person);
    return person;
  }

  addGroup(jid: string, subject: string, members: readonly Phone[]): void {
    this.#groups.push({ jid, subject, members });
  }

  /** Credentials as they are once a device was linked. */
  linked(fresh: AuthenticationCreds): AuthenticationCreds {
    const { signedIdentityKey, signedPreKey, registrationId } = fresh;
    const { keyId, keyPair, signature } = signedPreKey;
    const identity = signedIdentityKey.public;
    this.#bundle = {
      registrationId,
      identity,
      signedPreKey: { keyId, public: keyPair.public, signature },
    };
    const account = this.#primary.vouch(identity);
    return {
      ...fresh,
      account,
      me: { id: this.bot.jid, lid: this.bot.lidJid, name: this.bot.name },
      registered: true,
      accountSyncCounter: 1,
    };
  }

  /** A phone scans the code. */
  scan(code: string): void {
    const [, , identity = "", secret = ""] = (code.split("#")[1] ?? "").split(",");
    const key = Buffer.from(identity, "base64");
    this.#sendAll(this.#primary.success(key, Buffer.from(secret, "base64"), this.bot));
  }

  /** The code is typed into a phone. */
  async enterCode(code: string): Promise<void> {
    this.#typedCode = code;
    this.#sendAll(await this.#primary.codeEntered(code, PAIRING_REF));
  }

  /** A person writes. @returns the message's id */
  userSays(says: Says): string {
    return this.#inbound.say(says);
  }

  /** The server brings a message once more. */
  repeat(id: string): void {
    this.#inbound.repeat(id);
  }

  /** Resolves at the moment when the device says that it has a message. */
  delivered(id: string): Promise<void> {
    return this.#inbound.whenDelivered(id);
  }

  /** What happens to the next message. */
  plant(fault: Fault): void {
    this.#faults.push(fault);
  }

  /** Ends the device's stream with a code, and what stands beside it. */
  endStream(code: string, reason?: BinaryNode): void {
    this.#sendAll(node("stream:error", { code }, reason === undefined ? [] : [reason]));
    for (const session of this.#sessions) session.close();
  }

  goOffline(): void {
    this.#relay.goOffline();
  }

  comeBack(): void {
    this.#relay.comeBack();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const session of this.#sessions) session.close();
    await this.#inbound.settled();
    if (this.#inbound.hasSaid) await delay(LIBRARY_TIMER_MS);
    await this.chats.settled();
    await this.#relay[Symbol.asyncDispose]();
    await this.#server.shutdown();
    for (const phone of this.#phones) phone[Symbol.dispose]();
    if (this.breaches.length > 0) throw new Error(`Against the rules: ${this.breaches.join("; ")}`);
  }

  async #answer(request: Request, clientPort: number): Promise<Response> {
    if (request.headers.get("upgrade") !== "websocket") {
      this.#busy++;
      this.touches.push(`media ${request.method}`);
      return await this.media.answer(request).finally(() => this.#busy--);
    }
    const { socket, response } = Deno.upgradeWebSocket(request);
    const session = new ClientSession(socket, this.#relay.link(clientPort), {
      identity: this.identity,
      events: {
        greeted: (greeted, payload) => this.#greet(greeted, payload),
        received: (from, received) => void this.#receive(from, received),
        closed: (closed) => {
          this.#sessions.delete(closed);
          if (this.#ready === closed) this.#ready = null;
        },
      },
    });
    this.#sessions.add(session);
    return response;
  }

  #greet(session: ClientSession, payload: proto.ClientPayload): void {
    if (payload.devicePairingData) {
      this.pairings.begun++;
      this.#bundle = bundleOf(payload);
      const refs = ["1", "2", "3"].map((at) => node("ref", {}, Buffer.from(`${PAIRING_REF}${at}`)));
      const attrs = { id: "pair-0", from: SERVER, type: "set" };
      return session.send(node("iq", attrs, [node("pair-device", {}, refs)]));
    }
    if (this.refusal !== null) {
      session.send(node("failure", { reason: this.refusal }));
      return session.close();
    }
    this.logins++;
    session.send(
      node("success", { t: String(Math.floor(Date.now() / 1_000)), lid: this.bot.lidJid }),
    );
  }

  async #receive(session: ClientSession, received: BinaryNode): Promise<void> {
    const { tag, attrs } = received;
    switch (tag) {
      case "iq":
        return await this.#question(session, received);
      case "message":
        return await this.#message(session, received);
      case "receipt":
        if (attrs["type"] === "retry") this.breaches.push("a message could not be decrypted");
        this.#inbound.delivered(attrs["id"] ?? "");
        if (!PASSIVE_RECEIPTS.has(attrs["type"] ?? "")) {
          this.touches.push(`receipt ${attrs["type"]}`);
        }
        return;
      case "ack":
        if (attrs["error"] !== undefined) this.#inbound.delivered(attrs["id"] ?? "");
        return;
      case "chatstate":
        this.touches.push(`chatstate ${childrenOf(received)[0]?.tag}`);
        return;
      default:
        return;
    }
  }

  async #question(session: ClientSession, iq: BinaryNode): Promise<void> {
    const { id = "", type, xmlns } = iq.attrs;
    const signed = childOf(iq, "pair-device-sign");
    if (signed !== undefined) return this.#paired(session, signed);
    const link = childOf(iq, "link_code_companion_reg");
    if (link !== undefined) return await this.#linkByCode(session, id, link);
    const answer = await answerTo(iq, this.#directory());
    if (answer !== null) session.send(answer);
    if (xmlns !== "passive" || type !== "set") return;
    this.#ready = session;
    const waiting = await this.#inbound.bringWaiting();
    session.send(node("ib", { from: SERVER }, [node("offline", { count: String(waiting) })]));
  }

  #paired(session: ClientSession, signed: BinaryNode): void {
    const identity = this.#bundle?.identity ?? new Uint8Array(0);
    if (!this.#primary.isSignedBy(identity, bytesIn(childOf(signed, "device-identity")))) {
      this.breaches.push("a device signed nothing that counts");
    }
    this.pairings.finished++;
    session.send(node("stream:error", { code: "515" }));
    session.close();
  }

  async #linkByCode(session: ClientSession, id: string, link: BinaryNode): Promise<void> {
    const isHello = link.attrs["stage"] === "companion_hello";
    if (isHello) this.#linkHello = link;
    const ref = node("link_code_pairing_ref", {}, Buffer.from(PAIRING_REF));
    const content = isHello ? [node("link_code_companion_reg", {}, [ref])] : [];
    session.send(node("iq", { id, from: SERVER, type: "result" }, content));
    if (isHello || this.#linkHello === null) return;
    const secret = await this.#primary.secretByCode(this.#typedCode, this.#linkHello, link);
    const identity = bytesIn(childOf(link, "companion_identity_public"));
    session.send(this.#primary.success(identity, secret, this.bot));
  }

  async #message(session: ClientSession, stanza: BinaryNode): Promise<void> {
    const { id = "", to = "", type = "" } = stanza.attrs;
    this.touches.push(`message ${type}`);
    const fault = type === "reaction" ? undefined : this.#faults.shift();
    const t = String(Math.floor(Date.now() / 1_000));
    const ack = node("ack", { class: "message", id, from: to, t });
    if (this.refusal !== null) return;
    if (fault?.kind === "refusal") {
      return session.send(node("ack", { ...ack.attrs, error: String(fault.code) }));
    }
    await this.chats.take(stanza, this.#directory());
    switch (fault?.kind) {
      case undefined:
        return session.send(ack);
      case "lost_answer":
        return session.cut();
      case "half_answer":
        return session.sendHalf(ack);
      case "garbled_answer":
        return await session.babble();
    }
  }

  #sendAll(stanza: BinaryNode): void {
    for (const session of this.#sessions) session.send(stanza);
  }

  #directory(): Directory {
    const bare = (jid: string): string => jid.replace(/[:@].*$/, "");
    return {
      bot: this.bot,
      botBundle: this.#bundle,
      preKeys: this.preKeys,
      mediaHost: `127.0.0.1:${this.#relay.port}`,
      phoneOf: (jid) => this.#phones.find(({ phone, lid }) => [phone, lid].includes(bare(jid))),
      groupOf: (jid) => this.#groups.find((group) => group.jid === jid),
    };
  }
}
