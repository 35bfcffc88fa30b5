/**
 * A client of the WebSocket channel as its protocol asks for: it comes back when it is cut off, goes
 * on where it was, and says again what was not accepted.
 * @module
 */

import { z } from "zod";

const COME_BACK_MS = 15;
const SAY_AGAIN_MS = 20;

const fileSchema = z.object({ name: z.string(), url: z.string() });
const messageSchema = z.object({
  message_id: z.string(),
  text: z.string(),
  format: z.enum(["markdown", "plain"]),
  media: z.array(fileSchema).default([]),
  choices: z.array(z.object({ label: z.string(), says: z.string() })).default([]),
});
/** A frame as it came. */
export interface ReceivedFrame {
  readonly event: string;
  readonly chat_id?: string | undefined;
  readonly seq?: number | undefined;
  readonly [key: string]: unknown;
}

const frameSchema: z.ZodType<ReceivedFrame> = z.looseObject({
  event: z.string(),
  chat_id: z.string().optional(),
  seq: z.number().optional(),
});

/** A message of the assistant's as the client has it. */
export interface ClientMessage {
  readonly id: string;
  readonly text: string;
  readonly isPlain: boolean;
  readonly choices: readonly string[];
  readonly files: readonly { readonly name: string; readonly bytes: Uint8Array }[];
  readonly edits: number;
}

/** What a client is. */
export interface WebsocketClientOptions {
  /** For instance `127.0.0.1:8765`. */
  readonly place: string;
  readonly clientId: string;
  readonly chatId: string;
  readonly token: string;
}

/** How the next frame of a chat is met. */
export type FrameFault = "cut_before" | "cut_after";

/** A client that is there until it is disposed of. */
export class WebsocketClient implements Disposable {
  readonly #options: WebsocketClientOptions;
  readonly #messages = new Map<string, ClientMessage>();
  readonly #unaccepted = new Map<string, string>();
  /** Choices on their way. */
  readonly #choices: string[] = [];
  readonly #downloads = new Set<Promise<void>>();
  readonly frames: ReceivedFrame[] = [];
  /** What happens at the next frame of a chat. */
  fault: FrameFault | null = null;
  #socket: WebSocket | null = null;
  #isAttached = false;
  #isGone = false;
  #seq = 0;
  #pings = 0;
  readonly #pongs = new Map<string, () => void>();
  readonly #timers = new Set<ReturnType<typeof setTimeout>>();

  constructor(options: WebsocketClientOptions) {
    this.#options = options;
    this.#connect();
  }

  get isOpen(): boolean {
    return this.#socket !== null && this.#socket.readyState <= WebSocket.OPEN;
  }

