/**
 * The messages whose buttons may still be pressed, for as long as a channel runs.
 * @module
 */

/** Of older messages the buttons stay, and say so when they are pressed. */
const OPEN_MAX = 200;

/** Messages with buttons, by the key of their delivery. */
export class OpenChoices<Message> {
  readonly #messages = new Map<string, Message>();

  /** A message with buttons is there. */
  note(key: string, message: Message): void {
    this.#messages.set(key, message);
    const [oldest] = this.#messages.keys();
    if (this.#messages.size > OPEN_MAX && oldest !== undefined) this.#messages.delete(oldest);
  }

  /** The message whose buttons go now, once; undefined when none is known. */
  take(key: string): Message | undefined {
    const message = this.#messages.get(key);
    this.#messages.delete(key);
    return message;
  }
}
