/**
 * What a phone shows of a message.
 * @module
 */

import type { proto } from "@whiskeysockets/baileys";
import type { MediaServer } from "./media.ts";

/** A file as it arrived. */
export interface SeenFile {
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** The words of a message. */
export function textIn(message: proto.IMessage): string {
  return message.conversation ?? message.extendedTextMessage?.text ?? "";
}

/** The file of a message, if it has one. */
export function filesIn(message: proto.IMessage, media: MediaServer): readonly SeenFile[] {
  const { imageMessage, videoMessage, audioMessage, documentMessage } = message;
  const kinds = [
    ["image", imageMessage],
    ["video", videoMessage],
    ["audio", audioMessage],
    ["document", documentMessage],
  ] as const;
  return kinds.flatMap(([type, file]) => {
    const { directPath, mediaKey, fileSha256, fileEncSha256 } = file ?? {};
    if (!directPath || !mediaKey || !fileSha256 || !fileEncSha256) return [];
    const bytes = media.read({ directPath, mediaKey, fileSha256, fileEncSha256 }, type);
    return [{ name: documentMessage?.fileName ?? "", bytes }];
  });
}
