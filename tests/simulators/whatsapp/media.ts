/**
 * The server for files, which come and go encrypted.
 * @module
 */

import { hkdf, type MediaType } from "@whiskeysockets/baileys";
import { Buffer } from "node:buffer";
import { createCipheriv, createDecipheriv, createHash, createHmac, randomBytes } from "node:crypto";

/** Where a file lies, as a message says it. */
export interface StoredMedia {
  readonly directPath: string;
  readonly url: string;
  readonly mediaKey: Uint8Array;
  readonly fileSha256: Uint8Array;
  readonly fileEncSha256: Uint8Array;
  readonly fileLength: number;
}

const MAC_BYTES = 10;

/** Files by their paths. */
export class MediaServer {
  readonly #files = new Map<string, Uint8Array<ArrayBuffer>>();
  /** What uploads are answered with; null stores them. */
  refusal: number | null = null;
  /** Uploads so far. */
  uploads = 0;

  /** Answers a request for a file, or with one. */
  async answer(request: Request): Promise<Response> {
    const { pathname, origin } = new URL(request.url);
    if (request.method === "GET") {
      const bytes = this.#files.get(pathname);
      return new Response(bytes ?? "gone", { status: bytes === undefined ? 410 : 200 });
    }
    const bytes = new Uint8Array(await request.arrayBuffer());
    this.uploads++;
    if (this.refusal !== null) return new Response("no", { status: this.refusal });
    const directPath = `/v/up${this.#files.size}`;
    this.#files.set(directPath, bytes);
    return Response.json({ url: `${origin}${directPath}`, direct_path: directPath });
  }

  /** Stores a file of a person's. */
  put(plain: Uint8Array, type: MediaType): StoredMedia {
    const mediaKey = randomBytes(32);
    const { iv, cipherKey, macKey } = keysOf(mediaKey, type);
    const cipher = createCipheriv("aes-256-cbc", cipherKey, iv);
    const sealed = Buffer.concat([cipher.update(plain), cipher.final()]);
    const mac = createHmac("sha256", macKey).update(iv).update(sealed).digest().subarray(0, 10);
    const bytes = new Uint8Array(Buffer.concat([sealed, mac]));
    const directPath = `/v/in${this.#files.size}`;
    this.#files.set(directPath, bytes);
    return {
      directPath,
      url: `https://mmg.whatsapp.net${directPath}`,
      mediaKey,
      fileSha256: digest(plain),
      fileEncSha256: digest(bytes),
      fileLength: plain.length,
    };
  }

  /** Changes a byte of a file that lies here. */
  damage(directPath: string): void {
    const bytes = this.#files.get(directPath);
    if (bytes !== undefined) bytes.set([(bytes[0] ?? 0) ^ 1], 0);
  }

  /** Takes a file away. */
  remove(directPath: string): void {
    this.#files.delete(directPath);
  }

  /** Decrypts a file as a phone does, all of whose sums must be right. */
  read(
    { directPath, mediaKey, fileSha256, fileEncSha256 }: Pick<
      StoredMedia,
      "directPath" | "mediaKey" | "fileSha256" | "fileEncSha256"
    >,
    type: MediaType,
  ): Uint8Array {
    const bytes = this.#files.get(directPath);
    if (bytes === undefined) throw new TypeError(`Cannot read "${directPath}": no such file`);
    const { iv, cipherKey, macKey } = keysOf(mediaKey, type);
    const sealed = bytes.subarray(0, -MAC_BYTES);
    const mac = createHmac("sha256", macKey).update(iv).update(sealed).digest().subarray(0, 10);
    const decipher = createDecipheriv("aes-256-cbc", cipherKey, iv);
    const plain = Buffer.concat([decipher.update(sealed), decipher.final()]);
    const isRight = mac.equals(bytes.subarray(-MAC_BYTES)) &&
      digest(bytes).equals(fileEncSha256) && digest(plain).equals(fileSha256);
    if (!isRight) throw new TypeError(`Cannot read "${directPath}": its sums are wrong`);
    return new Uint8Array(plain);
  }
}

const PURPOSES: Readonly<Record<string, string>> = {
  image: "Image",
  sticker: "Image",
  video: "Video",
  audio: "Audio",
  document: "Document",
};

function keysOf(
  mediaKey: Uint8Array,
  type: MediaType,
): { readonly iv: Uint8Array; readonly cipherKey: Uint8Array; readonly macKey: Uint8Array } {
  const all = hkdf(mediaKey, 112, { info: `WhatsApp ${PURPOSES[type]} Keys` });
  return { iv: all.subarray(0, 16), cipherKey: all.subarray(16, 48), macKey: all.subarray(48, 80) };
}

function digest(bytes: Uint8Array): Buffer {
  return createHash("sha256").update(bytes).digest();
}
