/**
 * Hands in what clients say.
 * @module
 */

import { getLogger } from "@logtape/logtape";
import { untilAborted } from "../../../actors/kernel/aborting.ts";
import { Background } from "../../background.ts";
import type { ChannelContext, ChannelInbound, HandInResult } from "../../channel.ts";
import { Drafts } from "../../drafts.ts";
import { tryHandIn } from "../../handing_in.ts";
import { MediaStore } from "../../media/adapters/media_store.ts";
import { Speech } from "../../media/speech.ts";
import type { ClientIdentity } from "../access/admission.ts";
import type { FileIn } from "../wire.ts";
import {
  bareContents,
  draftOf,
  keepFiles,
  readDraft,
  type ReceivedMessage,
  spokenContents,
} from "./files.ts";

const logger = getLogger(["troupe", "websocket", "receiver"]);

/** Something that a client says. */
export interface Saying {
  readonly client: ClientIdentity;
  readonly chatId: string;
  readonly platformId: string;
  /** The client's own id of it; null when it gave none. */
  readonly clientMessageId: string | null;
  readonly content: string;
  readonly files: readonly FileIn[];
}

/** The receiving half of the channel. */
export class Receiver implements AsyncDisposable {
  readonly #context: ChannelContext;
  readonly #store: MediaStore;
  readonly #background: Background;
  readonly #drafts: Drafts;

  constructor(context: ChannelContext) {
    this.#context = context;
    const { signal } = context;
    this.#store = new MediaStore(context.mediaFolder, context.newId);
    this.#background = new Background(logger, signal);
    const speech = new Speech((path) => untilAborted(context.transcribe(path), signal));
    this.#drafts = new Drafts({
      context,
      store: this.#store,
      background: this.#background,
      read: (_platformId, draft) => {
        const message = readDraft(draft);
        if (message === null) return null;
        return {
          fetch: () => spokenContents(message, speech),
          bare: () => bareContents(message),
        };
      },
    });
  }

  /** Goes on with what an earlier life accepted and did not complete; returns at once. */
  resume(): void {
    this.#drafts.resume();
  }

  /** Hands something in; it is durable unless it is `refused`. Never rejects. */
  async take(saying: Saying): Promise<HandInResult> {
    const { client, chatId, platformId, clientMessageId } = saying;
    const message = await this.#keep(saying);
    if (message === null) return "refused";
    const isSpoken = message.files.some(({ kind }) => kind === "audio");
    const inbound: ChannelInbound = {
      platformId,
      chatId,
      senderId: client.clientId,
      context: {
        remote: client.remote,
        client_id: client.clientId,
        ...(clientMessageId !== null && { client_msg_id: clientMessageId }),
      },
      ...(isSpoken ? { content: "", media: [], draft: draftOf(message) } : bareContents(message)),
    };
    const result = await tryHandIn((one) => this.#context.handIn(one), inbound, logger);
    if (result === "accepted") this.#drafts.begin(inbound);
    return result;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#background[Symbol.asyncDispose]();
  }

  /** Null when the disk does not take its files. */
  async #keep({ platformId, content, files }: Saying): Promise<ReceivedMessage | null> {
    try {
      return { content, files: await keepFiles(files, this.#store, platformId) };
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      logger.error("Cannot keep the files of {platformId}: {reason}", { platformId, reason });
      return null;
    }
  }
}
