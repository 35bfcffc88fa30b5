/**
 * The frames of one client that wait to be worked on, in order. A client that is faster than we are
 * has to wait: nothing is read of it meanwhile.
 * @module
 */

/** Frames and characters that may wait. */
const FRAMES_MAX = 8;
const UNITS_MAX = 256 * 1024;

/** What an inbox does to its client, and whom it gives frames to. */
export interface InboxOptions {
  readonly pause: () => void;
  readonly resume: () => void;
  /** Works on a frame; must not reject. */
  readonly work: (text: string | null) => Promise<void>;
}

/** Frames on their way in. */
export class Inbox {
  readonly #options: InboxOptions;
  readonly #frames: (string | null)[] = [];
  #units = 0;
  #isWorking = false;
  #isPaused = false;
  #isShut = false;

  constructor(options: InboxOptions) {
    this.#options = options;
  }

  /** Whether the client waits for us. */
  get isPaused(): boolean {
    return this.#isPaused;
  }

  /** Takes a frame. */
  put(text: string | null): void {
    if (this.#isShut) return;
    this.#frames.push(text);
    this.#units += text?.length ?? 0;
    if (!this.#isPaused && (this.#frames.length >= FRAMES_MAX || this.#units >= UNITS_MAX)) {
      this.#isPaused = true;
      this.#options.pause();
    }
    if (!this.#isWorking) void this.#workAll();
  }

  /** Drops what waits; what is being worked on ends. */
  shut(): void {
    this.#isShut = true;
    this.#frames.length = 0;
  }

  async #workAll(): Promise<void> {
    this.#isWorking = true;
    while (this.#frames.length > 0) {
      const text = this.#frames.shift() ?? null;
      this.#units -= text?.length ?? 0;
      await this.#options.work(text);
    }
    this.#isWorking = false;
    if (!this.#isPaused || this.#isShut) return;
    this.#isPaused = false;
    this.#options.resume();
  }
}
