/**
 * Files of messages, fetched into the media folder; what cannot be fetched is named.
 * @module
 */

import { basename } from "node:path";
import { getLogger } from "@logtape/logtape";
import type { Clock } from "../../../actors/kernel/clock.ts";
import type { InboundContents } from "../../channel.ts";
import { MediaError, type MediaStore, tooLarge } from "../../media/adapters/media_store.ts";
import { bracketed } from "../../media/bracketed.ts";
import { Limiter } from "../../media/limiter.ts";
import { type MediaKind, mediaName } from "../../media/media_name.ts";
import type { Speech } from "../../media/speech.ts";
import { withRetries } from "../../retries.ts";
import type { SlackApi } from "../api.ts";
import { SlackRefusedError, waitOf } from "../errors.ts";
import type { SlackLink } from "../link.ts";
import type { SlackFile } from "../wire.ts";

const logger = getLogger(["troupe", "slack", "files"]);

/** Slack takes a gigabyte. */
const FILE_BYTES_MAX = 100 * 1024 * 1024;
/** Downloads at the same time; the others wait. */
const AT_ONCE_MAX = 4;
/** Files of one message; Slack takes ten at once from a person. */
const FILES_MAX = 20;

/** What fetching needs. */
export interface FilesOptions {
  readonly api: Pick<SlackApi, "file">;
  readonly link: Pick<SlackLink, "download">;
  /** The bot's token goes to this host, and those below it, alone. */
  readonly apiUrl: string;
  readonly store: MediaStore;
  readonly speech: Pick<Speech, "textOf">;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** @default 100 MB */
  readonly bytesMax?: number;
}

/** Fetches files of messages. */
export class Files {
  readonly #options: FilesOptions;
  readonly #limiter = new Limiter(AT_ONCE_MAX);

  constructor(options: FilesOptions) {
    this.#options = options;
  }

  /** Fetches a message's files, or finds them where an earlier attempt left them. */
  async render(messageId: string, files: readonly SlackFile[]): Promise<InboundContents> {
    const rendered = await Promise.all(
      files.map((file, index) =>
        index < FILES_MAX
          ? this.#render(messageId, file, index)
          : { content: failed(file, "too many files"), media: [] }
      ),
    );
    return {
      content: rendered.map(({ content }) => content).join("\n"),
      media: rendered.flatMap(({ media }) => media),
    };
  }

  async #render(messageId: string, known: SlackFile, index: number): Promise<InboundContents> {
    const { api, clock, signal, speech } = this.#options;
    try {
      const file = known.file_access === "check_file_info"
        ? await withRetries(() => api.file(known.id, signal), { clock, signal, waitOf })
        : known;
      if (file.mode === "external") {
        return { content: bracketed("file", `${file.title} (${file.url_private})`), media: [] };
      }
      if (file.mode === "tombstone") return { content: "[file: deleted]", media: [] };
      const path = await this.#limiter.run(() =>
        withRetries(() => this.#fetch(messageId, file, index), { clock, signal, waitOf })
      );
      const kind = kindOf(file);
      const content = kind === "audio"
        ? await speech.textOf(path)
        : bracketed(kind, basename(path));
      return { content, media: [path] };
    } catch (error) {
      signal.throwIfAborted();
      const detail = error instanceof Error ? error.message : String(error);
      logger.warn("No download of a file of {messageId}: {detail}", { messageId, detail });
      return { content: failed(known, reasonOf(error, this.#bytesMax)), media: [] };
    }
  }

  get #bytesMax(): number {
    return this.#options.bytesMax ?? FILE_BYTES_MAX;
  }

  async #fetch(messageId: string, file: SlackFile, index: number): Promise<string> {
    const { link, store, signal } = this.#options;
    const bytesMax = this.#bytesMax;
    const url = this.#addressOf(file);
    if (file.size > bytesMax) throw tooLarge(file.size, bytesMax);
    return await link.download(url, async ({ body, contentType, length }) => {
      const isPage = /^text\/html\b/i.test(contentType) && !/html/i.test(file.mimetype);
      if (isPage) {
        await body.cancel();
        throw new SlackRefusedError("fetch a file", { reason: "not_signed_in", status: 200 });
      }
      const name = mediaName({
        messageId,
        index,
        kind: kindOf(file),
        key: file.id,
        names: [file.name, file.title],
        contentType: file.mimetype || contentType,
      });
      return await store.save(name, body, { bytesMax, length });
    }, signal);
  }

  /** @throws {SlackRefusedError} it is not at Slack */
  #addressOf(file: SlackFile): string {
    const address = file.url_private_download || file.url_private;
    const host = URL.parse(address)?.hostname;
    const home = new URL(this.#options.apiUrl).hostname;
    if (host === home || host?.endsWith(`.${home}`) === true) return address;
    throw new SlackRefusedError("fetch a file", { reason: "file_elsewhere", status: 0 });
  }
}

function kindOf({ mimetype }: SlackFile): MediaKind {
  const [type] = mimetype.split("/");
  return type === "image" || type === "audio" || type === "video" ? type : "file";
}

/** In words for a person and a model. */
function reasonOf(error: unknown, bytesMax: number): string {
  if (error instanceof MediaError) {
    if (error.code === "media_disk") return "it could not be stored";
    return `larger than ${Math.floor(bytesMax / (1024 * 1024))} MB`;
  }
  if (!(error instanceof SlackRefusedError)) return "no connection";
  if (error.reason === "file_elsewhere") return "Slack does not hold it";
  const lacksScope = error.reason === "not_signed_in" || error.status === 403 ||
    error.neededScope !== undefined;
  return lacksScope ? "the app lacks the scope files:read" : error.reason || `HTTP ${error.status}`;
}

function failed({ name, title }: SlackFile, reason: string): string {
  const shown = (name || title).replaceAll(/\s+/g, " ").slice(0, 100).toWellFormed();
  return `[file: download failed (${shown === "" ? reason : `${shown}: ${reason}`})]`;
}
