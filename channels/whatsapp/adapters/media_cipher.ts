/**
 * How files are encrypted: AES-256-CBC, and a shortened HMAC behind it.
 * @module
 */

import { Buffer } from "node:buffer";
import { createCipheriv, createDecipheriv, createHash, createHmac, hkdfSync } from "node:crypto";
import type { FileKind } from "../link.ts";

/** What keys are derived for. */
const PURPOSES: Readonly<Record<FileKind, string>> = {
  image: "WhatsApp Image Keys",
  video: "WhatsApp Video Keys",
  gif: "WhatsApp Video Keys",
  audio: "WhatsApp Audio Keys",
  voice: "WhatsApp Audio Keys",
  document: "WhatsApp Document Keys",
};
const CIPHER = "aes-256-cbc";
const MAC_BYTES = 10;
const EXPANDED_BYTES = 112;

/** An encrypted file, and what a message must say about it. */
export interface SealedFile {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly fileSha256: Uint8Array;
  readonly fileEncSha256: Uint8Array;
}

/** The sums of a file that was sent, as far as its message tells them. */
export interface Sums {
  readonly fileSha256: Uint8Array | null;
}

/** A file is not what its sender sent. */
export class MediaDamagedError extends Error {
  override readonly name = "MediaDamagedError";
}

/** Encrypts a file. @param mediaKey 32 bytes that nobody can guess */
export function sealFile(
  plain: Uint8Array,
  mediaKey: Uint8Array,
  kind: FileKind,
): SealedFile {
  const { iv, cipherKey, macKey } = keysOf(mediaKey, kind);
  const cipher = createCipheriv(CIPHER, cipherKey, iv);
  const sealed = Buffer.concat([cipher.update(plain), cipher.final()]);
  const mac = createHmac("sha256", macKey).update(iv).update(sealed).digest().subarray(
    0,
    MAC_BYTES,
  );
  const bytes = new Uint8Array(sealed.length + MAC_BYTES);
  bytes.set(sealed);
  bytes.set(mac, sealed.length);
  return { bytes, fileSha256: sumOf(plain), fileEncSha256: sumOf(bytes) };
}

/** Decrypts a file as it comes; fails at its end when it is not what was sent. */
export function openingFile(
  mediaKey: Uint8Array,
  kind: FileKind,
  { fileSha256 }: Sums,
): TransformStream<Uint8Array, Uint8Array> {
  const { iv, cipherKey, macKey } = keysOf(mediaKey, kind);
  const decipher = createDecipheriv(CIPHER, cipherKey, iv);
  const mac = createHmac("sha256", macKey).update(iv);
  const sum = createHash("sha256");
  let held = Buffer.alloc(0);
  const give = (plain: Uint8Array, to: TransformStreamDefaultController<Uint8Array>): void => {
    sum.update(plain);
    if (plain.length > 0) to.enqueue(new Uint8Array(plain));
  };
  return new TransformStream({
    transform(chunk, controller) {
      held = Buffer.concat([held, chunk]);
      const sealed = held.subarray(0, Math.max(0, held.length - MAC_BYTES));
      held = held.subarray(sealed.length);
      mac.update(sealed);
      give(decipher.update(sealed), controller);
    },
    flush(controller) {
      if (!mac.digest().subarray(0, MAC_BYTES).equals(held)) throw damaged();
      give(decipher.final(), controller);
      if (fileSha256 !== null && !sum.digest().equals(fileSha256)) throw damaged();
    },
  });
}

function damaged(): MediaDamagedError {
  return new MediaDamagedError("Cannot open a file: it is not what was sent");
}

function keysOf(
  mediaKey: Uint8Array,
  kind: FileKind,
): { readonly iv: Uint8Array; readonly cipherKey: Uint8Array; readonly macKey: Uint8Array } {
  const all = hkdfSync("sha256", mediaKey, new Uint8Array(0), PURPOSES[kind], EXPANDED_BYTES);
  const expanded = new Uint8Array(all);
  return {
    iv: expanded.subarray(0, 16),
    cipherKey: expanded.subarray(16, 48),
    macKey: expanded.subarray(48, 80),
  };
}

function sumOf(bytes: Uint8Array): Buffer {
  return createHash("sha256").update(bytes).digest();
}
