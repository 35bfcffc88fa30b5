/**
 * One connection of the linked device, by the library.
 * @module
 */

import type { AuthenticationCreds, BinaryNode, proto, WASocket } from "@whiskeysockets/baileys";
import { getLogger } from "@logtape/logtape";
import { randomBytes } from "node:crypto";
import { type Clock, sleep } from "../../../actors/kernel/clock.ts";
import { WhatsAppRefusedError, WhatsAppUnreachableError } from "../errors.ts";
import { personOf } from "../ids.ts";
import type {
  Connection,
  ConnectionEvents,
  Ending,
  MessageRef,
  Outgoing,
  Presence,
} from "../link.ts";
import type { ReceivedMessage } from "../wire.ts";
import { Acknowledgements } from "./acknowledgements.ts";
import { decodedMessage, decodedStanza, type OwnIds, writerOf } from "./decode.ts";
import type { DeviceStore, StoredDevice } from "./device_store.ts";
import { GroupCache } from "./group_cache.ts";
import { type Library, libraryLogger } from "./library.ts";
import { sealFile } from "./media_cipher.ts";
import { MediaServers } from "./media_server.ts";
import { fileMessage, keyOf, reactionMessage, textMessage } from "./outgoing.ts";
import { RecentIds } from "./recent_ids.ts";
import { durableSignal, keyStore } from "./signal.ts";

const logger = getLogger(["troupe", "whatsapp", "connection"]);

/** What a connection is made of. */
export interface ConnectionOptions {
  readonly library: Library;
  readonly store: DeviceStore;
  readonly device: StoredDevice;
  readonly serverUrl: string;
  readonly clock: Clock;
  readonly events: ConnectionEvents;
}

/** Longest wait for the server's word about a message, with all that goes before it. */
const SEND_MS = 60_000;
/** Longest wait for the end of a connection that we end. */
const CLOSE_MS = 5_000;
const MEDIA_KEY_BYTES = 32;
/** Nothing that a person says to the bot comes from there. */
const OTHER_SENDERS = /@(?:newsletter|broadcast)$/;
/** How the phone's list of devices shows this one; the library's own are the only ones it takes. */
const DEVICE_KIND = "Chrome";

/** Connects; says nothing about whether that works, which its events do. */
export function connect(options: ConnectionOptions): Connection {
  return new LibraryConnection(options);
}

class LibraryConnection implements Connection {
  readonly ended: Promise<Ending>;
  readonly #options: ConnectionOptions;
  readonly #credentials: AuthenticationCreds;
  readonly #socket: WASocket;
  readonly #media: MediaServers;
  readonly #acknowledgements = new Acknowledgements();
  readonly #groups: GroupCache;
  readonly #recent = new RecentIds();
  /** In which node something encrypted came. */
  readonly #stanzas = new WeakMap<Uint8Array, BinaryNode>();
  /** Why nothing more is taken from this connection; null while all is well. */
  #fault: Error | null = null;

  constructor(options: ConnectionOptions) {
    const { clock, device: { credentials }, library, serverUrl } = options;
    this.#options = options;
    this.#media = new MediaServers(serverUrl);
    this.#credentials = credentials === null
      ? library.initAuthCreds()
      : JSON.parse(credentials, library.BufferJSON.reviver);
    this.#groups = new GroupCache(clock, (jid) => this.#socket.groupMetadata(jid));
    this.#socket = this.#open();
    const ending = Promise.withResolvers<Ending>();
    this.ended = ending.promise;
    this.#listen(ending.resolve);
  }

  async requestCode(digits: string): Promise<string> {
    return await this.#socket.requestPairingCode(digits);
  }

