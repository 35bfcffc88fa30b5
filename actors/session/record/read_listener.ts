/**
 * Listens to what is read beside a message's words, and to what the message brings to mind.
 * @module
 */

import type { SessionServices } from "../ports.ts";
import { imageMark } from "./digests.ts";
import type { RecordedRead } from "./recorded_step.ts";
import type { ReadBeside, StepInputs } from "./step_inputs.ts";

/** The ports through which one message is read, with what they give noted. */
export class ReadListener {
  readonly #images: RecordedRead["images"][number][] = [];
  readonly #documents: RecordedRead["documents"][number][] = [];
  readonly #services: ReadPorts;
  readonly #inputs: Pick<StepInputs, "reminds">;

  constructor(services: ReadPorts, inputs: Pick<StepInputs, "reminds">) {
    this.#services = services;
    this.#inputs = inputs;
  }

  /** The ports. */
  get ports(): ReadPorts {
    const { readImage, readDocument, remind } = this.#services;
    return {
      readImage: async (path) => {
        const image = await readImage(path);
        const seen = image && { mime: image.mime, mark: imageMark(image.base64) };
        this.#images.push([path, seen]);
        return image;
      },
      readDocument: readDocument && (async (path, charsMax) => {
        const text = await readDocument(path, charsMax);
        this.#documents.push([path, text]);
        return text;
      }),
      remind: remind && (async (inbound, visible) => {
        const hits = await remind(inbound, visible);
        this.#inputs.reminds(inbound, hits);
        return hits;
      }),
    };
  }

  /** What was read so far. */
  get beside(): ReadBeside {
    return { images: this.#images, documents: this.#documents };
  }
}

type ReadPorts = Pick<SessionServices, "readImage" | "readDocument" | "remind">;
