/**
 * A mail folder in memory.
 * @module
 */

/** A mail in a folder. */
export interface StoredMail {
  readonly uid: number;
  readonly bytes: Uint8Array;
  readonly receivedMs: number;
  readonly flags: Set<string>;
}

/** Mails by number, with those who want to hear of new ones. */
export class Folder {
  readonly name: string;
  uidValidity = 1_700_000_001;
  uidNext = 1;
  mails: StoredMail[] = [];
  readonly listeners: Set<() => void> = new Set();

  constructor(name: string) {
    this.name = name;
  }

  /** Adds a mail and tells of it. */
  add(bytes: Uint8Array, receivedMs: number, flags: readonly string[] = []): StoredMail {
    const mail = { uid: this.uidNext++, bytes, receivedMs, flags: new Set(flags) };
    this.mails.push(mail);
    for (const tell of this.listeners) tell();
    return mail;
  }

  /** Gives all mails new numbers, as a server does that lost its index. */
  renumber(): void {
    this.uidValidity++;
    this.mails = this.mails.map((mail, index) => ({ ...mail, uid: index + 1 }));
    this.uidNext = this.mails.length + 1;
  }
}

/** The header block of a mail, with the blank line behind it. */
export function headerOf(bytes: Uint8Array): Uint8Array {
  const text = latin1(bytes);
  const end = text.indexOf("\r\n\r\n");
  return end === -1 ? bytes : bytes.subarray(0, end + 4);
}

/** The value of the first header line with this name; "" without one. */
export function headerValue(bytes: Uint8Array, name: string): string {
  const unfolded = latin1(headerOf(bytes)).replace(/\r\n[ \t]+/g, " ");
  const line = unfolded.split("\r\n")
    .find((one) => one.toLowerCase().startsWith(`${name.toLowerCase()}:`));
  return line?.slice(name.length + 1).trim() ?? "";
}

/** Bytes as characters, one each. */
export function latin1(bytes: Uint8Array): string {
  let text = "";
  for (let at = 0; at < bytes.length; at += 8_192) {
    text += String.fromCharCode(...bytes.subarray(at, at + 8_192));
  }
  return text;
}
