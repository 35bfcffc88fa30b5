/**
 * The parts of a message as text and files: what has to be fetched is fetched, and what cannot be
 * is named.
 * @module
 */

import { basename } from "node:path";
import { getLogger } from "@logtape/logtape";
import type { InboundContents, Transcription } from "../../channel.ts";
import type { Bundles } from "./bundles.ts";
import type { Downloads } from "./downloads.ts";
import { bracketed, type Part, type Resource } from "./parts.ts";

const logger = getLogger(["troupe", "feishu", "rendering"]);

/** What was said in recordings, kept for those who quote them. */
const TRANSCRIPTIONS_MAX = 200;
/** Files of one message; a post can name more. */
const FILES_MAX = 50;

/** What rendering needs. */
export interface RenderingOptions {
  readonly downloads: Pick<Downloads, "fetch">;
  readonly bundles: Pick<Bundles, "textOf">;
  readonly transcribe: (path: string) => Promise<Transcription>;
}

/** A message whose parts are rendered. */
export interface Rendered {
  readonly messageId: string;
  /** The group it is in, or "" for a direct chat. */
  readonly groupId: string;
  readonly parts: readonly Part[];
}

/** Text in place of a part, and the files that belong to it. */
interface Piece {
  readonly text: string;
  readonly media: readonly string[];
}

/** Renders messages. */
export class Rendering {
  readonly #options: RenderingOptions;
  readonly #transcriptions = new Map<string, string>();

  constructor(options: RenderingOptions) {
    this.#options = options;
  }

  /** Whether nothing has to be fetched for these parts. */
  isReady(parts: readonly Part[]): boolean {
    return parts.every(({ type }) => type === "text");
  }

  /** Renders a message; rejects only when the channel stops. */
  async render({ messageId, groupId, parts }: Rendered): Promise<InboundContents> {
    let files = 0;
    const pieces = await Promise.all(parts.map((part): Promise<Piece> | Piece => {
      switch (part.type) {
        case "text":
          return { text: part.text, media: [] };
        case "bundle":
          return this.#bundle(messageId, groupId);
        case "resource": {
          const index = files;
          files += part.resource.coverKey === "" ? 1 : 2;
          if (files > FILES_MAX) return failed(part.resource, "too many files");
          return this.#resource(part.resource, messageId, index);
        }
      }
    }));
    return {
      content: pieces.map(({ text }) => text).join("").trim(),
      media: pieces.flatMap(({ media }) => media),
    };
  }

  async #bundle(messageId: string, groupId: string): Promise<Piece> {
    return { text: await this.#options.bundles.textOf(messageId, groupId), media: [] };
  }

  async #resource(resource: Resource, messageId: string, index: number): Promise<Piece> {
    const { downloads } = this.#options;
    const [file, cover] = await Promise.all([
      downloads.fetch({ ...resource, messageId, index }),
      this.#cover(resource, messageId, index + 1),
    ]);
    if (file.state === "failed") {
      const piece = failed(resource, file.reason);
      return cover === null ? piece : { ...piece, media: [cover] };
    }
    const media = cover === null ? [file.path] : [file.path, cover];
    if (resource.kind === "audio") return { text: await this.#soundText(file.path), media };
    return { text: bracketed(resource.kind, basename(file.path)), media };
  }

  /** The picture of a video, which a model can look at; null without. */
  async #cover(resource: Resource, messageId: string, index: number): Promise<string | null> {
    if (resource.coverKey === "") return null;
    const { downloads } = this.#options;
    const wanted = {
      kind: "image",
      key: resource.coverKey,
      name: "cover",
      messageId,
      index,
    } as const;
    const cover = await downloads.fetch(wanted);
    return cover.state === "ok" ? cover.path : null;
  }

  async #soundText(path: string): Promise<string> {
    const known = this.#transcriptions.get(path);
    if (known !== undefined) return known;
    const heard = await this.#options.transcribe(path);
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

function failed({ kind, name }: Resource, reason: string): Piece {
  const shown = name.replaceAll(/\s+/g, " ").slice(0, 100).toWellFormed();
  const detail = shown === "" ? reason : `${shown}: ${reason}`;
  return { text: `[${kind}: download failed (${detail})]`, media: [] };
}
