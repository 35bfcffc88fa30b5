/**
 * What waits to be written to one client: bounded, so that who does not read costs little.
 * @module
 */

import type { Clock } from "../kernel/clock.ts";
import { asError } from "../kernel/errors.ts";
import type { Answer, ControlConnection } from "./control.ts";

/** Text that may wait for one client; who is further behind is cut off. */
const WAITING_CHARS_MAX = 8 * 1024 * 1024;
/** A client that takes nothing for this long is gone, or stopped. */
const WRITE_TIMEOUT_MS = 10_000;

interface Line {
  readonly mergeKey: string | undefined;
  text: string;
}

/** Writes answers in order, one at a time. */
export class Outlet {
  readonly #connection: ControlConnection;
  readonly #clock: Clock;
  readonly #onBroken: (reason: string) => void;
  readonly #waiting: Line[] = [];
  #charsWaiting = 0;
  #pumping: Promise<void> | undefined;
  #isBroken = false;

  /** @param onBroken told once, when the client takes no more */
  constructor(connection: ControlConnection, clock: Clock, onBroken: (reason: string) => void) {
    this.#connection = connection;
    this.#clock = clock;
    this.#onBroken = onBroken;
  }

  /** Adds an answer. One that still waits under the same `mergeKey` is replaced. */
  push(answer: Answer, mergeKey?: string): void {
    if (this.#isBroken) return;
    const text = `${JSON.stringify(answer)}\n`;
    const older = mergeKey === undefined
      ? undefined
      : this.#waiting.find((line) => line.mergeKey === mergeKey);
    this.#charsWaiting += text.length - (older?.text.length ?? 0);
    if (older !== undefined) older.text = text;
    else this.#waiting.push({ mergeKey, text });
    if (this.#waiting.length > 1 && this.#charsWaiting > WAITING_CHARS_MAX) {
      return this.#break("it does not read");
    }
    this.#pumping ??= this.#pump();
  }

  /** Resolves when all is written, or never will be. */
  async flushed(): Promise<void> {
    await this.#pumping;
  }

  async #pump(): Promise<void> {
    // What is pushed in the same go may still be merged.
    await Promise.resolve();
    for (let line = this.#waiting.shift(); line !== undefined; line = this.#waiting.shift()) {
      await this.#write(line.text);
      this.#charsWaiting -= line.text.length;
    }
    this.#pumping = undefined;
  }

  async #write(text: string): Promise<void> {
    const limit = this.#clock.setTimer(
      WRITE_TIMEOUT_MS,
      () => this.#break("it does not read"),
    );
    try {
      await this.#connection.write(text);
    } catch (error) {
      this.#break(asError(error).message);
    } finally {
      limit.cancel();
    }
  }

  #break(reason: string): void {
    if (this.#isBroken) return;
    this.#isBroken = true;
    this.#waiting.length = 0;
    this.#connection.close();
    this.#onBroken(reason);
  }
}
