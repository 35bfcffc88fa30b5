/**
 * A received mail, read: what stands in its header block, and its parts.
 * @module
 */

/** One line of the header block, unfolded. */
export interface HeaderField {
  /** In lower case. */
  readonly name: string;
  readonly value: string;
}

/** Somebody with an address. */
export interface Person {
  /** "" without one. */
  readonly name: string;
  /** In lower case. */
  readonly address: string;
}

/** What the header block says. */
export interface Head {
  /** All lines, from the top: what the own server added stands first. */
  readonly fields: readonly HeaderField[];
  readonly from: readonly Person[];
  readonly to: readonly Person[];
  readonly cc: readonly Person[];
  readonly replyTo: readonly Person[];
  readonly subject: string;
  /** With angle brackets; null when there is none. */
  readonly messageId: string | null;
  /** The mails before it in its thread, the oldest first, with angle brackets. */
  readonly references: readonly string[];
}

/** A file in a mail. */
export interface MailFile {
  /** As the sender calls it: no safe name. "" without one. */
  readonly name: string;
  /** In lower case, without parameters. */
  readonly type: string;
  readonly isInline: boolean;
  readonly bytes: Uint8Array;
}

/** A whole mail. */
export interface Mail extends Head {
  /** The plain text, all its parts; "" without one. */
  readonly text: string;
  /** "" without one. */
  readonly html: string;
  readonly files: readonly MailFile[];
}

const MESSAGE_ID = /<[^<>\s]{1,400}>/g;
/** A thread's older mails beyond that tell nothing more. */
const REFERENCES_MAX = 100;

/** The ids in a header's value, in order. */
export function idsIn(value: string): readonly string[] {
  return (value.match(MESSAGE_ID) ?? []).slice(-REFERENCES_MAX);
}

/** The values of all lines with this name, from the top. @param name in lower case */
export function valuesOf({ fields }: Pick<Head, "fields">, name: string): readonly string[] {
  return fields.filter((field) => field.name === name).map(({ value }) => value);
}
