/**
 * Messages as WhatsApp wants them.
 * @module
 */

import type { proto } from "@whiskeysockets/baileys";
import type { MessageRef, Outgoing, Quote } from "../link.ts";
import type { UploadedFile } from "./media_server.ts";
import type { SealedFile } from "./media_cipher.ts";

/** A file that lies at the server, and the key to it. */
export interface SentFile extends UploadedFile, Omit<SealedFile, "bytes"> {
  readonly mediaKey: Uint8Array;
  readonly sentSeconds: number;
}

/** A text. */
export function textMessage(text: string, quote: Quote | undefined): proto.IMessage {
  return { extendedTextMessage: { text, ...contextOf(quote) } };
}

/** A file, by its kind. */
export function fileMessage(outgoing: Outgoing, sent: SentFile): proto.IMessage {
  const { body, quote } = outgoing;
  if (body.kind !== "file") return textMessage(body.text, quote);
  const { kind, name, mimetype, bytes } = body.file;
  const { url, directPath, mediaKey, fileSha256, fileEncSha256, sentSeconds } = sent;
  const file = {
    ...{ url, directPath, mediaKey, fileSha256, fileEncSha256, mimetype },
    fileLength: bytes.length,
    mediaKeyTimestamp: sentSeconds,
    ...contextOf(quote),
  };
  switch (kind) {
    case "image":
      return { imageMessage: file };
    case "video":
      return { videoMessage: file };
    case "gif":
      return { videoMessage: { ...file, gifPlayback: true } };
    case "audio":
      return { audioMessage: file };
    case "voice":
      return { audioMessage: { ...file, ptt: true } };
    case "document":
      return { documentMessage: { ...file, fileName: name, title: name } };
  }
}

/** A reaction; "" takes one away. */
export function reactionMessage(
  message: MessageRef,
  emoji: string,
  nowMs: number,
): proto.IMessage {
  return {
    reactionMessage: { key: keyOf(message), text: emoji, senderTimestampMs: nowMs },
  };
}

/** A message of somebody else's, as the library names it. */
export function keyOf({ chatJid, id, participantJid }: MessageRef): proto.IMessageKey {
  return {
    remoteJid: chatJid,
    fromMe: false,
    id,
    ...(participantJid !== undefined && { participant: participantJid }),
  };
}

function contextOf(
  quote: Quote | undefined,
): { readonly contextInfo?: proto.IContextInfo } {
  if (quote === undefined) return {};
  const { id, chatJid, participantJid, text } = quote;
  return {
    contextInfo: {
      stanzaId: id,
      participant: participantJid ?? chatJid,
      quotedMessage: { conversation: text },
    },
  };
}
