/**
 * Reads mails by the library: MIME, charsets, encoded words.
 * @module
 */

import type { Address, Email } from "postal-mime";
import { type Head, idsIn, type Mail, type MailFile, type Person } from "../receive/mail.ts";

/** Parts in one another; mails of people have four. */
const NESTING_MAX = 32;
const HEADER_BYTES_MAX = 1024 * 1024;

/** Reads a header block alone. */
export async function parseHead(headers: Uint8Array): Promise<Head> {
  return await headOf(await parse(headers));
}

/** Reads a mail, or as much of it as there is. */
export async function parseMail(source: Uint8Array): Promise<Mail> {
  const email = await parse(source);
  return {
    ...await headOf(email),
    text: email.text ?? "",
    html: email.html ?? "",
    files: email.attachments.map(fileOf),
  };
}

async function parse(source: Uint8Array): Promise<Email> {
  const { default: PostalMime } = await import("postal-mime");
  return await PostalMime.parse(source, {
    attachmentEncoding: "arraybuffer",
    maxNestingDepth: NESTING_MAX,
    maxHeadersSize: HEADER_BYTES_MAX,
    forceRfc822Attachments: true,
  });
}

async function headOf(email: Email): Promise<Head> {
  const { addressParser } = await import("postal-mime");
  const fields = email.headers.map(({ key, value }) => ({ name: key.toLowerCase(), value }));
  const people = (addresses: readonly Address[] | undefined): readonly Person[] =>
    (addresses ?? []).flatMap(peopleOf);
  // Of several senders the library gives the first: a mail that names more must not pass for theirs.
  const from = fields.filter(({ name }) => name === "from")
    .flatMap(({ value }) => people(addressParser(value)));
  const parents = idsIn(email.inReplyTo ?? "");
  const references = idsIn(email.references ?? "");
  return {
    fields,
    from,
    to: people(email.to),
    cc: people(email.cc),
    replyTo: people(email.replyTo),
    subject: (email.subject ?? "").replace(/\s+/g, " ").trim(),
    messageId: idsIn(email.messageId ?? "").at(0) ?? null,
    references: [...new Set([...references, ...parents])],
  };
}

function peopleOf(address: Address): readonly Person[] {
  if (address.group !== undefined) return address.group.flatMap(peopleOf);
  const { name, address: mail } = address;
  return mail.includes("@") ? [{ name: name.trim(), address: mail.trim().toLowerCase() }] : [];
}

function fileOf(
  { filename, mimeType, disposition, content }: Email["attachments"][number],
): MailFile {
  return {
    name: filename ?? "",
    type: mimeType.toLowerCase(),
    isInline: disposition !== "attachment",
    bytes: typeof content === "string"
      ? new TextEncoder().encode(content)
      : new Uint8Array(content),
  };
}
