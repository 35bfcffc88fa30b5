/**
 * What one client is sent: answers to its own frames at once, news of its chats as fast as it takes
 * them. Nothing waits here for a slow client beyond a bound: what it has not been sent is in the
 * chats, and is made up from there.
 * @module
 */

import type { Follow } from "../chats/follow.ts";
import type { WebSocketLink } from "../link.ts";
import type { FrameOut } from "../wire.ts";

/** Bytes that may wait for a client before it is given more. */
export const WAITING_BYTES_MAX: number = 256 * 1024;

/** The way out to one client. */
export class Outlet {
  readonly #socket: WebSocketLink;
  readonly #follows: ReadonlyMap<string, Follow>;
  readonly #onProgress: () => void;
  #isPumping = false;
  #isShut = false;
  #roomed = Promise.withResolvers<void>();

  /** @param onProgress told whenever the client took something */
  constructor(
    socket: WebSocketLink,
    follows: ReadonlyMap<string, Follow>,
    onProgress: () => void,
  ) {
    this.#socket = socket;
    this.#follows = follows;
    this.#onProgress = onProgress;
  }

  /** Whether the client has to take something before it is given more. */
  get isFull(): boolean {
    return this.#socket.waitingBytes >= WAITING_BYTES_MAX;
  }

  /** Sends a frame, whatever waits. */
  send(frame: FrameOut): void {
    if (this.#isShut) return;
    this.#socket.send(JSON.stringify(frame), () => this.#left());
  }

  /** Sends what is new in the chats, as long as there is room. */
  pump(): void {
    if (this.#isPumping) return;
    this.#isPumping = true;
    while (!this.#isShut && !this.isFull) {
      const frame = this.#next();
      if (frame === null) break;
      this.send(frame);
    }
    this.#isPumping = false;
  }

  /** Resolves when there is room, or nothing more is sent. */
  async hasRoom(): Promise<void> {
    while (this.isFull && !this.#isShut) await this.#roomed.promise;
  }

  /** Sends nothing more. */
  shut(): void {
    this.#isShut = true;
    this.#roomed.resolve();
  }

  #next(): FrameOut | null {
    for (const follow of this.#follows.values()) {
      const frame = follow.next();
      if (frame !== null) return frame;
    }
    return null;
  }

  #left(): void {
    this.#onProgress();
    if (this.isFull) return;
    this.#roomed.resolve();
    this.#roomed = Promise.withResolvers<void>();
    this.pump();
  }
}
