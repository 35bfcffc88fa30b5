/**
 * What is said in recordings, as it stands in a message's text.
 * @module
 */

import { basename } from "node:path";
import { getLogger } from "@logtape/logtape";
import type { Transcription } from "../channel.ts";
import { bracketed } from "./bracketed.ts";

const logger = getLogger(["troupe", "channels", "speech"]);

/** What was said in recordings, kept for those who quote them. */
const TRANSCRIPTIONS_MAX = 200;

/** Has recordings written down. */
export class Speech {
  readonly #transcribe: (path: string) => Promise<Transcription>;
  readonly #transcriptions = new Map<string, string>();

  constructor(transcribe: (path: string) => Promise<Transcription>) {
    this.#transcribe = transcribe;
  }

  /** The words in brackets, or in their place the file's name. */
  async textOf(path: string): Promise<string> {
    const known = this.#transcriptions.get(path);
    if (known !== undefined) return known;
    const heard = await this.#transcribe(path);
    if (heard.state === "failed") {
      logger.warn("{file} was not written down: {reason}", {
        file: basename(path),
        reason: heard.reason,
      });
      return bracketed("audio", `${basename(path)} (transcription failed)`);
    }
    if (heard.state === "off" || heard.text.trim() === "") {
      return bracketed("audio", basename(path));
    }
    const text = bracketed("transcription", heard.text);
    this.#transcriptions.set(path, text);
    const [oldest] = this.#transcriptions.keys();
    if (this.#transcriptions.size > TRANSCRIPTIONS_MAX && oldest !== undefined) {
      this.#transcriptions.delete(oldest);
    }
    return text;
  }
}
