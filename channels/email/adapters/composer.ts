/**
 * A mail as bytes, by the library.
 * @module
 */

import { Buffer } from "node:buffer";
import type { Letter } from "../send/letter.ts";
import { hideHostname } from "./system_name.ts";

/** A file that goes along. */
export interface OutgoingFile {
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** What a mail is made of. */
export interface Composition {
  readonly letter: Letter;
  readonly from: { readonly name: string; readonly address: string };
  readonly sentMs: number;
  /** The words as HTML; null for plain text alone. */
  readonly html: string | null;
  readonly files: readonly OutgoingFile[];
}

/** Composes the mail. It says that a program wrote it, so that no other program answers. */
export async function compose(
  { letter, from, sentMs, html, files }: Composition,
): Promise<Uint8Array> {
  hideHostname();
  const { default: MailComposer } = await import("nodemailer/lib/mail-composer");
  const { messageId, to, subject, text, inReplyTo, references } = letter;
  const node = new MailComposer({
    from,
    to: { name: "", address: to },
    subject,
    text,
    ...(html !== null && { html }),
    messageId,
    date: new Date(sentMs),
    ...(inReplyTo !== null && { inReplyTo }),
    ...(references.length > 0 && { references: [...references] }),
    headers: {
      "Auto-Submitted": inReplyTo === null ? "auto-generated" : "auto-replied",
      "X-Auto-Response-Suppress": "All",
    },
    attachments: files.map(({ name, bytes }) => ({
      filename: name,
      content: Buffer.from(bytes),
      contentDisposition: "attachment" as const,
    })),
    newline: "\r\n",
    disableUrlAccess: true,
    disableFileAccess: true,
  }).compile();
  return new Uint8Array(await node.build());
}
