/**
 * One connection of a client: what it says, what it follows, and how it ends.
 * @module
 */

import { getLogger } from "@logtape/logtape";
import type { Clock } from "../../../actors/kernel/clock.ts";
import type { NewId } from "../../../actors/kernel/random.ts";
import type { ClientIdentity } from "../access/admission.ts";
import type { Chat } from "../chats/chat.ts";
import type { Chats } from "../chats/chats.ts";
import type { KeptFile } from "../chats/entry.ts";
import { Follow } from "../chats/follow.ts";
import type { WebSocketHandlers, WebSocketLink } from "../link.ts";
import { choiceIdOf, platformIdOf } from "../receive/ids.ts";
import { Inbox } from "../receive/inbox.ts";
import type { Receiver, Saying } from "../receive/receiver.ts";
import {
  type ChooseIn,
  type FileOut,
  type FrameIn,
  type FrameOut,
  type MessageIn,
  parseFrame,
} from "../wire.ts";
import { Outlet } from "./outlet.ts";
import { Pulse } from "./pulse.ts";

const logger = getLogger(["troupe", "websocket", "client"]);

/** Chats that one connection may follow. */
const CHATS_MAX = 32;
/** Frames in a row of which nothing could be made. */
const WRONG_MAX = 100;

/** Codes by which a connection is closed; those from 4000 on are ours. */
export const CLOSE = { policy: 1008, goingAway: 1001, tooSlow: 4008 } as const;

/** What all connections share. */
export interface ClientSurroundings {
  readonly chats: Chats;
  readonly receiver: Pick<Receiver, "take">;
  readonly clock: Clock;
  readonly newId: NewId;
  readonly fileOut: (file: KeptFile) => FileOut;
  /** Any client may follow any chat. */
  readonly sharedChats: boolean;
  readonly pingIntervalMs: number;
  readonly pingTimeoutMs: number;
}

/** A connection that is open. */
export class Client implements WebSocketHandlers {
  readonly #identity: ClientIdentity;
  readonly #socket: WebSocketLink;
  readonly #surroundings: ClientSurroundings;
  readonly #follows = new Map<string, Follow>();
  readonly #outlet: Outlet;
  readonly #inbox: Inbox;
  readonly #pulse: Pulse;
  readonly #firstChatId: string;
  readonly #onEnd: () => void;
  #wrongInARow = 0;
  #hasBegun = false;
  #hasEnded = false;

