/**
 * WhatsApp's messages, as far as the channel reads them: what the library decodes, as plain data in
 * which bytes are base64.
 * @module
 */

import { z } from "zod";

/** What a message refers to: those it mentions, and the message it answers. */
export interface MessageContext {
  readonly mentionedJid: readonly string[];
  readonly stanzaId?: string | undefined;
  /** Who wrote the message that is answered. */
  readonly participant?: string | undefined;
  readonly quotedMessage?: Contents | undefined;
  readonly isForwarded?: boolean | undefined;
}

/** A file, encrypted, with the key to it. */
export interface FileMessage {
  readonly directPath?: string | undefined;
  readonly url?: string | undefined;
  readonly mediaKey?: string | undefined;
  readonly fileSha256?: string | undefined;
  readonly fileEncSha256?: string | undefined;
  readonly fileLength?: number | undefined;
  readonly mimetype?: string | undefined;
  readonly caption?: string | undefined;
  readonly fileName?: string | undefined;
  /** Of a video: it is short, without sound, and repeats itself. */
  readonly gifPlayback?: boolean | undefined;
  readonly contextInfo?: MessageContext | undefined;
}

/** A place. */
export interface LocationMessage {
  readonly degreesLatitude: number;
  readonly degreesLongitude: number;
  readonly name?: string | undefined;
  readonly address?: string | undefined;
  readonly comment?: string | undefined;
  /** What a live place has instead of a comment. */
  readonly caption?: string | undefined;
  readonly contextInfo?: MessageContext | undefined;
}

/** Somebody's card. */
export interface ContactMessage {
  readonly displayName?: string | undefined;
  readonly vcard?: string | undefined;
}

/** A question with answers to choose from. */
export interface PollMessage {
  readonly name?: string | undefined;
  readonly options: readonly { readonly optionName: string }[];
  readonly contextInfo?: MessageContext | undefined;
}

/** What a message holds: one of these, and some hold another message. */
export interface Contents {
  readonly conversation?: string | undefined;
  readonly extendedTextMessage?: {
    readonly text?: string | undefined;
    readonly contextInfo?: MessageContext | undefined;
  } | undefined;
  readonly imageMessage?: FileMessage | undefined;
  readonly videoMessage?: FileMessage | undefined;
  readonly ptvMessage?: FileMessage | undefined;
  readonly audioMessage?: FileMessage | undefined;
  readonly documentMessage?: FileMessage | undefined;
  readonly stickerMessage?: FileMessage | undefined;
  readonly locationMessage?: LocationMessage | undefined;
  readonly liveLocationMessage?: LocationMessage | undefined;
  readonly contactMessage?: ContactMessage | undefined;
  readonly contactsArrayMessage?: { readonly contacts: readonly ContactMessage[] } | undefined;
  readonly pollCreationMessage?: PollMessage | undefined;
  readonly pollCreationMessageV2?: PollMessage | undefined;
  readonly pollCreationMessageV3?: PollMessage | undefined;
  readonly buttonsResponseMessage?:
    | { readonly selectedDisplayText?: string | undefined }
    | undefined;
  readonly templateButtonReplyMessage?: {
    readonly selectedDisplayText?: string | undefined;
  } | undefined;
  readonly listResponseMessage?: { readonly title?: string | undefined } | undefined;
  readonly protocolMessage?: {
    readonly type?: string | undefined;
    readonly key?: { readonly id?: string | undefined } | undefined;
  } | undefined;
  readonly ephemeralMessage?: Wrapped | undefined;
  readonly viewOnceMessage?: Wrapped | undefined;
  readonly viewOnceMessageV2?: Wrapped | undefined;
  readonly viewOnceMessageV2Extension?: Wrapped | undefined;
  readonly documentWithCaptionMessage?: Wrapped | undefined;
  readonly deviceSentMessage?: Wrapped | undefined;
  readonly groupMentionedMessage?: Wrapped | undefined;
  readonly lottieStickerMessage?: Wrapped | undefined;
}

/** A message in a message. */
export interface Wrapped {
  readonly message?: Contents | undefined;
}