  async send(outgoing: Outgoing, signal: AbortSignal): Promise<void> {
    const { chatJid, id } = outgoing;
    await this.#inTime("a message", signal, async (ending) => {
      const message = await this.#messageOf(outgoing, ending);
      this.#options.store.keepSent(
        id,
        this.#options.library.proto.Message.encode(message).finish(),
      );
      const acknowledged = this.#acknowledgements.of(id);
      try {
        await this.#socket.relayMessage(chatJid, message, { messageId: id });
        const code = await acknowledged;
        if (code !== null) throw new WhatsAppRefusedError("a message", code);
      } finally {
        this.#acknowledgements.drop(id);
      }
    });
  }

  async react(message: MessageRef, emoji: string | null, signal: AbortSignal): Promise<void> {
    const { clock, library } = this.#options;
    const reaction = reactionMessage(message, emoji ?? "", clock.now());
    const messageId = library.generateMessageIDV2(this.#credentials.me?.id);
    await this.#inTime("a reaction", signal, async () => {
      await this.#socket.relayMessage(message.chatJid, reaction, { messageId });
    });
  }

  async showPresence(chatJid: string, presence: Presence): Promise<void> {
    await this.#socket.sendPresenceUpdate(presence, chatJid);
  }

  async markRead(message: MessageRef): Promise<void> {
    await this.#socket.readMessages([keyOf(message)]);
  }

  /** What the library is at ends first; its questions without an answer, which it leaves waiting, too. */
  async [Symbol.asyncDispose](): Promise<void> {
    const { ws, messageMutex, signalRepository } = this.#socket;
    const late = new AbortController();
    const limit = sleep(this.#options.clock, CLOSE_MS, late.signal).catch(() => {});
    await Promise.race([messageMutex.mutex(() => {}), limit]);
    ws.emit("error", new Error("the connection is closed"));
    await Promise.race([this.ended, limit]);
    signalRepository.close?.(); // once more: it may have been used after its end
    late.abort();
    await limit;
  }

  get #own(): OwnIds {
    const { id = "", lid = "" } = this.#credentials.me ?? {};
    return { id, lid };
  }

  #open(): WASocket {
    const { library, device, serverUrl, store } = this.#options;
    const { Browsers, DEFAULT_CONNECTION_CONFIG, makeWASocket, proto } = library;
    return makeWASocket({
      auth: { creds: this.#credentials, keys: keyStore(library, device.keys) },
      waWebSocketUrl: serverUrl,
      logger: libraryLogger(),
      browser: Browsers.ubuntu(DEVICE_KIND),
      syncFullHistory: false,
      markOnlineOnConnect: false,
      emitOwnEvents: false,
      shouldIgnoreJid: (jid) => OTHER_SENDERS.test(jid),
      cachedGroupMetadata: (jid) => this.#groups.get(jid),
      getMessage: ({ id }) => {
        const message = store.sent(id ?? "");
        return Promise.resolve(message === null ? undefined : proto.Message.decode(message));
      },
      makeSignalRepository: durableSignal(DEFAULT_CONNECTION_CONFIG.makeSignalRepository, {
        keys: device.keys,
        stanzaOf: (ciphertext) => this.#stanzas.get(ciphertext),
        onRead: (stanza, plain) => this.#read(stanza, plain),
      }),
    });
  }

  #listen(onEnd: (ending: Ending) => void): void {
    const { device, events, library } = this.#options;
    const { ev, ws } = this.#socket;
    ws.prependListener("CB:message", (stanza: BinaryNode) => this.#noteStanza(stanza));
    ws.on("CB:ack,class:message", ({ attrs }: BinaryNode) => {
      this.#acknowledgements.take(attrs["id"] ?? "", attrs["error"]);
    });
    // The library has changed its credentials when it tells so, and answers the server after that.
    ev.on("creds.update", () => {
      if (this.#credentials.account === undefined) return;
      device.save(JSON.stringify(this.#credentials, library.BufferJSON.replacer));
    });
    ev.on("messages.upsert", ({ messages }) => {
      for (const message of messages) this.#keepAnnounced(decodedMessage(library, message));
    });
    ev.on("groups.update", (groups) => groups.forEach(({ id }) => this.#groups.forget(id)));
    ev.on("group-participants.update", ({ id }) => this.#groups.forget(id));
    ev.on("connection.update", ({ connection, qr, isNewLogin, lastDisconnect }) => {
      if (qr !== undefined) events.codeShown(qr);
      if (isNewLogin === true) events.linked();
      if (connection === "open") {
        const { id, lid } = this.#credentials.me ?? {};
        events.opened(personOf(id, lid));
      }
      if (connection === "close") {
        const ending = endingOf(lastDisconnect?.error);
        this.#acknowledgements.fail(new WhatsAppUnreachableError("a message", ending.detail));
        onEnd(ending);
      }
    });
  }

  /** The library reads messages in no order while it learns who wrote one; who did is known at once. */
  #noteStanza(stanza: BinaryNode): void {
    const { events, library } = this.#options;
    for (const { content } of Array.isArray(stanza.content) ? stanza.content : []) {
      if (content instanceof Uint8Array) this.#stanzas.set(content, stanza);
    }
    try {
      events.named(writerOf(library, { stanza, own: this.#own }));
    } catch (error) {
      this.#giveUp(error);
    }
  }

  /** @returns what to call when the message is durable @throws what makes it be read again */
  #read(stanza: BinaryNode, plain: Uint8Array): () => void {
    if (this.#fault !== null) throw this.#fault;
    const { library } = this.#options;
    try {
      return this.#keep(decodedStanza(library, { stanza, plain, own: this.#own }));
    } catch (error) {
      throw this.#giveUp(error);
    }
  }

  /** The library tells of a message that it read; nobody above it catches anything. */
  #keepAnnounced(message: ReceivedMessage | null): void {
    try {
      this.#keep(message)();
    } catch (error) {
      this.#giveUp(error);
    }
  }

  /** Keeps a message that somebody waits for; each comes here twice. */
  #keep(message: ReceivedMessage | null): () => void {
    const { events, store } = this.#options;
    if (message === null || !events.isWanted(message)) return () => {};
    const name = `${message.chatJid} ${message.id}`;
    if (this.#recent.has(name)) return () => {};
    store.inbox.put(message);
    return () => {
      this.#recent.add(name);
      events.kept();
    };
  }

  /** Nothing can be kept now: what was not acknowledged comes again over the next connection. */
  #giveUp(cause: unknown): Error {
    const reason = cause instanceof Error ? cause.message : String(cause);
    this.#fault ??= new Error(`Cannot keep what is received: ${reason}`, { cause });
    logger.error("{reason}; it comes again over a new connection", {
      reason: this.#fault.message,
    });
    this.#socket.ws.emit("error", this.#fault);
    return this.#fault;
  }

  async #messageOf(outgoing: Outgoing, signal: AbortSignal): Promise<proto.IMessage> {
    const { body, quote } = outgoing;
    if (body.kind === "text") return textMessage(body.text, quote);
    const { file: { kind, bytes } } = body;
    const mediaKey = new Uint8Array(randomBytes(MEDIA_KEY_BYTES));
    const { bytes: sealed, fileSha256, fileEncSha256 } = sealFile(bytes, mediaKey, kind);
    const { auth, hosts } = await this.#socket.refreshMediaConn();
    const ticket = { auth, hosts: hosts.map(({ hostname }) => hostname) };
    const lies = await this.#media.upload(ticket, sealed, { kind, sum: fileEncSha256, signal });
    const sentSeconds = Math.floor(this.#options.clock.now() / 1_000);
    return fileMessage(outgoing, { ...lies, mediaKey, fileSha256, fileEncSha256, sentSeconds });
  }

  /** Work at the server, given up when the connection ends, the time is over, or nobody wants it. */
  async #inTime(
    what: string,
    signal: AbortSignal,
    work: (signal: AbortSignal) => Promise<void>,
  ): Promise<void> {
    signal.throwIfAborted();
    const over = new AbortController();
    const ending = AbortSignal.any([signal, over.signal]);
    const working = work(ending);
    working.catch(() => {}); // it may fail when nobody waits any more
    const late = sleep(this.#options.clock, SEND_MS, ending).then(() => {
      throw new WhatsAppUnreachableError(what, `no answer came within ${SEND_MS} ms`);
    });
    late.catch(() => {});
    const lost = this.ended.then(({ detail }) => {
      throw new WhatsAppUnreachableError(what, detail);
    });
    lost.catch(() => {});
    try {
      await Promise.race([working, late, lost]);
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof WhatsAppRefusedError || error instanceof WhatsAppUnreachableError) {
        throw error;
      }
      const reason = error instanceof Error ? error.message : String(error);
      throw new WhatsAppUnreachableError(what, reason, { cause: error });
    } finally {
      over.abort();
    }
  }
}

function endingOf(error: Error | undefined): Ending {
  const output: unknown = error === undefined ? undefined : Reflect.get(error, "output");
  const code: unknown = typeof output === "object" && output !== null
    ? Reflect.get(output, "statusCode")
    : undefined;
  const detail = error?.message ?? "the connection was closed";
  return { code: typeof code === "number" ? code : 0, detail };
}