  /** Greets the client. @param onEnd called once, when it is gone */
  constructor(
    identity: ClientIdentity,
    socket: WebSocketLink,
    surroundings: ClientSurroundings,
    onEnd: () => void,
  ) {
    this.#identity = identity;
    this.#socket = socket;
    this.#surroundings = surroundings;
    this.#onEnd = onEnd;
    const { clock, pingIntervalMs, pingTimeoutMs } = surroundings;
    this.#pulse = new Pulse({
      clock,
      intervalMs: pingIntervalMs,
      timeoutMs: pingTimeoutMs,
      ping: () => socket.ping(),
      isExcused: () => this.#inbox.isPaused && !this.#outlet.isFull,
      onLost: () => this.close(CLOSE.tooSlow, "nothing was answered or taken for too long"),
    });
    this.#outlet = new Outlet(socket, this.#follows, () => this.#pulse.note());
    this.#inbox = new Inbox({
      pause: () => socket.pause(),
      resume: () => socket.resume(),
      work: (text) => this.#work(text),
    });
    this.#firstChatId = surroundings.newId();
    const { clientId } = identity;
    this.#outlet.send({ event: "ready", chat_id: this.#firstChatId, client_id: clientId });
    this.#inbox.put(""); // lets it begin
  }

  onFrame(text: string | null): void {
    this.#pulse.note();
    this.#inbox.put(text);
  }

  onPong(): void {
    this.#pulse.note();
  }

  onEnd(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#pulse[Symbol.dispose]();
    this.#inbox.shut();
    this.#outlet.shut();
    for (const follow of this.#follows.values()) follow[Symbol.dispose]();
    this.#follows.clear();
    this.#onEnd();
  }

  /** Tells a client that follows a chat what is not kept. */
  tell(chatId: string, frame: FrameOut): void {
    if (this.#follows.has(chatId) && !this.#outlet.isFull) this.#outlet.send(frame);
  }

  /** Ends the connection. */
  close(code: number, reason: string): void {
    this.onEnd();
    this.#socket.close(code, reason);
  }

  async #work(text: string | null): Promise<void> {
    await this.#outlet.hasRoom();
    if (this.#hasEnded || text === null) return;
    try {
      await this.#begin();
      await this.#take(text);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      logger.error("Cannot take a frame of {clientId}: {reason}", { ...this.#identity, reason });
      this.#fail("not possible just now, send it again", { retry: true });
    }
  }

  /** Follows the chat that it was greeted with. */
  async #begin(): Promise<void> {
    if (this.#hasBegun) return;
    this.#hasBegun = true;
    await this.#inChat(this.#firstChatId, {}, (chat) => this.#follow(chat, undefined));
  }

  async #take(text: string): Promise<void> {
    const parsed = parseFrame(text);
    switch (parsed.state) {
      case "nothing":
        return;
      case "text": {
        const bare = { type: "message", chat_id: this.#firstChatId, media: [] } as const;
        return await this.#message({ ...bare, content: parsed.content });
      }
      case "wrong": {
        const { detail, clientMessageId: id } = parsed;
        this.#fail(detail, id === undefined ? {} : { client_msg_id: id });
        if (++this.#wrongInARow >= WRONG_MAX) this.close(CLOSE.policy, "too many invalid frames");
        return;
      }
      case "frame":
        this.#wrongInARow = 0;
        return await this.#frame(parsed.frame);
    }
  }

  async #frame(frame: FrameIn): Promise<void> {
    switch (frame.type) {
      case "new_chat":
        return await this.#attach(this.#surroundings.newId(), undefined);
      case "attach":
        return await this.#attach(frame.chat_id, frame.since);
      case "detach":
        this.#leave(frame.chat_id);
        return this.#outlet.send({ event: "detached", chat_id: frame.chat_id });
      case "ping":
        return this.#outlet.send({
          event: "pong",
          ...(frame.id !== undefined && { id: frame.id }),
        });
      case "choose":
        return await this.#choose(frame);
      case "message":
        return await this.#message(frame);
    }
  }

  async #attach(chatId: string, since: number | undefined): Promise<void> {
    await this.#inChat(chatId, {}, (chat) => {
      this.#leave(chatId);
      if (!this.#hasPlace()) return;
      this.#outlet.send({ event: "attached", chat_id: chatId, seq: since ?? chat.seq });
      this.#follow(chat, since);
    });
  }

  async #message({ chat_id: chatId, content, client_msg_id: id, media }: MessageIn): Promise<void> {
    const named = id === undefined ? {} : { client_msg_id: id };
    const isMine = await this.#inChat(chatId, named, (chat) => {
      if (!this.#follows.has(chatId) && this.#hasPlace()) this.#follow(chat, undefined);
    });
    if (!isMine) return;
    const { clientId } = this.#identity;
    const platformId = platformIdOf(clientId, id ?? this.#surroundings.newId());
    const clientMessageId = id ?? null;
    await this.#say({ chatId, platformId, clientMessageId, content, files: media });
  }

  async #choose({ chat_id: chatId, message_id: messageId, choice }: ChooseIn): Promise<void> {
    let says: string | undefined;
    const look = (chat: Chat) => void (says = chat.openChoice(messageId)?.choices[choice]?.says);
    if (!await this.#inChat(chatId, {}, look)) return;
    if (says === undefined) return this.#fail("no such choice, or not any more");
    const platformId = choiceIdOf(this.#identity.clientId, messageId);
    await this.#say({ chatId, platformId, clientMessageId: null, content: says, files: [] });
  }

  async #say(saying: Omit<Saying, "client">): Promise<void> {
    const result = await this.#surroundings.receiver.take({ ...saying, client: this.#identity });
    const { chatId, clientMessageId: id } = saying;
    const named = id === null ? {} : { client_msg_id: id };
    if (result === "refused") {
      return this.#fail("not accepted just now, send it again", { ...named, retry: true });
    }
    if (id === null) return;
    const duplicate = result === "duplicate";
    this.#outlet.send({ event: "accepted", chat_id: chatId, client_msg_id: id, duplicate });
  }

  /** Looks at a chat that this client may use. @returns whether it may */
  async #inChat(
    chatId: string,
    named: { readonly client_msg_id?: string },
    look: (chat: Chat) => void,
  ): Promise<boolean> {
    const { chats, sharedChats } = this.#surroundings;
    return await chats.with(chatId, async (chat) => {
      const { clientId } = this.#identity;
      if (!sharedChats && chat.owner === null) await chats.own(chat, clientId);
      const isMine = sharedChats || chat.owner === clientId;
      if (!isMine) this.#fail("another client's chat", named);
      else if (!this.#hasEnded) look(chat);
      return isMine;
    });
  }

  #hasPlace(): boolean {
    if (this.#follows.size < CHATS_MAX) return true;
    this.#fail(`too many chats: one connection follows ${CHATS_MAX}`);
    return false;
  }

  #follow(chat: Chat, since: number | undefined): void {
    const { fileOut } = this.#surroundings;
    const follow = new Follow({ chat, since, fileOut, onNews: () => this.#outlet.pump() });
    this.#follows.set(chat.id, follow);
    this.#outlet.pump();
  }

  #leave(chatId: string): void {
    this.#follows.get(chatId)?.[Symbol.dispose]();
    this.#follows.delete(chatId);
  }

  #fail(
    detail: string,
    more: { readonly client_msg_id?: string; readonly retry?: true } = {},
  ): void {
    this.#outlet.send({ event: "error", detail, ...more });
  }
}