/** A message that arrived. */
export interface ReceivedMessage {
  readonly id: string;
  /** The chat: a person's address, a group's, or another's. */
  readonly chatJid: string;
  /** The person's other address, in a direct chat. */
  readonly chatAltJid?: string | undefined;
  readonly isFromMe: boolean;
  /** Who wrote it, in a group. */
  readonly participantJid?: string | undefined;
  readonly participantAltJid?: string | undefined;
  readonly sentSeconds: number;
  /** What the sender calls themselves. */
  readonly name: string;
  readonly contents: Contents;
}

const text = z.string().optional().catch(undefined);
const flag = z.boolean().optional().catch(undefined);

function lenient<T>(schema: z.ZodType<T>): z.ZodCatch<z.ZodOptional<z.ZodType<T>>> {
  return schema.optional().catch(undefined);
}

const contextSchema: z.ZodType<MessageContext> = z.lazy(() =>
  z.object({
    mentionedJid: z.array(z.string()).catch([]),
    stanzaId: text,
    participant: text,
    quotedMessage: lenient(contentsSchema),
    isForwarded: flag,
  })
);
const fileSchema: z.ZodType<FileMessage> = z.object({
  directPath: text,
  url: text,
  mediaKey: text,
  fileSha256: text,
  fileEncSha256: text,
  fileLength: z.coerce.number().optional().catch(undefined),
  mimetype: text,
  caption: text,
  fileName: text,
  gifPlayback: flag,
  contextInfo: lenient(contextSchema),
});
const locationSchema: z.ZodType<LocationMessage> = z.object({
  degreesLatitude: z.number(),
  degreesLongitude: z.number(),
  name: text,
  address: text,
  comment: text,
  caption: text,
  contextInfo: lenient(contextSchema),
});
const contactSchema: z.ZodType<ContactMessage> = z.object({ displayName: text, vcard: text });
const pollSchema: z.ZodType<PollMessage> = z.object({
  name: text,
  options: z.array(z.object({ optionName: z.string() })).catch([]),
  contextInfo: lenient(contextSchema),
});
const wrappedSchema: z.ZodType<Wrapped> = z.lazy(() =>
  z.object({ message: lenient(contentsSchema) })
);
const pressedSchema = z.object({ selectedDisplayText: text });

const contentsSchema: z.ZodType<Contents> = z.lazy(() =>
  z.object({
    conversation: text,
    extendedTextMessage: lenient(z.object({ text, contextInfo: lenient(contextSchema) })),
    imageMessage: lenient(fileSchema),
    videoMessage: lenient(fileSchema),
    ptvMessage: lenient(fileSchema),
    audioMessage: lenient(fileSchema),
    documentMessage: lenient(fileSchema),
    stickerMessage: lenient(fileSchema),
    locationMessage: lenient(locationSchema),
    liveLocationMessage: lenient(locationSchema),
    contactMessage: lenient(contactSchema),
    contactsArrayMessage: lenient(z.object({ contacts: z.array(contactSchema) })),
    pollCreationMessage: lenient(pollSchema),
    pollCreationMessageV2: lenient(pollSchema),
    pollCreationMessageV3: lenient(pollSchema),
    buttonsResponseMessage: lenient(pressedSchema),
    templateButtonReplyMessage: lenient(pressedSchema),
    listResponseMessage: lenient(z.object({ title: text })),
    protocolMessage: lenient(z.object({
      type: text,
      key: lenient(z.object({ id: text })),
    })),
    ephemeralMessage: lenient(wrappedSchema),
    viewOnceMessage: lenient(wrappedSchema),
    viewOnceMessageV2: lenient(wrappedSchema),
    viewOnceMessageV2Extension: lenient(wrappedSchema),
    documentWithCaptionMessage: lenient(wrappedSchema),
    deviceSentMessage: lenient(wrappedSchema),
    groupMentionedMessage: lenient(wrappedSchema),
    lottieStickerMessage: lenient(wrappedSchema),
  })
);

/** A message that arrived, or that was kept. */
export const receivedSchema: z.ZodType<ReceivedMessage> = z.object({
  id: z.string().min(1),
  chatJid: z.string().min(1),
  chatAltJid: text,
  isFromMe: z.boolean(),
  participantJid: text,
  participantAltJid: text,
  sentSeconds: z.number().catch(0),
  name: z.string().catch(""),
  contents: contentsSchema,
});
