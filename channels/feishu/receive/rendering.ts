/**
 * The parts of a message as text and files: what has to be fetched is fetched, and what cannot be
 * is named.
 * @module
 */

import { basename } from "node:path";
import type { InboundContents } from "../../channel.ts";
import type { Speech } from "../../media/speech.ts";
import { bracketed } from "../../media/bracketed.ts";
import type { Bundles } from "./bundles.ts";
import type { Downloads } from "./downloads.ts";
import type { Part, Resource } from "./parts.ts";

/** Files of one message; a post can name more. */
const FILES_MAX = 50;

/** What rendering needs. */
export interface RenderingOptions {
  readonly downloads: Pick<Downloads, "fetch">;
  readonly bundles: Pick<Bundles, "textOf">;
  readonly speech: Pick<Speech, "textOf">;
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
    if (resource.kind === "audio") {
      return { text: await this.#options.speech.textOf(file.path), media };
    }
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
}

function failed({ kind, name }: Resource, reason: string): Piece {
  const shown = name.replaceAll(/\s+/g, " ").slice(0, 100).toWellFormed();
  const detail = shown === "" ? reason : `${shown}: ${reason}`;
  return { text: `[${kind}: download failed (${detail})]`, media: [] };
}
