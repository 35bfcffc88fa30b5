/**
 * One client's connection: the handshake, then binary nodes in both directions.
 * @module
 */

import { type BinaryNode, decodeBinaryNode, encodeBinaryNode } from "@whiskeysockets/baileys";
import type { proto } from "@whiskeysockets/baileys";
import { Buffer } from "node:buffer";
import type { Link } from "../feishu/relay.ts";
import {
  framed,
  FrameReader,
  HEADER,
  NoiseResponder,
  type ServerIdentity,
  type Transport,
} from "./noise.ts";

/** What a session tells the server. */
export interface SessionEvents {
  /** The handshake is done; the client says who it is. */
  greeted(session: ClientSession, payload: proto.ClientPayload): void;
  received(session: ClientSession, node: BinaryNode): void;
  closed(session: ClientSession): void;
}

/** One connection. */
export class ClientSession {
  readonly #socket: WebSocket;
  readonly #link: Link | undefined;
  readonly #events: SessionEvents;
  readonly #frames = new FrameReader();
  readonly #responder: NoiseResponder;
  #noise: Transport | null = null;
  #hasHeader = false;
  #hasHello = false;
  #work: Promise<void> = Promise.resolve();

  constructor(
    socket: WebSocket,
    link: Link | undefined,
    { identity, events }: { readonly identity: ServerIdentity; readonly events: SessionEvents },
  ) {
    this.#socket = socket;
    this.#link = link;
    this.#events = events;
    this.#responder = new NoiseResponder(identity);
    socket.binaryType = "arraybuffer";
    socket.onmessage = ({ data }) => {
      if (data instanceof ArrayBuffer) this.#take(new Uint8Array(data));
    };
    socket.onclose = () => events.closed(this);
    socket.onerror = () => {};
  }

  /** Sends a node, unless the client is gone. */
  send(node: BinaryNode): void {
    if (this.#noise === null || this.#socket.readyState !== WebSocket.OPEN) return;
    this.#socket.send(framed(this.#noise.seal(encodeBinaryNode(node))));
  }

  /** Sends the first half of a node, then is gone. */
  sendHalf(node: BinaryNode): void {
    if (this.#noise === null) return;
    const whole = framed(this.#noise.seal(encodeBinaryNode(node)));
    this.#socket.send(whole.slice(0, whole.length / 2));
    setTimeout(() => this.cut(), 5);
  }

  /** Says something that is not of this protocol, as a proxy does that lost its server. */
  async babble(): Promise<void> {
    await this.#link?.interject(new TextEncoder().encode("HTTP/1.1 502 Bad Gateway\r\n\r\n"));
    this.cut();
  }

  /** Closes in good order. */
  close(): void {
    this.#socket.close();
  }

  /** Is gone without a word. */
  cut(): void {
    this.#link?.cut();
  }

  #take(bytes: Uint8Array): void {
    const body = this.#hasHeader ? bytes : bytes.subarray(HEADER.length);
    this.#hasHeader = true;
    for (const frame of this.#frames.take(body)) {
      this.#work = this.#work.then(() => this.#read(frame));
    }
  }

  async #read(frame: Uint8Array): Promise<void> {
    if (this.#noise !== null) {
      this.#events.received(this, await decodeBinaryNode(Buffer.from(this.#noise.open(frame))));
      return;
    }
    try {
      this.#shakeHands(frame);
    } catch (error) {
      // As the service does: who cannot shake hands is cut off, and may come again.
      const why = error instanceof Error ? error.message : String(error);
      this.#socket.close(4000, `no handshake: ${why.slice(0, 100)}`);
    }
  }

  #shakeHands(frame: Uint8Array): void {
    if (!this.#hasHello) {
      this.#hasHello = true;
      this.#socket.send(framed(this.#responder.hello(frame)));
      return;
    }
    const { payload, noise } = this.#responder.finish(frame);
    this.#noise = noise;
    this.#events.greeted(this, payload);
  }
}