  get messages(): readonly ClientMessage[] {
    return [...this.#messages.values()];
  }

  /** Says something, until it is accepted. */
  say(id: string, frame: Readonly<Record<string, unknown>>): void {
    const { chatId } = this.#options;
    const text = JSON.stringify({ type: "message", chat_id: chatId, client_msg_id: id, ...frame });
    this.#unaccepted.set(id, text);
    this.#send(text);
  }

  /** Takes a choice of the latest message that offers it. */
  choose(label: string): void {
    const message = this.messages.findLast(({ choices }) => choices.includes(label));
    if (message === undefined) return;
    this.chooseOf(message.id, message.choices.indexOf(label));
  }

  /** Takes a choice of a message, whether it is there or not. */
  chooseOf(messageId: string, choice: number): void {
    const { chatId } = this.#options;
    const frame = { type: "choose", chat_id: chatId, message_id: messageId, choice };
    this.#choices.push(JSON.stringify(frame));
    this.#choose();
  }

  /** Waits until everything that was sent so far is here. */
  async arrived(): Promise<void> {
    await new Promise<void>((resolve) => {
      const id = `ping-${++this.#pings}`;
      this.#pongs.set(id, resolve);
      this.#send(JSON.stringify({ type: "ping", id }));
    });
    await Promise.all(this.#downloads);
  }

  [Symbol.dispose](): void {
    this.#isGone = true;
    this.#socket?.close();
    for (const timer of this.#timers) clearTimeout(timer);
  }

  #connect(): void {
    const { place, clientId, chatId, token } = this.#options;
    const query = new URLSearchParams({ client_id: clientId, token });
    const socket = new WebSocket(`ws://${place}/?${query}`);
    this.#socket = socket;
    socket.onopen = () => {
      if (this.#isGone) return socket.close();
      socket.send(JSON.stringify({ type: "attach", chat_id: chatId, since: this.#seq }));
      this.#isAttached = true;
      for (const text of this.#unaccepted.values()) socket.send(text);
      this.#choose();
      for (const id of this.#pongs.keys()) socket.send(JSON.stringify({ type: "ping", id }));
    };
    socket.onmessage = ({ data }) => {
      if (this.#socket === socket) this.#take(String(data));
    };
    socket.onclose = () => {
      if (this.#socket !== socket) return;
      this.#isAttached = false;
      if (!this.#isGone) this.#later(COME_BACK_MS, () => this.#connect());
    };
  }

  #take(data: string): void {
    const frame = frameSchema.parse(JSON.parse(data));
    const isOfChat = frame.chat_id === this.#options.chatId &&
      ["message", "delta", "stream_end"].includes(frame.event);
    if (isOfChat && this.fault !== null) {
      const { fault } = this;
      this.fault = null;
      if (fault === "cut_after") this.#understand(frame);
      this.#cut();
    } else this.#understand(frame);
  }

  #cut(): void {
    const cut = this.#socket;
    this.#socket = null;
    this.#isAttached = false;
    cut?.close();
    this.#later(COME_BACK_MS, () => this.#connect());
  }

  #understand(frame: ReceivedFrame): void {
    this.frames.push(frame);
    if (frame.chat_id === this.#options.chatId && frame.seq !== undefined) this.#seq = frame.seq;
    switch (frame.event) {
      case "accepted":
        this.#unaccepted.delete(String(frame["client_msg_id"]));
        return;
      case "error": {
        const text = this.#unaccepted.get(String(frame["client_msg_id"]));
        if (text !== undefined) this.#later(SAY_AGAIN_MS, () => this.#send(text));
        return;
      }
      case "pong": {
        const id = String(frame["id"]);
        this.#pongs.get(id)?.();
        this.#pongs.delete(id);
        return;
      }
      case "delta":
        return this.#grow(frame);
      case "message":
        if (frame["kind"] === undefined) this.#put(frame);
        return;
      case "stream_end":
      case "update":
        return this.#put(frame);
    }
  }

  #grow(frame: ReceivedFrame): void {
    const id = String(frame["stream_id"]);
    const before = this.#messages.get(id);
    const text = (before?.text ?? "").slice(0, Number(frame["offset"])) + String(frame["text"]);
    const edits = before === undefined ? 0 : before.edits + 1;
    this.#messages.set(id, { id, text, isPlain: false, choices: [], files: [], edits });
  }

  #put(frame: ReceivedFrame): void {
    const { message_id: id, text, format, media, choices } = messageSchema.parse(frame);
    const before = this.#messages.get(id);
    if (text === "" && media.length === 0) return void this.#messages.delete(id);
    const message = {
      id,
      text,
      isPlain: format === "plain",
      choices: choices.map(({ label }) => label),
      edits: before === undefined ? 0 : before.edits + 1,
    };
    this.#messages.set(id, { ...message, files: before?.files ?? [] });
    if (media.length === 0) return;
    const downloading = this.#download(media).then((files) => {
      this.#messages.set(id, { ...message, files });
    }).finally(() => this.#downloads.delete(downloading));
    this.#downloads.add(downloading);
  }

  #download(media: readonly z.infer<typeof fileSchema>[]): Promise<ClientMessage["files"]> {
    return Promise.all(media.map(async ({ name, url }) => {
      const response = await fetch(`http://${this.#options.place}${url}`);
      return { name, bytes: await response.bytes() };
    }));
  }

  #choose(): void {
    if (!this.#isAttached) return;
    for (const choice of this.#choices.splice(0)) this.#send(choice);
  }

  #send(text: string): void {
    if (this.#isAttached && this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(text);
  }

  #later(ms: number, work: () => void): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      if (!this.#isGone) work();
    }, ms);
    this.#timers.add(timer);
  }
}
