/**
 * WhatsApp's servers for files.
 * @module
 */

import { Buffer } from "node:buffer";
import { z } from "zod";
import { WhatsAppRefusedError, WhatsAppUnreachableError } from "../errors.ts";
import type { FileKind, FileSource } from "../link.ts";
import type { FileMessage } from "../wire.ts";
import { openingFile } from "./media_cipher.ts";

/** Where files are that name no server. */
const DEFAULT_HOST = "mmg.whatsapp.net";
const OWN_HOST = /(^|\.)whatsapp\.net$/;
const ORIGIN = "https://web.whatsapp.com";
/** Longest time for one file. */
const TRANSFER_MS = 300_000;
const PATHS: Readonly<Record<FileKind, string>> = {
  image: "/mms/image",
  video: "/mms/video",
  gif: "/mms/video",
  audio: "/mms/audio",
  voice: "/mms/audio",
  document: "/mms/document",
};

/** Where an uploaded file lies. */
export interface UploadedFile {
  readonly url: string;
  readonly directPath: string;
}

/** Who may upload where. */
export interface UploadTicket {
  readonly auth: string;
  readonly hosts: readonly string[];
}

const uploadSchema = z.object({ url: z.string().min(1), direct_path: z.string().min(1) });

/** Uploads and fetches files. */
export class MediaServers implements FileSource {
  readonly #base: string | null;

  /** @param serverUrl where the socket is: files of a server without TLS lie there as well */
  constructor(serverUrl: string) {
    const { protocol, host } = new URL(serverUrl);
    this.#base = protocol === "ws:" ? `http://${host}` : null;
  }

  /** Uploads an encrypted file to the first server that takes it. */
  async upload(
    { auth, hosts }: UploadTicket,
    bytes: Uint8Array<ArrayBuffer>,
    { kind, sum, signal }: {
      readonly kind: FileKind;
      readonly sum: Uint8Array;
      readonly signal: AbortSignal;
    },
  ): Promise<UploadedFile> {
    const token = Buffer.from(sum).toString("base64url");
    const query = new URLSearchParams({ auth, token });
    let failure: unknown = new WhatsAppUnreachableError("a file", "no server takes files now");
    for (const host of hosts) {
      const url = `${this.#base ?? `https://${host}`}${PATHS[kind]}/${token}?${query}`;
      try {
        const answer = await called(url, signal, { method: "POST", body: bytes });
        return uploaded(await answer.json());
      } catch (error) {
        signal.throwIfAborted();
        failure = error;
      }
    }
    throw failure;
  }

  /** Fetches a file and decrypts it as it comes. */
  async openFile(
    { directPath, url, mediaKey, fileSha256 }: FileMessage,
    kind: FileKind,
    signal: AbortSignal,
  ): Promise<ReadableStream<Uint8Array>> {
    const address = this.#addressOf(directPath, url);
    if (address === null || mediaKey === undefined) {
      throw new WhatsAppRefusedError("for a file without an address", 404);
    }
    const { body } = await called(address, signal, {});
    if (body === null) throw new WhatsAppUnreachableError("for a file", "nothing came");
    const sums = { fileSha256: fileSha256 === undefined ? null : fromBase64(fileSha256) };
    return body.pipeThrough(openingFile(fromBase64(mediaKey), kind, sums));
  }

  /** Only servers of WhatsApp's own are asked, whatever a message says. */
  #addressOf(directPath: string | undefined, url: string | undefined): string | null {
    const named = URL.parse(url ?? "");
    const host = named !== null && OWN_HOST.test(named.hostname) ? named.hostname : DEFAULT_HOST;
    const path = directPath ?? (named === null ? "" : `${named.pathname}${named.search}`);
    return path.startsWith("/") ? `${this.#base ?? `https://${host}`}${path}` : null;
  }
}

/** An answer that is one. */
async function called(url: string, signal: AbortSignal, init: RequestInit): Promise<Response> {
  let answer: Response;
  try {
    answer = await fetch(url, {
      ...init,
      headers: { origin: ORIGIN },
      redirect: "error",
      signal: AbortSignal.any([signal, AbortSignal.timeout(TRANSFER_MS)]),
    });
  } catch (error) {
    signal.throwIfAborted();
    throw new WhatsAppUnreachableError("a file", "no connection to the server for files", {
      cause: error,
    });
  }
  if (answer.ok) return answer;
  await answer.body?.cancel();
  throw new WhatsAppRefusedError("a file", answer.status);
}

function uploaded(answer: unknown): UploadedFile {
  const { url, direct_path: directPath } = uploadSchema.parse(answer);
  return { url, directPath };
}

function fromBase64(text: string): Uint8Array {
  return Buffer.from(text, "base64");
}
