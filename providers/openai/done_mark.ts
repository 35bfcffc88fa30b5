/**
 * Notes whether a stream of server-sent events said that it is complete. The client hides that,
 * and a stream that was cut looks the same to it.
 * @module
 */

const MARK = /(?:^|[\r\n])data: ?\[DONE\]/;

/** Longest beginning of the mark that can end a piece. */
const TAIL_CHARS = 16;

/** Watches the bytes of one stream as they pass. */
export class DoneMark {
  #tail = "";
  #isSeen = false;

  /** Whether `data: [DONE]` has passed. */
  get isSeen(): boolean {
    return this.#isSeen;
  }

  /** A stream that passes all on unchanged. */
  transform(): TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>> {
    // One character a byte, so that a character cut in two changes nothing.
    const decoder = new TextDecoder("latin1");
    return new TransformStream({
      transform: (bytes, controller) => {
        const text = this.#tail + decoder.decode(bytes);
        this.#isSeen ||= MARK.test(text);
        this.#tail = text.slice(-TAIL_CHARS);
        controller.enqueue(bytes);
      },
    });
  }
}
