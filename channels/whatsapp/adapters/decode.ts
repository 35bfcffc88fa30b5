/**
 * The library's messages as the channel reads them.
 * @module
 */

import type { BinaryNode, proto, WAMessage } from "@whiskeysockets/baileys";
import { getLogger } from "@logtape/logtape";
import { isGroup, type PersonIds, personOf } from "../ids.ts";
import { type ReceivedMessage, receivedSchema } from "../wire.ts";
import type { Library } from "./library.ts";

const logger = getLogger(["troupe", "whatsapp", "decode"]);

/** Bytes as base64, numbers as numbers, names for kinds. */
const AS_DATA = { bytes: String, longs: Number, enums: String };

/** Whose device it is. */
export interface OwnIds {
  readonly id: string;
  readonly lid: string;
}

/** A message by the node it came in and its text as it was decrypted; null when there is none. */
export function decodedStanza(
  library: Library,
  { stanza, plain, own }: {
    readonly stanza: BinaryNode;
    readonly plain: Uint8Array;
    readonly own: OwnIds;
  },
): ReceivedMessage | null {
  const { decodeMessageNode, proto, unpadRandomMax16 } = library;
  try {
    const { fullMessage } = decodeMessageNode(stanza, own.id, own.lid);
    const message = proto.Message.decode(unpadRandomMax16(plain));
    const contents = message.deviceSentMessage?.message ?? message;
    return decodedMessage(library, { ...fullMessage, message: contents });
  } catch (error) {
    // The library tells the server the same when it reads the message itself.
    logger.warn("Ignored a message that cannot be read: {error}", { error });
    return null;
  }
}

/** Who wrote what comes in a node, before it is decrypted; nobody when it cannot be told. */
export function writerOf(
  { decodeMessageNode }: Library,
  { stanza, own }: { readonly stanza: BinaryNode; readonly own: OwnIds },
): PersonIds {
  try {
    const { key } = decodeMessageNode(stanza, own.id, own.lid).fullMessage;
    if (key.fromMe === true) return personOf();
    return isGroup(key.remoteJid ?? "")
      ? personOf(key.participant, key.participantAlt)
      : personOf(key.remoteJid, key.remoteJidAlt);
  } catch {
    return personOf(); // the library says so when it comes to the message
  }
}

/** A message as the library tells of it; null for one without contents. */
export function decodedMessage(
  { proto }: Library,
  { key, message, messageTimestamp, pushName }: WAMessage,
): ReceivedMessage | null {
  if (!message) return null;
  const read = receivedSchema.safeParse({
    id: key.id,
    chatJid: key.remoteJid,
    chatAltJid: key.remoteJidAlt ?? undefined,
    isFromMe: key.fromMe ?? false,
    participantJid: key.participant ?? undefined,
    participantAltJid: key.participantAlt ?? undefined,
    sentSeconds: Number(messageTimestamp ?? 0),
    name: pushName ?? "",
    contents: contentsOf(proto, message),
  });
  if (!read.success) {
    logger.warn("Ignored a message of unknown shape ({issues} faults)", {
      issues: read.error.issues.length,
    });
  }
  return read.data ?? null;
}

function contentsOf(types: Library["proto"], message: proto.IMessage): unknown {
  const plain: unknown = types.Message.toObject(types.Message.create(message), AS_DATA);
  return plain;
}
